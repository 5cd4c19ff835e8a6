import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Every kind of proxy, every kind of target, every state of credentials, with programs that others wrote.
@Suite("proxies of others")
struct ProxyMatrixTests {
  /// What the client says to the proxy.
  enum Shown: String, CaseIterable, Sendable {
    case nothing, basic, digest, any, wrongBasic, wrongDigest

    var credentials: HTTPCredentials? {
      let (user, password) = (ProxyPeer.user, ProxyPeer.password)
      return switch self {
      case .nothing: nil
      case .basic: .basic(user: user, password: password)
      case .digest: .digest(user: user, password: password)
      case .any: .any(user: user, password: password)
      case .wrongBasic: .basic(user: user, password: "no")
      case .wrongDigest: .digest(user: user, password: "no")
      }
    }

    /// Shown before the proxy asks.
    var isPreemptive: Bool { self == .basic || self == .wrongBasic }

    func satisfies(_ demand: ProxyPeer.Demand) -> Bool {
      switch demand {
      case .nothing: true
      case .basic: self == .basic || self == .any
      case .digest: self == .digest || self == .any
      }
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let proxy: ProxyPeer.Kind
    let demand: ProxyPeer.Demand
    var testDescription: String { "\(proxy.rawValue), demanding \(demand.rawValue)" }
  }

  static let rows = ProxyPeer.Kind.allCases.flatMap { kind in
    ProxyPeer.Demand.allCases.filter { kind.can($0) }.map { Row(proxy: kind, demand: $0) }
  }

  static let wires: [HTTPWire] = [.http1, .http1TLS, .http2TLS, .http2Cleartext]

  @Test(
    "each target is reached through each proxy with the credentials that it wants, and with no others", arguments: rows)
  func matrix(row: Row) async throws {
    guard row.proxy.isInstalled, Nginx.isInstalled else {
      try Test.cancel(
        "\(row.proxy.programs.joined(separator: ", ")) or nginx is not installed (.ci/setup installs them)")
    }
    let nginx = try Nginx()
    defer { nginx.stop() }
    let peer = try ProxyPeer(row.proxy, demanding: row.demand)
    defer { peer.stop() }
    for wire in Self.wires {
      for shown in Shown.allCases where !row.proxy.isSOCKS || [.nothing, .basic, .wrongBasic].contains(shown) {
        try await check(row, wire, shown, nginx, peer)
      }
    }
  }

  private func check(
    _ row: Row, _ wire: HTTPWire, _ shown: Shown, _ nginx: Nginx, _ peer: ProxyPeer
  ) async throws {
    var configuration = nginx.configuration(over: wire)
    configuration.proxy = .fixed(peer.proxy(shown.credentials))
    let client = HTTPClient(configuration: configuration)
    let name: Comment = "\(wire.rawValue), credentials: \(shown.rawValue)"
    let request = HTTPRequest.get(nginx.url("/received", over: wire), headers: ["Authorization": "Bearer origin"])
    let isForwarded = wire == .http1 && !row.proxy.isSOCKS
    guard shown.satisfies(row.demand) else {
      // To wrong credentials it says 401, which in a forwarded exchange could be the origin's.
      if isForwarded && row.proxy.isTinyproxy && shown.isPreemptive {
        #expect(try await client.send(request).status == .unauthorized, name)
        return
      }
      let error = await #expect(throws: TransportError.self, name) { try await client.send(request) }
      #expect(error?.code == .proxyAuthenticationRequired, name)
      #expect(error?.phase == .proxy, name)
      #expect(error?.sent == (isForwarded ? .all : .nothing), name)
      #expect(error.map { "\($0)".contains("localhost:") && !"\($0)".contains(ProxyPeer.password) } == true, name)
      let status = row.proxy.isTinyproxy && shown.isPreemptive ? 401 : 407
      if !row.proxy.isSOCKS { #expect(error?.proxyResponse?.head.status.code == status, name) }
      return
    }
    for round in 0..<2 {
      let response = try await client.send(request)
      #expect(response.status == .ok, name)
      #expect(response.version == wire.version, name)
      #expect(response.connection.proxy?.isTunnel == !isForwarded, name)
      // The first request may have been sent twice, for a challenge; tinyproxy closes behind what it forwards.
      if round == 1 { #expect(response.connection.isReused == !(isForwarded && row.proxy.isTinyproxy), name) }
      let text = try await response.text()
      // What is the proxy's does not reach the origin, unless a proxy that asked for nothing passes it on.
      if isForwarded && row.proxy.isTinyproxy && row.demand == .nothing {
        #expect(text.hasSuffix("] authorization=[Bearer origin] secret=[]"), name)
      } else {
        #expect(text == "proxy=[] authorization=[Bearer origin] secret=[]", name)
      }
    }
  }

  @Test("a large body arrives whole in both directions through each proxy", arguments: ProxyPeer.Kind.allCases)
  func bodies(kind: ProxyPeer.Kind) async throws {
    guard kind.isInstalled, Nginx.isInstalled else {
      try Test.cancel("\(kind.programs.joined(separator: ", ")) or nginx is not installed (.ci/setup installs them)")
    }
    let nginx = try Nginx()
    defer { nginx.stop() }
    let peer = try ProxyPeer(kind, demanding: .nothing)
    defer { peer.stop() }
    let path = try nginx.serve(1_000_000)
    for wire in [HTTPWire.http1, .http1TLS, .http2TLS] {
      var configuration = nginx.configuration(over: wire)
      configuration.proxy = .fixed(peer.proxy(nil))
      let client = HTTPClient(configuration: configuration)
      let body = try await client.send(.get(nginx.url(path, over: wire))).collect()
      #expect(body.count == 1_000_000)
      let target = "/upload/\(wire.isHTTP2)\(wire.isTLS)"
      let put = try await client.send(
        HTTPRequest(method: .put, url: nginx.url(target, over: wire), body: .bytes(Array(body))))
      #expect(put.status.code == 201)
      let back = try await client.send(.get(nginx.url(target, over: wire))).collect()
      #expect(back == body)
    }
  }

  @Test("what a proxy cannot reach is told as its refusal, and it is named", arguments: ProxyPeer.Kind.allCases)
  func refusal(kind: ProxyPeer.Kind) async throws {
    guard kind.isInstalled else {
      try Test.cancel("\(kind.programs.joined(separator: ", ")) is not installed (.ci/setup installs it)")
    }
    let peer = try ProxyPeer(kind, demanding: .nothing)
    defer { peer.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.proxy = .fixed(peer.proxy(nil))
    configuration.proxy.tunnelsHTTP = true
    if !kind.isSOCKS { configuration.tls.trustRoots = .only([.file(peer.certificates.authorityFile)]) }
    let client = HTTPClient(configuration: configuration)
    let closed = try FreePort.next()
    for url in ["http://127.0.0.1:\(closed)/", "https://127.0.0.1:\(closed)/"] {
      let error = await #expect(throws: TransportError.self) { try await client.send(.get(url)) }
      #expect(error?.code == (kind.tellsRefusals ? .proxyRefused : .invalidProxyResponse))
      #expect(error?.phase == .proxy)
      #expect(error.map { "\($0)".contains("localhost:") } == true)
      if !kind.isSOCKS { #expect((error?.proxyResponse?.head.status.code ?? 0) >= 400) }
    }
  }
}
