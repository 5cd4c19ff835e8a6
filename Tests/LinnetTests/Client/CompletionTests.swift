import Dispatch
import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Completion closures, sequences and activity indicators")
struct CompletionTests {
  @Test("A completion is called once with the value")
  func value() async throws {
    let client = DefaultNetworkClient.mocked(MockTransport.item)
    let outcomes = EventRecorder<Item?>()
    client.request(GetItem()) { outcomes.record(try? $0.get()) }
    #expect(try await outcomes.waitForCount(1) == [Item()])
  }

  @Test("A completion is called once with the error")
  func error() async throws {
    let mock = MockTransport()
    mock.mockResponse = .text("no", statusCode: 500)
    let client = DefaultNetworkClient.mocked(mock)
    let outcomes = EventRecorder<Int?>()
    client.request(GetItem()) { result in
      if case .failure(.statusCode(let response)) = result { outcomes.record(response.statusCode) }
    }
    #expect(try await outcomes.waitForCount(1) == [500])
  }

  @Test("A cancelled request calls its completion once with cancelled, however often it is cancelled")
  func cancelled() async throws {
    let mock = MockTransport()
    mock.mockResponse = .never
    let client = DefaultNetworkClient.mocked(mock)
    let outcomes = EventRecorder<NetworkError?>()
    let handle = client.request(GetItem()) { result in
      if case .failure(let error) = result { outcomes.record(error) } else { outcomes.record(nil) }
    }
    try await mock.waitForRequests(1)
    handle.cancel()
    handle.cancel()
    let seen = try await outcomes.waitForCount(1)
    #expect(seen.allSatisfy { $0.isCancelled })
    handle.cancel()
    await client.cancelAll()
    #expect(outcomes.events.count == 1)
  }

  @Test("A request on a client that was shut down calls its completion with cancelled")
  func afterShutdown() async throws {
    let client = DefaultNetworkClient.mocked(MockTransport.item)
    await client.shutdown()
    let outcomes = EventRecorder<NetworkError?>()
    client.upload(UploadForm()) { result in
      if case .failure(let error) = result { outcomes.record(error) } else { outcomes.record(nil) }
    }
    #expect(try await outcomes.waitForCount(1).allSatisfy { $0.isCancelled })
  }

  @Test("A completion is called on the queue that was named")
  func queue() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "test")
    queue.setSpecific(key: key, value: "mine")
    let outcomes = EventRecorder<String?>()
    let client = DefaultNetworkClient.mocked(MockTransport.item)
    client.request(GetItem(), queue: queue) { _ in outcomes.record(DispatchQueue.getSpecific(key: key)) }
    #expect(try await outcomes.waitForCount(1) == ["mine"])
  }

  @Test("A request with a completion may be started under a lock that an interceptor takes")
  func startedUnderLock() async throws {
    let held = Lock(0)
    let outcomes = EventRecorder<Item?>()
    let client = DefaultNetworkClient.mocked(MockTransport.item) {
      .advanced(
        baseURL: $0, auth: AuthPack(additionalRequestInterceptors: [RequestChange { _ in held.withLock { $0 += 1 } }]))
    }
    held.withLock { _ in _ = client.request(GetItem()) { outcomes.record(try? $0.get()) } }
    #expect(try await outcomes.waitForCount(1) == [Item()])
    #expect(held.withLock { $0 } == 1)
  }

  @Test("A sequence performs the request when it is iterated, yields once, and again for each iteration")
  func sequence() async throws {
    let mock = MockTransport.item
    let sequence = DefaultNetworkClient.mocked(mock).responses(for: GetItem())
    #expect(mock.capturedRequestsInOrder.isEmpty)
    for _ in 0..<2 {
      var items: [Item] = []
      for try await item in sequence { items.append(item) }
      #expect(items == [Item()])
    }
    #expect(mock.capturedRequestsInOrder.count == 2)
  }

  @Test("A sequence throws the error of the call, as a NetworkError, and ends")
  func sequenceError() async throws {
    let mock = MockTransport()
    mock.mockResponse = .text("no", statusCode: 500)
    var iterator = DefaultNetworkClient.mocked(mock).responses(for: GetItem()).makeAsyncIterator()
    do throws(NetworkError) {
      _ = try await iterator.next()
      Issue.record("no error")
    } catch {
      #expect(error.response?.statusCode == 500)
    }
    #expect(try await iterator.next() == nil)
  }

  private struct Indicator: RequestActivityIndicator {
    let calls = Lock<[String]>([])
    func start() { calls.withLock { $0.append("start") } }
    func stop() { calls.withLock { $0.append("stop") } }
  }

  @Test("An activity indicator is started and stopped once for each call, also when it fails, retries or is cancelled")
  func indicator() async throws {
    let indicator = Indicator()
    let mock = MockTransport()
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0, resilience: ResiliencePack(retry: ExponentialBackoffRetryPolicy(maxRetries: 2, retryDelay: 0))
      ).activityIndicator(indicator)
    }
    mock.setScriptedResponses([
      .text("", statusCode: 503), .text(#"{"id":1,"name":"a"}"#), .text("", statusCode: 404), .never,
    ])
    _ = try await client.request(GetItem())
    #expect(mock.capturedRequestsInOrder.count == 2)
    #expect(indicator.calls.withLock { $0 } == ["start", "stop"])
    _ = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    let call = Task { await failure { () throws(NetworkError) in try await client.request(GetItem()) } }
    try await mock.waitForRequests(4)
    await client.cancelAll()
    #expect(await call.value.isCancelled)
    #expect(indicator.calls.withLock { $0 } == ["start", "stop", "start", "stop", "start", "stop"])
  }
}
