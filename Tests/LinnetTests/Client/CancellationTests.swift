import Dispatch
import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Cancellation of typed calls")
struct CancellationTests {
  /// A client whose requests are answered when the gate opens.
  private static func withHeld<R>(
    _ body: (DefaultNetworkClient, ScriptedServer, Gate) async throws -> R
  ) async throws -> R {
    let gate = Gate()
    return try await ClientFixture.with(.handler { _ in ServerResponse.item.waiting(for: gate) }) { fixture in
      defer { gate.open() }
      return try await body(fixture.client, fixture.server, gate)
    }
  }

  @Test("Cancelling the calling task ends the call with cancelled and leaves nothing registered")
  func task() async throws {
    try await Self.withHeld { client, server, _ in
      let call = Task { await failure { () throws(NetworkError) in try await client.request(GetItem()) } }
      try await server.waitForRequests(1)
      call.cancel()
      #expect(await call.value.isCancelled)
      #expect(client.registry.count == 0)
    }
  }

  @Test("A task that is cancelled before it starts sends nothing")
  func cancelledBefore() async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock)
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    }
    #expect(await call.value.isCancelled)
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("cancelAll ends every call and nothing later")
  func all() async throws {
    try await Self.withHeld { client, server, gate in
      async let first = failure { () throws(NetworkError) in try await client.request(GetItem()) }
      async let second = failure { () throws(NetworkError) in try await client.request(GetItem(), tag: "x") }
      try await server.waitForRequests(2)
      await client.cancelAll()
      #expect(await first.isCancelled)
      #expect(await second.isCancelled)
      await client.cancelAll()
      gate.open()
      #expect(try await client.request(GetItem()) == Item())
    }
  }

  @Test("cancelAll(matching:) ends the calls of one tag only")
  func tag() async throws {
    try await Self.withHeld { client, server, gate in
      async let feed = failure { () throws(NetworkError) in try await client.request(GetItem(), tag: "feed") }
      async let other = client.request(GetItem(), tag: "other")
      async let untagged = client.request(GetItem())
      try await server.waitForRequests(3)
      await client.cancelAll(matching: "feed")
      #expect(await feed.isCancelled)
      gate.open()
      #expect(try await other == Item())
      #expect(try await untagged == Item())
    }
  }

  @Test("shutdown ends calls under way and refuses later ones")
  func shutdown() async throws {
    try await Self.withHeld { client, server, _ in
      async let running = failure { () throws(NetworkError) in try await client.request(GetItem()) }
      try await server.waitForRequests(1)
      await client.shutdown()
      #expect(await running.isCancelled)
      #expect(await (failure { () throws(NetworkError) in try await client.request(GetItem()) }).isCancelled)
      #expect(await (failure { () throws(NetworkError) in try await client.upload(UploadForm()) }).isCancelled)
      #expect(server.snapshot.requestCount == 1)
    }
  }

  @Test("Cancellation during an interceptor is cancelled, whatever the interceptor throws")
  func interceptor() async throws {
    struct Own: Error {}
    let entered = Gate()
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock)
    let endpoint = HookedEndpoint(requestInterceptors: [
      RequestChange { _ in
        entered.open()
        do { try await Task.sleep(for: .seconds(60)) } catch { throw Own() }
      }
    ])
    let call = Task { await failure { () throws(NetworkError) in try await client.request(endpoint) } }
    try await entered.opened()
    call.cancel()
    #expect(await call.value.isCancelled)
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("Many calls, cancelled at any moment, all end, and each with its value or with cancelled")
  func storm() async throws {
    try await ClientFixture.with(.handler { _ in .item }) { fixture in
      let client = fixture.client
      await withTaskGroup(of: NetworkError?.self) { group in
        for number in 0..<400 {
          let tag: CancellationTag = number.isMultiple(of: 2) ? "even" : "odd"
          group.addTask { await failure { () throws(NetworkError) in try await client.request(GetItem(), tag: tag) } }
          if number % 40 == 20 { await client.cancelAll(matching: "even") }
          if number % 100 == 99 { await client.cancelAll() }
        }
        for await error in group { #expect(error == nil || error.isCancelled) }
      }
      #expect(client.registry.count == 0)
      let later = try await client.request(GetItem())
      #expect(later == Item())
    }
  }

  @Test("A client that is dropped with calls of the closure form under way ends each of them once")
  func dropped() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.handler { _ in ServerResponse.item.waiting(for: gate) })
    defer {
      gate.open()
      server.stop()
    }
    let outcomes = EventRecorder<NetworkError?>()
    var client: DefaultNetworkClient? = DefaultNetworkClient(configuration: .local(.test(server.url("/api"))))
    for _ in 0..<5 {
      client?.request(GetItem()) { result in
        if case .failure(let error) = result { outcomes.record(error) } else { outcomes.record(nil) }
      }
    }
    try await server.waitForRequests(5)
    client = nil
    let seen = try await outcomes.waitForCount(5)
    #expect(seen.allSatisfy { $0.isCancelled })
  }
}
