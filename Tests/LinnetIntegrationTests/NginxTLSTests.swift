import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("nginx with TLS", .enabled(if: Nginx.isInstalled, Comment(rawValue: Nginx.reason)))
struct NginxTLSTests {
  private func fieldsOfTLS(_ nginx: Nginx, _ client: HTTPClient) async throws -> (HTTPResponse, [Substring]) {
    let response = try await client.send(.get(nginx.url("/tls", over: .https), headers: ["Connection": "close"]))
    return (response, try await response.text().split(separator: " ", omittingEmptySubsequences: false))
  }

  @Test("a second connection resumes the session of the first", arguments: [TLSConfiguration.Version.tls12, .tls13])
  func resumption(version: TLSConfiguration.Version) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    var configuration = nginx.configuration(.https)
    configuration.tls.maximumVersion = version
    let client = HTTPClient(configuration: configuration)
    for index in 0..<3 {
      let (response, fields) = try await fieldsOfTLS(nginx, client)
      #expect(!response.connection.isReused)
      #expect(response.connection.tls?.version == version.rawValue)
      #expect(response.connection.tls?.isResumed == (index > 0))
      #expect(fields.first.map { $0 == version.rawValue } == true)
      #expect(fields[1] == (index > 0 ? "r" : "."))
    }
  }

  @Test("no session is resumed when that is off")
  func noResumption() async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    var configuration = nginx.configuration(.https)
    configuration.tls.resumesSessions = false
    let client = HTTPClient(configuration: configuration)
    for _ in 0..<2 {
      let (response, fields) = try await fieldsOfTLS(nginx, client)
      #expect(response.connection.tls?.isResumed == false)
      #expect(fields[1] == ".")
    }
  }

  @Test("a session is not resumed under other TLS settings")
  func otherSettings() async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client(.https)
    _ = try await fieldsOfTLS(nginx, client)
    var request = HTTPRequest.get(nginx.url("/tls", over: .https))
    var tls = client.configuration.tls
    tls.minimumVersion = .tls13
    request.options.tls = tls
    let response = try await client.send(request)
    #expect(response.connection.tls?.isResumed == false)
  }

  @Test("a private authority is refused unless it is trusted, and a name that the certificate lacks is refused")
  func verification() async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let url = nginx.url("/tls", over: .https)
    await #expect(throws: TransportError.self) { try await HTTPClient().send(.get(url)) }
    var configuration = nginx.configuration(.https)
    configuration.resolveOverrides = ["other.test": ["127.0.0.1"]]
    let client = HTTPClient(configuration: configuration)
    let other = url.split(separator: "localhost").joined(separator: "other.test")
    let error = await #expect(throws: TransportError.self) { try await client.send(.get(other)) }
    #expect(error?.code == .certificateRejected)
    #expect(error?.reason.contains("other.test") == true)
  }

  @Test("a demanded client certificate is shown, resumed sessions included", arguments: [nil, "open sesame"])
  func clientCertificate(passphrase: String?) async throws {
    var options = Nginx.Options()
    options.demandsClientCertificate = true
    let nginx = try Nginx(options)
    defer { nginx.stop() }
    let identity = try nginx.certificates.client(commonName: "linnet-client")
    let files = try nginx.certificates.write(identity, as: "client", passphrase: passphrase)
    var configuration = nginx.configuration(.https)
    configuration.tls.clientIdentity = TLSConfiguration.ClientIdentity(
      certificates: .file(files.chain), privateKey: .file(files.privateKey), passphrase: passphrase)
    let client = HTTPClient(configuration: configuration)
    for index in 0..<2 {
      let (response, fields) = try await fieldsOfTLS(nginx, client)
      #expect(response.status.code == 200)
      #expect(response.connection.tls?.isResumed == (index > 0))
      #expect(fields[2] == "SUCCESS")
      #expect(fields[3].contains("linnet-client"))
    }
  }

  @Test("without the demanded certificate, or with one of a stranger, the server's answer is the response")
  func missingClientCertificate() async throws {
    var options = Nginx.Options()
    options.demandsClientCertificate = true
    let nginx = try Nginx(options)
    defer { nginx.stop() }
    let (response, _) = try await fieldsOfTLS(nginx, nginx.client(.https))
    #expect(response.status.code == 400)

    let strangers = try TestCertificates()
    let stranger = try strangers.client()
    var configuration = nginx.configuration(.https)
    configuration.tls.clientIdentity = TLSConfiguration.ClientIdentity(
      certificates: .bytes(Array(stranger.chainPEM.utf8)), privateKey: .bytes(Array(stranger.privateKeyPEM.utf8)))
    let (refused, _) = try await fieldsOfTLS(nginx, HTTPClient(configuration: configuration))
    #expect(refused.status.code == 400)
  }
}
