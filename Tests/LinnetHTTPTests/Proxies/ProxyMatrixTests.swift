import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// Every kind of proxy with every kind of origin and every state of credentials.
@Suite("Proxy matrix", .timeLimit(.minutes(2)))
struct ProxyMatrixTests {
  enum Login: CaseIterable, Sendable {
    /// The proxy wants none, and gets none.
    case none
    case right, wrong, missing

    var demanded: (user: String, password: String)? { self == .none ? nil : ("aladdin", "sesame") }
    var given: HTTPCredentials? {
      switch self {
      case .none, .missing: nil
      case .right: aladdin
      case .wrong: .basic(user: "ali", password: "baba-secret")
      }
    }
    var isAdmitted: Bool { self == .none || self == .right }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let kind: HTTPProxy.Kind
    let version: WireProtocol
    let login: Login

    var testDescription: String { "\(kind) to \(version.testDescription), credentials \(login)" }

    static let all = HTTPProxy.Kind.allCases.flatMap { kind in
      WireProtocol.allCases.flatMap { version in
        Login.allCases.map { Case(kind: kind, version: version, login: $0) }
      }
    }
  }

  @Test(
    "A request reaches its origin through the proxy if the credentials are right, and nothing leaks",
    arguments: Case.all)
  func matrix(_ setup: Case) async throws {
    let scene = try ProxyScene(setup.kind, to: setup.version, credentials: setup.login.demanded)
    let client = scene.client(setup.login.given)
    if setup.login.isAdmitted {
      try await succeed(client, scene, setup)
    } else {
      try await fail(client, scene, setup)
    }
    #expect(scene.proxy.violations.isEmpty && scene.origin.snapshot.violations.isEmpty)
    #expect(scene.resolver.queries == (setup.kind == .socks5 ? [ProxyScene.host] : []))
    await client.shutdown(grace: .zero)
    #expect(ClientSockets.count(toPort: scene.proxy.port) == 0)
  }

  private func succeed(_ client: HTTPClient, _ scene: ProxyScene, _ setup: Case) async throws {
    for _ in 0..<3 {
      var request = HTTPRequest.get(scene.url)
      request.headers.add("Authorization", "Bearer origin-secret")
      let response = try await client.send(request)
      #expect(try await response.text() == "through")
      let info = try #require(response.connection.proxy)
      #expect(info.name == "\(setup.kind.rawValue)://127.0.0.1:\(scene.proxy.port)")
      #expect(info.isTunnel == !scene.isForwarded)
      #expect((info.tls != nil) == (setup.kind == .https))
      #expect((info.connectResponse != nil) == (info.isTunnel && (setup.kind == .http || setup.kind == .https)))
      #expect((response.connection.tls != nil) == setup.version.isSecure)
      #expect(response.connection.peerAddress == "127.0.0.1:\(scene.proxy.port)")
    }
    let requests = scene.origin.snapshot.requests
    #expect(requests.count == 3)
    #expect(requests.allSatisfy { $0.came(over: setup.version) && $0.target == "/x" })
    #expect(requests.allSatisfy { $0.authority == "\(ProxyScene.host):\(scene.origin.port)" })
    #expect(requests.allSatisfy { $0.headers["Authorization"] == "Bearer origin-secret" })
    #expect(requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil })
    // One connection to the proxy for all three.
    #expect(scene.proxy.server.snapshot.connectionCount == 1)
    let asked = scene.proxy.requests
    #expect(asked.count == (scene.isForwarded ? 3 : 1))
    #expect(asked.allSatisfy { $0.host == (setup.kind == .socks5 ? "127.0.0.1" : ProxyScene.host) })
    #expect(asked.allSatisfy { $0.port == scene.origin.port })
    if setup.login == .right {
      #expect(asked.allSatisfy { $0.user == "aladdin" || $0.authorization == aladdinField })
    } else {
      #expect(asked.allSatisfy { ($0.user ?? "").isEmpty && $0.authorization == nil })
    }
    if setup.version.isSecure {
      #expect(!scene.proxy.received.contains("origin-secret"))
    }
  }

  private func fail(_ client: HTTPClient, _ scene: ProxyScene, _ setup: Case) async throws {
    let error = try #require(await client.failure(of: .get(scene.url)))
    // SOCKS 4 has no word for what it wants.
    #expect(error.code == (setup.kind == .socks4a ? .proxyRefused : .proxyAuthenticationRequired))
    #expect(error.phase == .proxy)
    let name = "\(setup.kind.rawValue)://127.0.0.1:\(scene.proxy.port)"
    #expect(error.description.contains(name))
    for secret in ["ali:", "baba-secret", "sesame"] { #expect(!error.description.contains(secret)) }
    let isHTTP = setup.kind == .http || setup.kind == .https
    #expect((error.proxyResponse?.head.status == .proxyAuthenticationRequired) == isHTTP)
    #expect(error.proxyResponse.map { String(decoding: $0.body.array, as: UTF8.self) } == (isHTTP ? "deny" : nil))
    #expect(scene.origin.snapshot.connectionCount == 0)
  }
}

extension [UInt8] {
  /// Whether the text stands anywhere in it.
  fileprivate func contains(_ text: String) -> Bool { String(decoding: self, as: UTF8.self).contains(text) }
}
