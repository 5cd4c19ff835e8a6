/// How long the phases of a request may take. `nil` means no limit.
///
/// Each phase has a limit of its own, because a limit on the whole kills large downloads that move well, and a limit on
/// silence alone lets a slow drip run for ever. A request can override each of them in both directions with
/// ``TimeoutOverrides``; the request's value always wins.
public struct TimeoutConfiguration: Sendable, Hashable {
  /// Resolving the name, connecting, and the TLS handshake together. Default 30 s, as Go's dialer.
  public var connect: Duration?
  /// Waiting for a free connection when the pool's limit is reached. Default 60 s.
  public var connectionWait: Duration?
  /// From the last byte of the request to the end of the response's head. Default 60 s, as URLSession's.
  public var responseHead: Duration?
  /// The longest silence while bytes are due: a peer that takes no request bytes, or sends no body bytes. Time in which
  /// the application itself does not read or write does not count. Default 60 s.
  public var idle: Duration?
  /// The whole request, from `send` to the last byte of the body. Default: no limit.
  public var total: Duration?

  /// The defaults named at each property.
  public init(
    connect: Duration? = .seconds(30), connectionWait: Duration? = .seconds(60), responseHead: Duration? = .seconds(60),
    idle: Duration? = .seconds(60), total: Duration? = nil
  ) {
    self.connect = connect
    self.connectionWait = connectionWait
    self.responseHead = responseHead
    self.idle = idle
    self.total = total
  }
}

/// The timeouts of one request: each is inherited from the client unless set.
public struct TimeoutOverrides: Sendable, Hashable {
  /// One timeout of a request.
  public enum Value: Sendable, Hashable {
    /// The client's value.
    case inherited
    /// No limit, whatever the client says.
    case unlimited
    /// This limit, whether it is longer or shorter than the client's.
    case after(Duration)

    func resolved(_ inherited: Duration?) -> Duration? {
      switch self {
      case .inherited: inherited
      case .unlimited: nil
      case .after(let duration): duration
      }
    }
  }

  /// See ``TimeoutConfiguration/connect``.
  public var connect: Value = .inherited
  /// See ``TimeoutConfiguration/connectionWait``.
  public var connectionWait: Value = .inherited
  /// See ``TimeoutConfiguration/responseHead``.
  public var responseHead: Value = .inherited
  /// See ``TimeoutConfiguration/idle``.
  public var idle: Value = .inherited
  /// See ``TimeoutConfiguration/total``.
  public var total: Value = .inherited

  /// Everything inherited.
  public init() {}

  func resolved(_ base: TimeoutConfiguration) -> TimeoutConfiguration {
    TimeoutConfiguration(
      connect: connect.resolved(base.connect), connectionWait: connectionWait.resolved(base.connectionWait),
      responseHead: responseHead.resolved(base.responseHead), idle: idle.resolved(base.idle),
      total: total.resolved(base.total))
  }
}
