public import LinnetHTTPTypes

/// What one request wants otherwise than its client's configuration says. Everything is inherited unless set.
public struct HTTPRequestOptions: Sendable {
  /// The request's timeouts; a value set here wins over the client's, longer or shorter.
  public var timeouts = TimeoutOverrides()
  /// Whether an encoded body is decoded.
  public var decompression: Decompression?
  /// TLS settings of this request. It then uses connections made under exactly these.
  public var tls: TLSConfiguration?
  /// Where to connect instead of the URL's host.
  public var connectTarget: ConnectTarget?
  /// The cap of `collect` for this response.
  public var maximumCollectedBytes: Int?
  /// Whether `Expect: 100-continue` is sent and the body held back until the server agrees or the configured time is
  /// over. Default false.
  public var expectsContinue = false
  /// Names of default headers that are not sent with this request.
  public var omittedDefaultHeaders: [String] = []
  /// Called for each step of the exchange: connection, request head, interim responses. It runs in the task that called
  /// `send`, never on an I/O shard, and should return soon.
  public var onEvent: (@Sendable (ExchangeEvent) -> Void)?

  /// Everything inherited.
  public init() {}
}

/// A step of an exchange, for verbose output and tests.
public enum ExchangeEvent: Sendable {
  /// A connection was chosen.
  case connection(ConnectionInfo)
  /// The request's head was sent on it.
  case requestHead(RequestHead)
  /// A 1xx response other than 101 came (RFC 9110 §15.2).
  case interim(ResponseHead)
  /// The connection turned out to be stale and the request is sent again on another.
  case resent(reason: String)
}
