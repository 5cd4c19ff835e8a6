internal import LinnetBytes

/// Marks a field that has one value: see ``HTTPHeaderName``.
public enum SingleValueHeader: Sendable {}

/// Marks a field that may stand several times, each with a value of its own: see ``HTTPHeaderName``.
public enum RepeatableHeader: Sendable {}

/// A typed key for ``HTTPHeaders``.
///
/// `Variant` is ``SingleValueHeader`` or ``RepeatableHeader`` and decides what one can do: a single key has a subscript
/// whose setter replaces, a repeatable key has `append` and `values(for:)`. Asking for *the* `Set-Cookie` is a compile
/// error.
///
/// ```swift
/// headers[.contentType] = "application/json"
/// headers.append("a=1", for: .setCookie)
/// let tenant = HTTPHeaderName<SingleValueHeader>("X-Tenant")
/// headers[tenant] = "blue"
/// ```
public struct HTTPHeaderName<Variant>: Sendable {
  /// The name in the spelling in which it is sent.
  public let rawName: String
  /// The name in lower case, as HTTP/2 sends it.
  public let canonicalName: String

  /// Makes a key. A name that is not a token is reported when the key is used to set a field; see
  /// ``HTTPHeaders/validate()``.
  public init(_ name: String) {
    rawName = name
    canonicalName = name.asciiLowercased
  }
}

extension HTTPHeaderName: Hashable {
  /// Whether the names are equal without case.
  public static func == (left: HTTPHeaderName, right: HTTPHeaderName) -> Bool {
    left.canonicalName.utf8.elementsEqual(right.canonicalName.utf8)
  }

  /// Hashes the name in lower case.
  public func hash(into hasher: inout Hasher) { hasher.combine(canonicalName) }
}

extension HTTPHeaderName: CustomStringConvertible {
  /// The name in the spelling in which it is sent.
  public var description: String { rawName }
}

extension HTTPHeaderName where Variant == SingleValueHeader {
  /// `Accept`: media types the client wants (RFC 9110 §12.5.1).
  public static var accept: Self { Self("Accept") }
  /// `Accept-Encoding`: content codings the client can undo (RFC 9110 §12.5.3).
  public static var acceptEncoding: Self { Self("Accept-Encoding") }
  /// `Accept-Language`: languages the user prefers (RFC 9110 §12.5.4).
  public static var acceptLanguage: Self { Self("Accept-Language") }
  /// `Authorization`: credentials for the origin (RFC 9110 §11.6.2). Sensitive.
  public static var authorization: Self { Self("Authorization") }
  /// `Content-Type`: media type of the content (RFC 9110 §8.3).
  public static var contentType: Self { Self("Content-Type") }
  /// `Cookie`: state the server asked to be returned (RFC 6265 §5.4). Sensitive.
  public static var cookie: Self { Self("Cookie") }
  /// `Host`: host and port of the target (RFC 9110 §7.2).
  public static var host: Self { Self("Host") }
  /// `If-Modified-Since`: makes the request conditional on a date (RFC 9110 §13.1.3).
  public static var ifModifiedSince: Self { Self("If-Modified-Since") }
  /// `If-None-Match`: makes the request conditional on entity tags (RFC 9110 §13.1.2).
  public static var ifNoneMatch: Self { Self("If-None-Match") }
  /// `User-Agent`: the program that makes the request (RFC 9110 §10.1.5).
  public static var userAgent: Self { Self("User-Agent") }
}

extension HTTPHeaderName where Variant == RepeatableHeader {
  /// `Set-Cookie`: state the client should return (RFC 6265 §4.1). Its values must not be joined. Sensitive.
  public static var setCookie: Self { Self("Set-Cookie") }
  /// `WWW-Authenticate`: challenges of the origin (RFC 9110 §11.6.1).
  public static var wwwAuthenticate: Self { Self("WWW-Authenticate") }
}

extension HTTPHeaders {
  /// The value of a single-value field; setting replaces, nil removes. An invalid value is recorded, see
  /// ``validate()``. When a peer repeated the field its values are joined, see ``value(for:)``.
  public subscript(name: HTTPHeaderName<SingleValueHeader>) -> String? {
    get { value(for: name.rawName) }
    set { self[name.rawName] = newValue }
  }

  /// Appends one more value of a repeatable field. An invalid value is recorded, see ``validate()``.
  public mutating func append(_ value: String, for name: HTTPHeaderName<RepeatableHeader>) { add(name.rawName, value) }

  /// The values of a repeatable field in order, one for each field.
  public func values(for name: HTTPHeaderName<RepeatableHeader>) -> [String] { values(for: name.rawName) }

  /// Drops every field of this name.
  public mutating func remove<Variant>(_ name: HTTPHeaderName<Variant>) { remove(name.rawName) }

  /// Whether there is a field of this name.
  public func contains<Variant>(_ name: HTTPHeaderName<Variant>) -> Bool { contains(name.rawName) }
}
