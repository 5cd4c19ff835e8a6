import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("TLS settings of a client", .timeLimit(.minutes(1)))
struct TLSSettingsTests {
  @Test("the server name is asked for and checked in place of the URL's host", arguments: WireProtocol.secure)
  func serverName(version: WireProtocol) async throws {
    var wire = try Wire(version)
    wire.options.tls?.certificate = try #require(try wire.certificates?.server(dnsNames: ["real.test"]))
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = wire.client { $0.tls.serverName = "real.test" }
    #expect(try await client.send(.get(server.url())).text() == "x")
    let request = try #require(server.snapshot.requests.first)
    #expect(request.tls?.serverName == "real.test")
    #expect(request.authority == "127.0.0.1:\(server.port)")
    let error = await wire.client { $0.tls.serverName = "other.test" }.failure(of: .get(server.url()))
    #expect(error?.code == .certificateRejected)
    #expect(error?.description.contains("expected other.test") == true)
  }

  @Test("the cipher suites of TLS 1.3 can be chosen")
  func suites() async throws {
    let wire = try Wire(.http1TLS)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = wire.client { $0.tls.cipherSuites = "TLS_CHACHA20_POLY1305_SHA256" }
    let response = try await client.send(.get(server.url()))
    #expect(response.connection.tls?.cipher == "TLS_CHACHA20_POLY1305_SHA256")
    _ = try await response.collect()
  }

  @Test("a client certificate may come from a PKCS #12 store")
  func pkcs12() async throws {
    var wire = try Wire(.http1TLS)
    let certificates = try #require(wire.certificates)
    wire.options.tls?.clientAuthority = certificates.authority
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let store = try certificates.client(commonName: "worker-12").pkcs12(passphrase: "sesame")
    let path = try certificates.directory.write(store, to: "client.p12")
    let client = wire.client {
      $0.tls.clientIdentity = TLSConfiguration.ClientIdentity(pkcs12: .file(path), passphrase: "sesame")
    }
    #expect(try await client.send(.get(server.url())).text() == "x")
    #expect(server.snapshot.requests.first?.tls?.clientCertificateSubject?.contains("worker-12") == true)
  }

  enum Fault: CaseIterable, Sendable {
    case versions, cipherList, cipherSuites, emptyName, nameWithSpace, noAddress, passphrase

    func apply(to tls: inout TLSConfiguration, store: [UInt8]) {
      switch self {
      case .versions:
        tls.minimumVersion = .tls13
        tls.maximumVersion = .tls12
      case .cipherList: tls.cipherList = "NONSENSE"
      case .cipherSuites: tls.cipherSuites = "TLS_AES_128_GCM_SHA256:NONSENSE"
      case .emptyName: tls.serverName = ""
      case .nameWithSpace: tls.serverName = "a b"
      case .noAddress: tls.serverName = "1.2.3"
      case .passphrase: tls.clientIdentity = .init(pkcs12: .bytes(store), passphrase: "wrong")
      }
    }
  }

  @Test("a setting that cannot be used is a typed error, and nothing is connected", arguments: Fault.allCases)
  func unusable(fault: Fault) async throws {
    let wire = try Wire(.http1TLS)
    let server = try wire.start(.handler { _ in .text("never") })
    defer { server.stop() }
    let store = try #require(try wire.certificates?.client().pkcs12(passphrase: "sesame"))
    let client = wire.client { fault.apply(to: &$0.tls, store: store) }
    for _ in 0..<2 {
      let error = try #require(await client.failure(of: .get(server.url())))
      #expect(error.code == (fault == .passphrase ? .invalidClientIdentity : .invalidConfiguration))
      #expect(error.phase == .request)
      #expect(error.sent == .nothing)
      #expect(!error.description.contains("wrong"))
    }
    #expect(server.snapshot.connectionCount == 0)
  }
}
