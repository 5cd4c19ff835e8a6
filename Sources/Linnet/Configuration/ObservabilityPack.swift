/// Who is told what the client does.
///
/// Metrics of the event pipeline and of exchanges, and a monitor of the network, are not settings yet; they come with the
/// network monitor. Until then a `Response` has its timings and its connection.
public struct ObservabilityPack: Sendable {
  /// Observers of every request's events; they are appended to the configuration's, which start empty.
  public let eventObservers: [any NetworkEventObserving]
  /// How many events wait for an observer that is slower than the client. Default 512 of one request and 512 for one
  /// observer, the oldest are dropped.
  public let eventDeliveryPolicy: EventDeliveryPolicy?

  /// A pack of the given settings.
  public init(
    eventObservers: [any NetworkEventObserving] = [], eventDeliveryPolicy: EventDeliveryPolicy? = nil
  ) {
    self.eventObservers = eventObservers
    self.eventDeliveryPolicy = eventDeliveryPolicy
  }

  func apply(to settings: inout NetworkSettings) {
    settings.eventObservers += eventObservers
    if let eventDeliveryPolicy { settings.eventDelivery = eventDeliveryPolicy }
  }
}
