import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite struct NetworkEventHubTests {
  /// Handles nothing until its gate opens.
  private struct SlowObserver: NetworkEventObserving {
    let gate = Gate()
    let events = EventRecorder<NetworkEvent>()

    func handle(_ event: NetworkEvent) async {
      do { try await gate.opened() } catch {}
      events.record(event)
    }
  }

  private let request = HTTPRequest.get("https://user:secret@a.test/items?token=abc#part")

  @Test("a call's events come in order, redacted and with its id")
  func order() async throws {
    let observer = RecordingObserver()
    let hub = NetworkEventHub(observers: [observer])
    let id = UUID()
    let events = hub.events(of: id)
    let url = "https://a.test/items?token=<redacted>"
    events.started(request, retryIndex: 0)
    events.adapted(request, retryIndex: 0)
    events.responseReceived(try .made(200, "abc"))
    events.finished(try .made(200, "abc"))
    await hub.drained()
    #expect(
      observer.events.events == [
        .requestStart(requestID: id, method: "GET", url: url, retryIndex: 0),
        .requestAdapted(requestID: id, method: "GET", url: url, retryIndex: 0),
        .responseReceived(requestID: id, statusCode: 200, byteCount: 3),
        .requestFinished(requestID: id, statusCode: 200, byteCount: 3),
      ])
  }

  @Test("a call ends once; afterwards only revalidations are told")
  func terminal() async throws {
    let observer = RecordingObserver()
    let hub = NetworkEventHub(observers: [observer])
    let id = UUID()
    let events = hub.events(of: id)
    let error = NetworkError.statusCode(try .made(503))
    events.failed(error)
    events.failed(.cancelled)
    events.finished(try .made(200))
    events.responseReceived(try .made(200))
    events.revalidation(.notModified)
    await hub.drained()
    #expect(
      observer.events.events == [
        .requestFailed(requestID: id, errorCode: error.errorCode, message: "http.status.503"),
        .cacheRevalidation(originalID: id, state: .notModified),
      ])
  }

  @Test("a slow observer delays neither requests nor other observers")
  func slow() async throws {
    let slow = SlowObserver()
    let quick = RecordingObserver()
    let hub = NetworkEventHub(observers: [slow, quick])
    for _ in 0..<10 { hub.events(of: UUID()).failed(.cancelled) }
    try await quick.events.waitForCount(10)
    #expect(slow.events.events.isEmpty)
    slow.gate.open()
    await hub.drained()
    #expect(slow.events.events == quick.events.events)
  }

  @Test(
    "what waits for a slow observer is bounded, and ends are never dropped",
    arguments: EventPipelineOverflowPolicy.allCases)
  func bounded(overflow: EventPipelineOverflowPolicy) async throws {
    let slow = SlowObserver()
    let policy = EventDeliveryPolicy(maxBufferedEventsPerConsumer: 8, overflowPolicy: overflow)
    let hub = NetworkEventHub(observers: [slow], policy: policy)
    let ids = (0..<20).map { _ in UUID() }
    for id in ids {
      let events = hub.events(of: id)
      for index in 0..<5 { events.started(request, retryIndex: index) }
      events.failed(.cancelled)
    }
    slow.gate.open()
    await hub.drained()
    let ends = slow.events.events.filter(\.isTerminal).map(\.requestID)
    #expect(ends == ids)
    // At most one was being handled, and the ends of all calls are more than the limit.
    #expect(slow.events.events.count <= ids.count + 1)
  }

  @Test("many calls at once: each one's events are in order for every observer")
  func concurrent() async throws {
    let observers = [RecordingObserver(), RecordingObserver()]
    let hub = NetworkEventHub(observers: observers, policy: EventDeliveryPolicy(maxBufferedEventsPerConsumer: 10_000))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          let events = hub.events(of: UUID())
          for index in 0..<10 { events.started(.get("https://a.test/"), retryIndex: index) }
          events.failed(.cancelled)
        }
      }
    }
    await hub.drained()
    for observer in observers {
      let calls = Dictionary(grouping: observer.events.events, by: \.requestID)
      #expect(calls.count == 50)
      for events in calls.values {
        let indices = events.compactMap { event in
          if case .requestStart(_, _, _, let index) = event { index } else { nil }
        }
        #expect(indices == Array(0..<10))
        #expect(events.last?.isTerminal == true && events.count == 11)
      }
    }
  }

  @Test("without observers nothing is done")
  func unobserved() async throws {
    let hub = NetworkEventHub(observers: [])
    hub.events(of: UUID()).failed(.cancelled)
    await hub.drained()
  }

  @Test("limits below one count as one")
  func limits() {
    let policy = EventDeliveryPolicy(maxBufferedEventsPerPartition: 0, maxBufferedEventsPerConsumer: -5)
    #expect(policy.maxBufferedEventsPerPartition == 1 && policy.maxBufferedEventsPerConsumer == 1)
    #expect(EventDeliveryPolicy.default == EventDeliveryPolicy(maxBufferedEventsPerPartition: 256))
  }
}
