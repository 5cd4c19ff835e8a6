import Dispatch
import LinnetBytes
import LinnetIO
import Testing

@Suite struct ResolverTests {
  /// Answers from a table and counts the questions.
  private final class Table: Sendable {
    let questions = Lock<[String]>([])
    let gate: DispatchSemaphore?
    init(gate: DispatchSemaphore? = nil) { self.gate = gate }

    func resolver(
      clock: any MonotonicClock = SystemClock(), limits: ResolverCache.Limits = ResolverCache.Limits()
    ) -> SystemResolver {
      SystemResolver(limits: limits, pool: BlockingPool(maximumThreads: 4), clock: clock) { host in
        self.questions.withLock { $0.append(host) }
        self.gate?.wait()
        switch host {
        case "two.test": return .success([.loopbackIPv6(port: 0), .loopbackIPv4(port: 0)])
        case "busy.test": return .failure(ResolveError(host: host, reason: .temporary))
        default: return .failure(ResolveError(host: host, reason: .notFound))
        }
      }
    }
  }

  @Test(
    "Numbers and localhost are answered without asking",
    arguments: ["localhost", "LocalHost", "a.b.localhost", "localhost."])
  func localhost(host: String) async throws {
    let table = Table()
    let resolver = table.resolver()
    #expect(try await resolver.resolve(host: host, port: 8) == [.loopbackIPv6(port: 8), .loopbackIPv4(port: 8)])
    #expect(try await resolver.resolve(host: "::1", port: 8) == [.loopbackIPv6(port: 8)])
    #expect(try await resolver.resolve(host: "127.0.0.1", port: 8) == [.loopbackIPv4(port: 8)])
    #expect(table.questions.withLock { $0 } == [])
  }

  @Test("An answer is kept for its time, whatever the case and the port; then it is asked for again")
  func caching() async throws {
    let clock = ManualClock()
    let shard = IOShard(label: "test.resolver", clock: clock)
    let table = Table()
    let resolver = table.resolver(clock: clock)
    #expect(try await resolver.resolve(host: "two.test", port: 1) == [.loopbackIPv6(port: 1), .loopbackIPv4(port: 1)])
    #expect(try await resolver.resolve(host: "TWO.test", port: 2) == [.loopbackIPv6(port: 2), .loopbackIPv4(port: 2)])
    #expect(table.questions.withLock { $0.count } == 1)
    clock.advance(by: .seconds(30), shard)
    _ = try await resolver.resolve(host: "two.test", port: 1)
    #expect(table.questions.withLock { $0.count } == 2)
    resolver.addressesFailed(host: "two.test")
    _ = try await resolver.resolve(host: "two.test", port: 1)
    #expect(table.questions.withLock { $0.count } == 3)
    await shard.shutDown()
  }

  @Test("A name that does not exist is kept for a second, a temporary failure not at all")
  func failures() async throws {
    let table = Table()
    let resolver = table.resolver(clock: ManualClock())
    for _ in 0..<3 {
      await #expect(throws: ResolveError(host: "none.test", reason: .notFound)) {
        try await resolver.resolve(host: "none.test", port: 1)
      }
      await #expect(throws: ResolveError(host: "busy.test", reason: .temporary)) {
        try await resolver.resolve(host: "busy.test", port: 1)
      }
    }
    #expect(table.questions.withLock { $0 } == ["none.test", "busy.test", "busy.test", "busy.test"])
  }

  @Test("Questions for one name at the same time are asked once; one that is cancelled does not end the others")
  func coalescing() async throws {
    let gate = DispatchSemaphore(value: 0)
    let table = Table(gate: gate)
    let resolver = table.resolver()
    let tasks = (0..<10).map { _ in Task { try await resolver.resolve(host: "two.test", port: 1) } }
    while table.questions.withLock({ $0.isEmpty }) { await Task.yield() }
    tasks[0].cancel()
    await #expect(throws: ResolveError(host: "two.test", reason: .cancelled)) { try await tasks[0].value }
    gate.signal()
    for task in tasks.dropFirst() { #expect(try await task.value.count == 2) }
    #expect(table.questions.withLock { $0 } == ["two.test"])
  }

  @Test("A deadline ends the wait for a name server that hangs")
  func deadline() async throws {
    let gate = DispatchSemaphore(value: 0)
    let resolver = Table(gate: gate).resolver()
    let shard = ShardGroup.shared.next()
    await #expect(throws: ResolveError(host: "two.test", reason: .timedOut)) {
      try await resolver.resolve(
        host: "two.test", port: 1, deadline: shard.now.advanced(by: .milliseconds(5)), on: shard)
    }
    gate.signal()
  }

  @Test("The C library: a name in the hosts file is found, one of the invalid domain is not")
  func systemLookup() throws {
    #expect(try AddressLookup.addresses(of: "localhost").get().allSatisfy(\.isLoopback))
    #expect(throws: ResolveError.self) { try AddressLookup.addresses(of: "does-not-exist.invalid").get() }
    #expect(throws: ResolveError.self) { try AddressLookup.addresses(of: "").get() }
  }
}

@Suite struct ResolverCacheTests {
  private let start = Instant(nanoseconds: 5)

  @Test("The host whose use is the longest ago leaves a full cache")
  func eviction() {
    var limits = ResolverCache.Limits()
    limits.maximumHosts = 2
    var cache = ResolverCache(limits: limits)
    cache.store([.loopbackIPv4(port: 0)], for: "a", now: start)
    cache.store([.loopbackIPv4(port: 0)], for: "b", now: start)
    #expect(cache.addresses(of: "a", now: start) != nil)
    cache.store([.loopbackIPv4(port: 0)], for: "c", now: start)
    #expect(cache.addresses(of: "b", now: start) == nil)
    #expect(cache.addresses(of: "a", now: start) != nil)
    #expect(cache.count == 2)
  }

  @Test("Entries end at their time: 30 s, and 1 s for names that do not exist")
  func expiry() {
    var cache = ResolverCache()
    cache.store([.loopbackIPv4(port: 0)], for: "a", now: start)
    cache.store([], for: "none", now: start)
    #expect(cache.addresses(of: "none", now: start) == [])
    #expect(cache.addresses(of: "none", now: start.advanced(by: .seconds(1))) == nil)
    #expect(cache.addresses(of: "a", now: start.advanced(by: .nanoseconds(29_999_999_999))) != nil)
    #expect(cache.addresses(of: "a", now: start.advanced(by: .seconds(30))) == nil)
    #expect(cache.count == 0)
  }

  @Test("A cache without room or without time keeps nothing")
  func disabled() {
    var limits = ResolverCache.Limits()
    limits.maximumHosts = 0
    var cache = ResolverCache(limits: limits)
    cache.store([.loopbackIPv4(port: 0)], for: "a", now: start)
    limits.maximumHosts = 5
    limits.positive = .zero
    var timeless = ResolverCache(limits: limits)
    timeless.store([.loopbackIPv4(port: 0)], for: "a", now: start)
    #expect(cache.count == 0 && timeless.count == 0)
  }
}
