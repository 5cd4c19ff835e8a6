/// How long answers of the name service are kept.
///
/// The system does not tell how long an answer is good for, so the times are fixed and short. Clients with the defaults
/// share one cache; one with other times has its own. Addresses that could not be reached are forgotten at once. An open
/// connection stays with its address: ``PoolConfiguration/maximumAge`` makes clients follow a change.
public struct DNSCacheConfiguration: Sendable, Hashable {
  /// How long addresses are kept. Default 30 s, as Java's; zero asks for each new connection.
  public var lifetime: Duration = .seconds(30)
  /// How long it is kept that a name does not exist. Default 1 s: a name that was just made must be found soon. Zero keeps
  /// nothing. Failures of the name service itself are never kept.
  public var negativeLifetime: Duration = .seconds(1)

  /// The defaults named at each property.
  public init() {}
}
