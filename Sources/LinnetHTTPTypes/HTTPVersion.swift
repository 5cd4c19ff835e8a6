/// The version of a message (RFC 9110 §2.5).
public enum HTTPVersion: Sendable, Hashable, Comparable {
  /// HTTP/1.0 (RFC 1945): one exchange for each connection unless agreed otherwise, no chunked bodies.
  case http1_0
  /// HTTP/1.1 (RFC 9112).
  case http1_1
  /// HTTP/2 (RFC 9113).
  case http2
}

extension HTTPVersion: CustomStringConvertible {
  /// `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`.
  public var description: String {
    switch self {
    case .http1_0: "HTTP/1.0"
    case .http1_1: "HTTP/1.1"
    case .http2: "HTTP/2"
    }
  }
}
