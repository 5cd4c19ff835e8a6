/// How many connections the client keeps, and for how long.
public struct PoolConfiguration: Sendable, Hashable {
  /// The most connections to one origin at a time; further requests wait in line. Default 64: enough for any burst a
  /// tool makes, few enough to be polite to a server (browsers take 6, Go has no limit).
  public var maximumConnectionsPerOrigin = 64
  /// The most HTTP/2 connections to one origin that take requests at a time, within the limit above. A second one is made
  /// only when the server allows no further stream on the first; beyond the limit, requests wait in line. Default 8.
  public var maximumHTTP2ConnectionsPerOrigin = 8
  /// Exceptions from ``maximumConnectionsPerOrigin``, by `host` or `host:port`.
  public var maximumConnectionsByHost: [String: Int] = [:]
  /// The most idle connections that are kept to one origin. Default 64.
  public var maximumIdleConnectionsPerOrigin = 64
  /// How long an idle connection is kept. Default 90 s, as Go's. Servers often close after 60 to 75 s of their own.
  public var idleTimeout: Duration = .seconds(90)
  /// The age after which a connection is not used for another request, so that changes of DNS and certificates take
  /// effect. Default: no limit.
  public var maximumAge: Duration?
  /// The most requests that wait in line for a connection that others use; one more fails with `poolQueueFull`. Zero:
  /// a request gets an idle or a new connection, or fails. Default 65,536.
  public var maximumWaitingRequests = 65_536
  /// The most connections to one origin that are being made at a time. Default 64.
  public var maximumConcurrentDials = 64

  /// The defaults named at each property.
  public init() {}
}
