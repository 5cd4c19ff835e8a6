/// How many events wait for an observer that is slower than the client, and what happens with more.
///
/// The end of a request, ``NetworkEvent/requestFinished(requestID:statusCode:byteCount:)`` or
/// ``NetworkEvent/requestFailed(requestID:errorCode:message:)``, is never dropped, whatever the policy; if nothing else is
/// left to drop, more than the limit waits.
public struct EventDeliveryPolicy: Sendable, Hashable {
  /// How many events of one request wait.
  public let maxBufferedEventsPerPartition: Int
  /// How many events wait for one observer.
  public let maxBufferedEventsPerConsumer: Int
  /// What is dropped beyond a limit.
  public let overflowPolicy: EventPipelineOverflowPolicy

  /// A policy. Numbers below 1 count as 1.
  ///
  /// - Parameters:
  ///   - maxBufferedEventsPerPartition: How many events of one request wait. Default 256.
  ///   - maxBufferedEventsPerConsumer: How many events wait for one observer. Default 256.
  ///   - overflowPolicy: What is dropped beyond a limit. Default the oldest.
  public init(
    maxBufferedEventsPerPartition: Int = 256, maxBufferedEventsPerConsumer: Int = 256,
    overflowPolicy: EventPipelineOverflowPolicy = .dropOldest
  ) {
    self.maxBufferedEventsPerPartition = max(1, maxBufferedEventsPerPartition)
    self.maxBufferedEventsPerConsumer = max(1, maxBufferedEventsPerConsumer)
    self.overflowPolicy = overflowPolicy
  }

  /// 256 events of one request, 256 for one observer, the oldest are dropped.
  public static var `default`: EventDeliveryPolicy { EventDeliveryPolicy() }
}

/// What is dropped when more events wait for an observer than the ``EventDeliveryPolicy`` allows.
public enum EventPipelineOverflowPolicy: Sendable, Hashable, CaseIterable {
  /// The event that waits longest.
  case dropOldest
  /// The event that just happened.
  case dropNewest
}
