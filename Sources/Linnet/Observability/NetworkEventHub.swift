package import FoundationEssentials
internal import LinnetBytes
internal import LinnetPolicies

/// Brings the events of a client's requests to its observers.
package final class NetworkEventHub: Sendable {
  private let observers: [EventObserverQueue]

  package init(observers: [any NetworkEventObserving], policy: EventDeliveryPolicy = .default) {
    self.observers = observers.map { EventObserverQueue($0, policy: policy) }
  }

  /// The events of a call. Costs nothing when nobody observes.
  package func events(of requestID: UUID) -> RequestEvents {
    observers.isEmpty ? .none : RequestEvents(requestID: requestID, hub: self)
  }

  /// Hands an event to every observer's queue; returns at once.
  package func publish(_ event: NetworkEvent) {
    for observer in observers { observer.eventHappened(event) }
  }

  /// Waits until every event that was published before was handled.
  package func drained() async {
    for observer in observers { await observer.drained() }
  }
}

/// The events that wait for one observer, and the task that brings them; there is none while nothing waits.
final class EventObserverQueue: Sendable {
  private struct State {
    var queue: EventDeliveryQueue<UUID, NetworkEvent>
    var isDelivering = false
    var drained: [CheckedContinuation<Void, Never>] = []
  }

  private let observer: any NetworkEventObserving
  private let state: Lock<State>

  init(_ observer: any NetworkEventObserving, policy: EventDeliveryPolicy) {
    self.observer = observer
    state = Lock(State(queue: EventDeliveryQueue(limits: EventDeliveryQueue.Limits(policy))))
  }

  func eventHappened(_ event: NetworkEvent) {
    let mustStart = state.withLock { state in
      state.queue.eventHappened(event, in: event.requestID, isFinal: event.isTerminal)
      guard !state.isDelivering, !state.queue.isEmpty else { return false }
      state.isDelivering = true
      return true
    }
    // Detached: what the observer does is not part of the request that happened to wake it.
    if mustStart { Task.detached { await self.deliver() } }
  }

  func drained() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isDelivering { state.drained.append(continuation) }
        return !state.isDelivering
      }
      if isIdle { continuation.resume() }
    }
    state.confirmHandOver()
  }

  private func deliver() async {
    while let event = next() { await observer.handle(event) }
  }

  private func next() -> NetworkEvent? {
    let (event, waiting) = state.withLock { state -> (NetworkEvent?, [CheckedContinuation<Void, Never>]) in
      if let event = state.queue.takeNext() { return (event, []) }
      state.isDelivering = false
      defer { state.drained = [] }
      return (nil, state.drained)
    }
    for continuation in waiting { continuation.resume() }
    return event
  }
}

extension EventDeliveryQueue.Limits {
  init(_ policy: EventDeliveryPolicy) {
    self.init(
      maximumPerPartition: policy.maxBufferedEventsPerPartition, maximum: policy.maxBufferedEventsPerConsumer,
      dropsOldest: policy.overflowPolicy == .dropOldest)
  }
}
