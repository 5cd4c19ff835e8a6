/// The stable number of each kind of ``NetworkError``, for logs, dashboards and other languages. Numbers are never
/// reused; 2001 stays free.
public enum NetworkErrorCode: Int, Sendable, Hashable, CaseIterable {
  /// The base URL cannot be used.
  case configurationInvalidBaseURL = 1001
  /// The request contradicts itself or its policies.
  case configurationInvalidRequest = 1002
  /// There is no network, and a policy asks for one.
  case configurationOffline = 1003
  /// A response could not be decoded.
  case decoding = 2002
  /// A line or event of a stream is longer than its limit.
  case streamFrameTooLarge = 2003
  /// The status is not one that the endpoint accepts.
  case statusCode = 3001
  /// The answer is not HTTP.
  case nonHTTPResponse = 3002
  /// Any failure without a number of its own.
  case underlying = 4001
  /// The server could not be reached, or the connection was lost.
  case reachability = 4002
  /// The body exceeds its limit, as sent or after decompression.
  case responseBodyLimitExceeded = 4003
  /// The call was cancelled.
  case cancelled = 4004
  /// A time limit passed.
  case timeout = 4005
  /// The server is not trusted.
  case trustEvaluationFailed = 5001
}

/// The rough kind of a ``NetworkError``, for counting.
public enum NetworkErrorCategory: String, Sendable, Hashable, CaseIterable {
  /// The request or the client is set up wrongly.
  case configuration
  /// The server answered with a status that is not accepted.
  case statusCode
  /// The response could not be decoded.
  case decoding
  /// The transport, an interceptor, a policy or a signer failed.
  case transport
  /// The server could not be reached.
  case reachability
  /// The server is not trusted.
  case trust
  /// A time limit passed.
  case timeout
  /// The call was cancelled.
  case cancellation
}
