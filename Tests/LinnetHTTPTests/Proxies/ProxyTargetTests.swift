import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// The addresses of an origin that a proxy is asked for when it does not look up names itself.
@Suite("Proxy targets", .timeLimit(.minutes(1)))
struct ProxyTargetTests {
  private static func address(_ text: String) throws -> SocketAddress {
    try #require(SocketAddress(numericHost: text, port: 0))
  }

  private func scene(
    _ addresses: [String], to version: WireProtocol = .http1,
    decide: @escaping @Sendable (RecordedProxyRequest) -> ProxyAnswer
  ) throws -> ProxyScene {
    let scene = try ProxyScene(.socks5, to: version, decide: decide)
    scene.resolver.set(try addresses.map { try Self.address($0) }, for: ProxyScene.host)
    return scene
  }

  @Test(
    "are tried in the resolver's order, each on a new connection, until the proxy has a way to one",
    arguments: WireProtocol.versions, [UInt8(1), 3, 4, 5, 8])
  func order(version: WireProtocol, code: UInt8) async throws {
    let scene = try scene(["2001:db8::1", "192.0.2.1", "127.0.0.1", "192.0.2.2"], to: version) {
      $0.host == "127.0.0.1" ? .allow : .refuse(code: code)
    }
    #expect(try await scene.client().send(.get(scene.url)).text() == "through")
    #expect(scene.proxy.requests.map(\.host) == ["2001:db8::1", "192.0.2.1", "127.0.0.1"])
    #expect(scene.proxy.requests.map(\.connection) == [1, 2, 3])
  }

  @Test("that are all refused end in the last one's reason, and the error knows all of them")
  func exhausted() async throws {
    let scene = try scene(["2001:db8::1", "192.0.2.1"]) { .refuse(code: $0.addressType == .ipv6 ? 3 : 5) }
    let error = try #require(await scene.client().failure(of: .get(scene.url)))
    #expect(error.code == .proxyRefused && error.phase == .proxy && error.sent == .nothing)
    #expect(error.reason.contains("refused by the target (5); 192.0.2.1 is the last of 2 addresses"))
    #expect(error.peers.map(\.address) == Array(repeating: "127.0.0.1:\(scene.proxy.port)", count: 2))
    #expect(error.peers.first?.cause.contains("2001:db8::1: the proxy") == true)
    #expect(error.peers.first?.cause.contains("network unreachable (3)") == true)
  }

  @Test("are at most eight")
  func limit() async throws {
    let scene = try scene((1...20).map { "192.0.2.\($0)" }) { _ in .refuse(code: 5) }
    #expect(await scene.client().failure(of: .get(scene.url))?.code == .proxyRefused)
    #expect(scene.proxy.requests.map(\.host) == (1...8).map { "192.0.2.\($0)" })
  }

  @Test(
    "are not tried further when the proxy's answer is about something else",
    arguments: ["\u{FF}\u{FE}garbage\r\n\r\n", ""])
  func otherFailures(text: String) async throws {
    let scene = try scene(["192.0.2.1", "192.0.2.2"]) { _ in .steps([.send(text), .halfClose]) }
    #expect(await scene.client().failure(of: .get(scene.url))?.code == .invalidProxyResponse)
    #expect(scene.proxy.server.snapshot.connectionCount == 1)
  }

  @Test(
    "that the proxy says nothing about leave time for the others, within the connect timeout", arguments: [true, false])
  func silence(hasWay: Bool) async throws {
    let scene = try scene(["192.0.2.1", "192.0.2.2", "127.0.0.1"]) {
      hasWay && $0.host == "127.0.0.1" ? .allow : .steps([.stall])
    }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = scene.client(shards: shards, clock: clock) {
      $0.timeouts = TimeoutConfiguration(connect: .seconds(30), connectionWait: nil)
    }
    let ends = EventRecorder<TransportError?>()
    let task = Task { ends.record(await client.failure(of: .get(scene.url))) }
    // A third of the time for each.
    for count in 1...(hasWay ? 2 : 3) {
      try await scene.proxy.waitForRequests(count)
      clock.advance(by: .seconds(10))
    }
    await task.value
    let error = try #require(ends.events.first)
    #expect(error?.code == (hasWay ? nil : .connectTimeout))
    #expect(error?.phase == (hasWay ? nil : .proxy))
    #expect(scene.proxy.requests.map(\.host) == ["192.0.2.1", "192.0.2.2", "127.0.0.1"])
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test("that the proxy resolves itself are none: it is asked once", arguments: [HTTPProxy.Kind.socks5h, .socks4a])
  func resolvedByProxy(kind: HTTPProxy.Kind) async throws {
    let scene = try ProxyScene(kind, to: .http1) { _ in .refuse(code: kind == .socks4a ? 91 : 5) }
    let error = try #require(await scene.client().failure(of: .get(scene.url)))
    #expect(error.code == .proxyRefused && !error.reason.contains("addresses"))
    #expect(scene.proxy.requests.map(\.host) == [ProxyScene.host])
  }
}
