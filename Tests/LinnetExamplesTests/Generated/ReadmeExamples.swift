// Written by .ci/doc-examples from README.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet
import LinnetHTTP
import LinnetTestSupport

enum ReadmeExamples {
  struct User: Codable, Sendable {
    let id: Int
    let name: String
  }

  struct NewUser: Codable, Sendable {
    let name: String
  }

  @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  struct GetUser {
    typealias APIResponse = User

    let id: Int
  }

  @APIDefinition(method: .post, path: "/users", auth: .anonymous)
  struct CreateUser {
    typealias APIResponse = User

    let body: NewUser
  }

  protocol TokenStore: Sendable {
    func accessToken() async -> String?
    func renew() async throws -> String
  }

  final class Register: CertificateVerifier {
    func decide(on presented: PresentedCertificates) async -> CertificateDecision {
      guard let leaf = presented.certificates.first else { return .reject("no certificate") }
      return leaf.dnsNames.contains("api.example.com") ? .useDefault : .reject("not in the register")
    }
  }

  static func example1() async throws {
    let client = DefaultNetworkClient(baseURL: URL(string: "https://api.example.com/v1")!)
    let user = try await client.request(GetUser(id: 1))  // GET /v1/users/1
    let created = try await client.request(CreateUser(body: NewUser(name: "Ada")))  // POST /v1/users {"name":"Ada"}
    print(user.name, created.id)
    _ = client
    _ = user
    _ = created
  }

  static func example2(client: DefaultNetworkClient) async throws {
    let found = try await client.request(
      EndpointBuilder<[User]>.get("/users").query(["name": "Ada"]).header("X-Trace", value: "search"))
    print(found.count)
    _ = found
  }

  static func example3(client: DefaultNetworkClient) async throws {
    do {
      _ = try await client.request(GetUser(id: 42))
    } catch {
      switch error {
      case .statusCode(let response): print("the server answered \(response.statusCode)")
      case .decoding: print("did not decode: \(error.decodingDetail?.path ?? "?")")  // items[2].name
      case .reachability, .timeout: print(error.transport?.phase ?? .request, error.isRetriableHint)
      case .cancelled: break
      default: print(error)
      }
    }
  }

