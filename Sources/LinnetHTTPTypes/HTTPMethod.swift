internal import LinnetBytes

/// A request method: a case-sensitive token (RFC 9110 §9.1).
///
/// Methods are compared and sent exactly as written: `get` is not `GET`. The rules that depend on the method (retry,
/// redirect, caching) ask ``isSafe``, ``isIdempotent`` and ``allowsBody`` and never look at the spelling.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  /// The method as it stands in the request line.
  public let rawValue: String

  /// Makes a method from any token of RFC 9110 §5.6.2.
  ///
  /// - Returns: nil when `rawValue` is empty or has a byte that is not a token character (space, control, separator or
  ///   non-ASCII). Such a method could smuggle a second request line.
  public init?(rawValue: String) {
    guard !rawValue.isEmpty, rawValue.utf8.allSatisfy(ASCII.isToken) else { return nil }
    self.rawValue = rawValue
  }

  private init(known rawValue: String) { self.rawValue = rawValue }

  /// Transfers a representation of the target (RFC 9110 §9.3.1).
  public static var get: HTTPMethod { HTTPMethod(known: "GET") }
  /// Like ``get`` without the content (RFC 9110 §9.3.2).
  public static var head: HTTPMethod { HTTPMethod(known: "HEAD") }
  /// Lets the target process the content (RFC 9110 §9.3.3).
  public static var post: HTTPMethod { HTTPMethod(known: "POST") }
  /// Replaces the target's representation (RFC 9110 §9.3.4).
  public static var put: HTTPMethod { HTTPMethod(known: "PUT") }
  /// Applies a partial change (RFC 5789).
  public static var patch: HTTPMethod { HTTPMethod(known: "PATCH") }
  /// Removes the target's representations (RFC 9110 §9.3.5).
  public static var delete: HTTPMethod { HTTPMethod(known: "DELETE") }
  /// Makes a proxy open a tunnel (RFC 9110 §9.3.6).
  public static var connect: HTTPMethod { HTTPMethod(known: "CONNECT") }
  /// Asks for the communication options of the target (RFC 9110 §9.3.7).
  public static var options: HTTPMethod { HTTPMethod(known: "OPTIONS") }
  /// Asks for a loop-back of the request (RFC 9110 §9.3.8).
  public static var trace: HTTPMethod { HTTPMethod(known: "TRACE") }

  /// Whether the method is read-only by definition (RFC 9110 §9.2.1): GET, HEAD, OPTIONS and TRACE. An unknown method
  /// is not.
  public var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// Whether sending the request twice means the same as once (RFC 9110 §9.2.2): the safe methods, PUT and DELETE. An
  /// unknown method is not.
  public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

  /// Whether a request with this method may have a body. False for GET, HEAD and TRACE: content there has no defined
  /// meaning, and some servers take it for the next request (RFC 9110 §9.3.1, §9.3.8). A CONNECT has no content
  /// either (§9.3.6).
  public var allowsBody: Bool {
    switch self {
    case .get, .head, .trace, .connect: false
    default: true
    }
  }

  /// Whether parameters go into the query by default: GET and HEAD only.
  public var prefersQueryParameters: Bool { self == .get || self == .head }
}

extension HTTPMethod: CustomStringConvertible {
  /// The method as it is sent.
  public var description: String { rawValue }
}
