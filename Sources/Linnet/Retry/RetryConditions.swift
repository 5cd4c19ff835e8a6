internal import LinnetHTTP

/// The failures that a retry policy repeats.
///
/// ```swift
/// let policy = ExponentialBackoffRetryPolicy(conditions: [.timeout, .serverError])
/// ```
public struct RetryConditions: OptionSet, Sendable, Hashable {
  /// One bit for each condition.
  public let rawValue: UInt

  /// A set of bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A time limit of the client passed.
  public static var timeout: RetryConditions { RetryConditions(rawValue: 1 << 0) }
  /// The connection was lost while the request was under way.
  public static var connectionLost: RetryConditions { RetryConditions(rawValue: 1 << 1) }
  /// There is no network, the connection was refused, or the transport failed in another way that may pass.
  public static var networkFailure: RetryConditions { RetryConditions(rawValue: 1 << 2) }
  /// A status from 500 to 599.
  public static var serverError: RetryConditions { RetryConditions(rawValue: 1 << 3) }
  /// The status 429.
  public static var rateLimited: RetryConditions { RetryConditions(rawValue: 1 << 4) }
  /// The host name could not be resolved, for now or for good.
  public static var dnsFailure: RetryConditions { RetryConditions(rawValue: 1 << 5) }
  /// The status 408: the server gave up waiting for the request.
  public static var requestTimeout: RetryConditions { RetryConditions(rawValue: 1 << 6) }
  /// The status 425: the server does not want to process early data (RFC 8470 §5.2).
  public static var tooEarly: RetryConditions { RetryConditions(rawValue: 1 << 7) }

  /// Every condition: the default.
  public static var all: RetryConditions {
    [.timeout, .connectionLost, .networkFailure, .serverError, .rateLimited, .dnsFailure, .requestTimeout, .tooEarly]
  }
  /// Failures of connections and servers only: time-outs, lost connections, network failures and 5xx. What clients that
  /// come from SmartNet have by default.
  public static var transient: RetryConditions { [.timeout, .connectionLost, .networkFailure, .serverError] }
  /// No condition: nothing is repeated.
  public static var none: RetryConditions { [] }

  /// The condition that a status fulfils, if any.
  public static func condition(forStatus status: Int) -> RetryConditions? {
    switch status {
    case 408: .requestTimeout
    case 425: .tooEarly
    case 429: .rateLimited
    case 500...599: .serverError
    default: nil
    }
  }

  /// The condition that an error fulfils; nil for errors that are never repeated: cancelled, wrongly configured,
  /// undecodable, untrusted, statuses of other kinds, and what an interceptor or the request itself did wrong.
  public static func condition(for error: NetworkError) -> RetryConditions? {
    switch error {
    case .configuration, .decoding, .trustEvaluationFailed, .cancelled: nil
    case .statusCode(let response): condition(forStatus: response.statusCode)
    case .timeout: .timeout
    case .reachability(.networkConnectionLost, _, _): .connectionLost
    case .reachability(.dnsLookupFailed, _, _), .reachability(.cannotFindHost, _, _): .dnsFailure
    case .reachability(.notConnectedToInternet, _, _), .reachability(.connectionRefused, _, _): .networkFailure
    case .underlying(let underlying, _): underlying.transport.flatMap(condition(for:))
    }
  }

  /// Other transport errors: those of the network, not those that the request or a limit of ours will cause again.
  private static func condition(for error: TransportError) -> RetryConditions? {
    switch error.phase {
    case .request, .decode: nil
    case .pool, .resolve, .connect, .proxy, .tls, .send, .head, .body:
      neverPasses.contains(error.code) ? nil : .networkFailure
    }
  }

  private static let neverPasses: Set<TransportError.Code> = [
    .responseHeadTooLarge, .cancelled, .clientShutDown, .requestBodyFailed, .bodyNotReplayable, .http2NotNegotiated,
    .proxyAuthenticationRequired, .tooManyRedirects, .redirectLoop, .redirectRefused, .invalidRedirect,
  ]

  /// Whether the error fulfils one of the conditions.
  public func contains(_ error: NetworkError) -> Bool { Self.condition(for: error).map { contains($0) } ?? false }
}