  static func example4() async throws {
    let local = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "http://localhost:8080")!, transport: TransportPack(allowsInsecureHTTP: true)))
    _ = local
  }

  static func example5(store: any TokenStore) async throws {
    let tuned = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "https://api.example.com/v1")!,
        resilience: ResiliencePack(
          retry: ExponentialBackoffRetryPolicy(), coalescing: .getOnly,
          circuitBreaker: CircuitBreakerPolicy(failureThreshold: 3)),
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(
            currentToken: { await store.accessToken() }, refreshToken: { try await store.renew() })),
        cache: CachePack(
          responseCachePolicy: .rfc9111Compliant(wrapping: .cacheFirst(maxAge: .seconds(60))),
          responseCache: InMemoryResponseCache())))
    _ = tuned
  }

  static func example6(client: DefaultNetworkClient) async throws {
    let profile = Task { try await client.request(GetUser(id: 1), tag: "feed") }
    // When the feed is closed:
    await client.cancelAll(matching: "feed")  // what has begun with this tag ends with NetworkError.cancelled
    profile.cancel()  // this one, also when it has not begun yet
    _ = profile
  }

  static func example7() async throws {
    let transport = MockTransport()
    try transport.setMockJSON(User(id: 1, name: "Ada"))
    let mocked = DefaultNetworkClient(
      configuration: .safeDefaults(baseURL: URL(string: "https://api.example.com")!), transport: transport)
    let ada = try await mocked.request(GetUser(id: 1))
    print(ada.name, transport.capturedRequest?.url ?? "-")
    _ = transport
    _ = mocked
    _ = ada
  }

  static func example8() async throws {
    let client = HTTPClient()
    // GET
    let response = try await client.send(.get("https://example.com/"))
    print(response.status, response.headers["Content-Type"] ?? "-", try await response.text())
    // POST JSON
    var request = HTTPRequest.post("https://api.example.com/items", body: .text(#"{"name":"linnet"}"#))
    try request.headers.add(name: "Content-Type", value: "application/json")
    let created = try await client.send(request)
    print(created.status)
    // Stream a large body: nothing is read faster than the loop consumes it
    for try await chunk in try await client.send(.get("https://example.com/large")).body {
      print(chunk.count)
    }
    // Upload a file with its exact length, in constant memory
    _ = try await client.send(.put("https://example.com/upload", body: .file("/tmp/report.pdf")))
    // One request with its own timeouts
    var slow = HTTPRequest.get("https://example.com/report")
    slow.options.timeouts.responseHead = .after(.seconds(300))
    slow.options.timeouts.total = .unlimited
    // Errors have a code, a phase, and say what was sent
    do {
      _ = try await client.send(.get("http://127.0.0.1:1/"))
    } catch {
      print(error.code, error.phase, error.sent)  // connectionRefused connect nothing
      print(error)  // GET http://127.0.0.1:1/: connect: connection refused (127.0.0.1:1) [attempt 1, 0 ms]
    }
    _ = client
    _ = response
    _ = request
    _ = created
    _ = slow
  }

  static func example9() async throws {
    let client = HTTPClient()
    let page = try await client.send(.get("http://example.com/"))
    print(page.url, page.history.map { "\($0.status.code) \($0.from)" })
    // The redirection itself
    var login = HTTPRequest.get("https://example.com/login")
    login.options.redirects = .manual
    print(try await client.send(login).headers["Location"] ?? "-")
    // By a rule of your own, which is asked about what the safe ones allow
    var download = HTTPRequest.get("https://example.com/download")
    download.options.redirects = .following { redirect in
      redirect.request.url.hasPrefix("https://example.com/") ? .follow : .refuse(reason: "it leaves the site")
    }
    print(try await client.send(download).status)
    _ = client
    _ = page
    _ = login
    _ = download
  }

  static func example10() async throws {
    let jar = CookieJar()
    var settings = HTTPClientConfiguration()
    settings.cookies = .jar(jar)  // .privateJar when nobody else has to see it
    let browser = HTTPClient(configuration: settings)
    print(try await browser.send(.post("https://example.com/login", body: .text("name=ada"))).status)
    print(jar.cookies.map(\.name))
    try await jar.save(netscapeFile: "cookies.txt")  // the format of curl and wget; mode 0600
    do {
      for problem in try await jar.load(netscapeFile: "cookies.txt") { print(problem) }  // line 3: …; the good lines count
    } catch {
      guard error.reason == .notFound else { throw error }  // the first run
    }
    _ = jar
    _ = settings
    _ = browser
  }

  static func example11() async throws {
    let api = try Origin(scheme: .https, host: "api.example.com")
    let files = try Origin(scheme: .https, host: "files.example.com", port: 8443)
    var settings = HTTPClientConfiguration()
    settings.credentials[api] = .bearer("token")
    settings.credentials[files] = .digest(user: "ada", password: "secret")  // MD5, SHA-256 and SHA-512/256, on challenge
    settings.netrc = .standard  // $NETRC, else ~/.netrc; or .file(path)
    let client = HTTPClient(configuration: settings)
    var request = HTTPRequest.get("https://intranet.example.com/")
    request.options.credentials = .any(user: "ada", password: "secret")  // Digest before Basic, as the server asks; or .basic
    print(try await client.send(request).status)  // a refused password is the 401, not an error
    _ = api
    _ = files
    _ = settings
    _ = client
    _ = request
  }

  static func example12() async throws {
    var settings = HTTPClientConfiguration()
    settings.proxy = .environment  // http_proxy, https_proxy, all_proxy, no_proxy
    let office = HTTPClient(configuration: settings)
    print(try await office.send(.get("https://example.com/")).connection.proxy?.name ?? "direct")
    settings.proxy = .fixed(try HTTPProxy("http://ada:secret@proxy.example.com:3128"), exceptions: [".internal", "10.0.0.0/8"])
    let fixed = HTTPClient(configuration: settings)
    var tunnelled = HTTPRequest.get("https://example.com/")
    tunnelled.options.proxy = .fixed(try HTTPProxy("socks5h://127.0.0.1:1080"))  // this request alone; the proxy looks up the name
    print(try await fixed.send(tunnelled).status)
    _ = settings
    _ = office
    _ = fixed
    _ = tunnelled
  }

  static func example13() async throws {
    var settings = HTTPClientConfiguration()
    settings.tls.minimumVersion = .tls13
    settings.tls.pinnedPublicKeys = try PublicKeyPin.list(
      "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;sha256//LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")
    settings.tls.clientIdentity = .init(pkcs12: .file("me.p12"), passphrase: "secret")
    settings.tls.certificateVerifier = Register()  // asked while the handshake waits; never on an I/O thread
    settings.tls.serverName = "api.example.com"  // SNI and the certificate's name, in place of the URL's host
    settings.resolveOverrides["api.example.com:443"] = ["192.0.2.7"]  // curl --resolve; also "*:443" and "*"
    settings.connectOverrides = [try ConnectOverride("api.example.com:443:127.0.0.1:8443")]  // curl --connect-to
    settings.socket.addressFamily = .ipv4
    settings.socket.localInterface = "eth0"  // or an address
    settings.dnsCache.lifetime = .seconds(5)  // default 30 s, and 1 s for names that do not exist
    settings.pool.maximumAge = .seconds(300)  // connections of before a DNS switch are not used for ever
    let strict = HTTPClient(configuration: settings)
    print(try await strict.send(.get("https://api.example.com/")).connection.tls?.version ?? "-")
    _ = settings
    _ = strict
  }

  static func example14() async throws {
    let client = HTTPClient()
    // Insist on it: a server that does not agree is the error http2NotNegotiated
    var modern = HTTPRequest.get("https://api.example.com/items")
    modern.options.httpVersion = .http2Only
    // In cleartext there is nobody to ask: say that the server speaks it
    var local = HTTPRequest.get("http://localhost:8080/items")
    local.options.httpVersion = .http2PriorKnowledge
    // Or stay with HTTP/1.1
    var classic = HTTPRequest.get("https://old.example.com/")
    classic.options.httpVersion = .http1Only
    // How urgent is it, and is a part of it of use (RFC 9218)? Sent as `Priority: u=5, i`
    var thumbnails = HTTPRequest.get("https://api.example.com/thumbnails")
    thumbnails.options.priority = HTTPPriority(urgency: 5, isIncremental: true)
    for request in [modern, local, classic, thumbnails] {
      let response = try await client.send(request)
      print(response.version, try await response.collect().count)  // HTTP/2 …
    }
    _ = client
    _ = modern
    _ = local
    _ = classic
    _ = thumbnails
  }

  static func example15() async throws {
    var settings = HTTPClientConfiguration()
    settings.httpVersion = .automatic
    settings.pool.maximumHTTP2ConnectionsPerOrigin = 2  // default 8
    settings.http2.maximumConcurrentStreams = 64  // requests at a time on a connection, if the server allows; default 128
    settings.http2.keepAliveInterval = .seconds(10)  // silence after which a busy connection is asked with PING; default 30 s
    settings.http2.keepAliveTimeout = .seconds(5)  // and given up without an answer; default 15 s
    settings.http2.initialStreamWindowBytes = 1 << 20  // what may arrive of a response that nobody reads; default 256 KiB
    let tuned = HTTPClient(configuration: settings)
    print(try await tuned.send(.get("https://example.com/")).version)
    _ = settings
    _ = tuned
  }
}
