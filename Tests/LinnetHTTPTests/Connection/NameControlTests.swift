import Glibc
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

@Suite("Names and addresses", .timeLimit(.minutes(1)))
struct NameControlTests {
  private func client(
    _ resolver: FakeResolver = FakeResolver(), _ change: (inout HTTPClientConfiguration) -> Void
  ) -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    change(&configuration)
    return HTTPClient(configuration: configuration, environment: EngineEnvironment(resolver: resolver))
  }

  @Test("a resolve override is for host and port, host, port, or all, the closest first", arguments: 0..<4)
  func overrides(kept: Int) async throws {
    try await ScriptedServer.with(.handler { _ in .text("here") }) { server async throws in
      let keys = ["Name.test:\(server.port)", "name.test", "*:\(server.port)", "*"]
      var overrides: [String: [String]] = [:]
      for (index, key) in keys.enumerated() where index >= kept {
        overrides[key] = [index == kept ? "127.0.0.1" : "127.0.0.9:not an address"]
      }
      let client = client { $0.resolveOverrides = overrides }
      #expect(try await client.send(.get("http://name.test:\(server.port)/")).text() == "here")
    }
  }

  @Test("an override of another port or host is not for this one")
  func foreignOverrides() async throws {
    let client = client {
      $0.resolveOverrides = ["*:1": ["127.0.0.1"], "name.test:1": ["127.0.0.1"], "x": ["127.0.0.1"]]
    }
    #expect(await client.failure(of: .get("http://name.test:2/"))?.code == .hostNotFound)
  }

  @Test("a switch of the addresses is followed once a connection has reached its age")
  func maximumAge() async throws {
    let old = try ScriptedServer.start(.handler { _ in .text("old") })
    defer { old.stop() }
    let new = try ScriptedServer.start(.handler { _ in .text("new") }, options: .at(.ipv4))
    defer { new.stop() }
    let resolver = FakeResolver()
    let (oldAddress, newAddress) = (
      SocketAddress.loopbackIPv4(port: old.port), SocketAddress.loopbackIPv4(port: new.port)
    )
    for (age, answers) in [(Duration?.none, ["old", "old"]), (.nanoseconds(1), ["old", "new"])] {
      resolver.set([oldAddress], for: "name.test")
      let client = client(resolver) { $0.pool.maximumAge = age }
      #expect(try await client.send(.get("http://name.test/")).text() == answers[0])
      resolver.set([newAddress], for: "name.test")
      #expect(try await client.send(.get("http://name.test/")).text() == answers[1])
    }
  }

  @Test("a name that does not exist is known for the time of negative entries, one that exists for that of others")
  func cacheTimes() async throws {
    let clock = ManualClock()
    let asked = EventRecorder<String>()
    var cache = DNSCacheConfiguration()
    cache.lifetime = .seconds(5)
    cache.negativeLifetime = .seconds(2)
    let resolver = SystemResolver(limits: ResolverCache.Limits(cache), clock: clock) { host in
      asked.record(host)
      return host == "there.test"
        ? .success([.loopbackIPv4(port: 0)]) : .failure(ResolveError(host: host, reason: .notFound))
    }
    func ask(_ host: String) async { _ = try? await resolver.resolve(host: host, port: 1) }
    for _ in 0..<2 {
      await ask("there.test")
      await ask("absent.test")
    }
    #expect(asked.takeAll() == ["there.test", "absent.test"])
    clock.advance(by: .seconds(3))
    await ask("there.test")
    await ask("absent.test")
    #expect(asked.takeAll() == ["absent.test"])
    clock.advance(by: .seconds(3))
    await ask("there.test")
    #expect(asked.takeAll() == ["there.test"])
  }

  @Test("a client with other times has a cache of its own, and one with the usual ones shares the process's")
  func ownCache() {
    let environment = EngineEnvironment()
    var cache = DNSCacheConfiguration()
    #expect(environment.resolver(for: cache) as? SystemResolver === SystemResolver.shared)
    cache.negativeLifetime = .zero
    #expect(environment.resolver(for: cache) as? SystemResolver !== SystemResolver.shared)
    let fake = FakeResolver()
    #expect(EngineEnvironment(resolver: fake).resolver(for: cache) as? FakeResolver === fake)
  }

  @Test("an abstract Unix socket is connected to by its name with an @")
  func abstractSocket() async throws {
    let name = "linnet-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    try await ScriptedServer.with(.handler { _ in .text("abstract") }, options: .at(.abstract(name: name))) {
      server async throws in
      let client = client { $0.connectTarget = .unixSocket("@\(name)") }
      #expect(try await client.send(.get("http://any.test/")).text() == "abstract")
    }
  }

  // MARK: Where from

  @Test(
    "curl's interface is the name of one, an address, or a host",
    arguments: ["lo", "if!lo", "127.0.0.4", "host!127.0.0.4", "here.test", "host!here.test"])
  func localInterface(text: String) async throws {
    try await ScriptedServer.with(.handler { _ in .text("x") }) { server async throws in
      let resolver = FakeResolver()
      resolver.set([SocketAddress.loopbackIPv6(port: 0), .loopbackIPv4(port: 0)], for: "here.test")
      let client = client(resolver) { configuration in
        configuration.socket.localInterface = text
        configuration.socket.addressFamily = .ipv4
      }
      let response = try await client.send(.get(server.url()))
      #expect(try await response.text() == "x")
      if text.hasSuffix("127.0.0.4") { #expect(response.connection.localAddress?.hasPrefix("127.0.0.4:") == true) }
    }
  }

  @Test(
    "what is no interface, address or host is an error of the configuration, and nothing is connected",
    arguments: ["", "if!", "host!", "if!127.0.0.1", "if!linnet-none", "linnet-none.test", "host!lo"])
  func unknownInterface(text: String) async throws {
    try await ScriptedServer.with(.handler { _ in .text("x") }) { server async throws in
      let client = client { $0.socket.localInterface = text }
      let error = try #require(await client.failure(of: .get(server.url())))
      #expect(error.code == .invalidConfiguration)
      #expect(error.phase == .request)
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test("addresses of another family than the local one are not tried")
  func family() async throws {
    try await ScriptedServer.with(.handler { _ in .text("x") }) { server async throws in
      let resolver = FakeResolver()
      resolver.set([.loopbackIPv6(port: 0), .loopbackIPv4(port: 0)], for: "name.test")
      let client = client(resolver) { $0.socket.localAddress = "127.0.0.5" }
      let response = try await client.send(.get("http://name.test:\(server.port)/"))
      #expect(response.connection.failedPeers.isEmpty)
      let error = try #require(await client.failure(of: .get("http://[::1]:\(server.port)/")))
      #expect(error.code == .connectFailed)
      #expect(error.description.contains("127.0.0.5"))
    }
  }

  @Test("sockets are probed by TCP after the configured silence", arguments: [nil, Duration.seconds(7), .zero])
  func keepAlive(idle: Duration?) throws {
    let listener = try Socket.listen(on: .loopbackIPv4(port: 0))
    let address = try #require(try Socket.localAddress(listener.raw))
    let seconds = idle.map { Int($0.components.seconds) }
    let socket = try Socket.make(for: address, options: SocketOptions(keepAliveSeconds: seconds))
    func option(_ level: CInt, _ name: CInt) -> CInt {
      var value: CInt = -1
      var length = socklen_t(MemoryLayout<CInt>.size)
      getsockopt(socket.raw, level, name, &value, &length)
      return value
    }
    #expect(option(SOL_SOCKET, SO_KEEPALIVE) == (idle == nil ? 0 : 1))
    if idle != nil {
      let expected = CInt(max(1, seconds ?? 0))
      #expect(option(CInt(IPPROTO_TCP), TCP_KEEPIDLE) == expected)
      #expect(option(CInt(IPPROTO_TCP), TCP_KEEPINTVL) == expected)
    }
  }
}
