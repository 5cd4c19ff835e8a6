internal import LinnetBytes

/// What marks an ``HTTPHeaderName``: ``SingleValueHeader`` or ``RepeatableHeader``.
public protocol HTTPHeaderVariant: Sendable {}

/// Marks a field that has one value: see ``HTTPHeaderName``.
public enum SingleValueHeader: HTTPHeaderVariant {}

/// Marks a field that may stand several times, each with a value of its own: see ``HTTPHeaderName``.
public enum RepeatableHeader: HTTPHeaderVariant {}

/// A typed key for ``HTTPHeaders``.
///
/// `Variant` is ``SingleValueHeader`` or ``RepeatableHeader`` and decides what one can do: a single key has a subscript
/// whose setter replaces, a repeatable key has `append` and `values(for:)`. Asking for *the* `Set-Cookie` is a compile
/// error.
///
/// ```swift
/// headers[.contentType] = "application/json"
/// headers.append(.setCookie, value: "a=1")
/// let tenant = HTTPHeaderName<SingleValueHeader>("X-Tenant")
/// headers[tenant] = "blue"
/// ```
public struct HTTPHeaderName<Variant: HTTPHeaderVariant>: Sendable {
  /// The name in the spelling in which it is sent.
  public let rawValue: String
  /// The name in lower case, as HTTP/2 sends it.
  public let canonicalName: String

  /// Makes a key. A name that is not a token is reported when the key is used to set a field; see
  /// ``HTTPHeaders/validate()``.
  public init(_ name: String) {
    rawValue = name
    canonicalName = name.asciiLowercased
  }

  /// For the named keys: both spellings are literals, so that a key costs no allocation.
  private init(_ rawValue: String, canonical: String) {
    self.rawValue = rawValue
    canonicalName = canonical
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
  public var description: String { rawValue }
}

extension HTTPHeaderName where Variant == SingleValueHeader {
  /// `Accept`: media types the client wants (RFC 9110 §12.5.1).
  public static var accept: Self { Self("Accept", canonical: "accept") }
  /// `Accept-Encoding`: content codings the client can undo (RFC 9110 §12.5.3).
  public static var acceptEncoding: Self { Self("Accept-Encoding", canonical: "accept-encoding") }
  /// `Accept-Language`: languages the user prefers (RFC 9110 §12.5.4).
  public static var acceptLanguage: Self { Self("Accept-Language", canonical: "accept-language") }
  /// `Authorization`: credentials for the origin (RFC 9110 §11.6.2). Sensitive.
  public static var authorization: Self { Self("Authorization", canonical: "authorization") }
  /// `Content-Type`: media type of the content (RFC 9110 §8.3).
  public static var contentType: Self { Self("Content-Type", canonical: "content-type") }
  /// `Cookie`: state the server asked to be returned (RFC 6265 §5.4). Sensitive.
  public static var cookie: Self { Self("Cookie", canonical: "cookie") }
  /// `Host`: host and port of the target (RFC 9110 §7.2).
  public static var host: Self { Self("Host", canonical: "host") }
  /// `If-Modified-Since`: makes the request conditional on a date (RFC 9110 §13.1.3).
  public static var ifModifiedSince: Self { Self("If-Modified-Since", canonical: "if-modified-since") }
  /// `If-None-Match`: makes the request conditional on entity tags (RFC 9110 §13.1.2).
  public static var ifNoneMatch: Self { Self("If-None-Match", canonical: "if-none-match") }
  /// `User-Agent`: the program that makes the request (RFC 9110 §10.1.5).
  public static var userAgent: Self { Self("User-Agent", canonical: "user-agent") }
}

extension HTTPHeaderName where Variant == RepeatableHeader {
  /// `Set-Cookie`: state the client should return (RFC 6265 §4.1). Its values must not be joined. Sensitive.
  public static var setCookie: Self { Self("Set-Cookie", canonical: "set-cookie") }
  /// `WWW-Authenticate`: challenges of the origin (RFC 9110 §11.6.1).
  public static var wwwAuthenticate: Self { Self("WWW-Authenticate", canonical: "www-authenticate") }
}

extension HTTPHeaders {
  /// The value of a single-value field; setting replaces, nil removes. An invalid value is recorded, see
  /// ``validate()``. When a peer repeated the field its values are joined, see ``value(for:)``.
  public subscript(name: HTTPHeaderName<SingleValueHeader>) -> String? {
    get { value(for: name.rawValue) }
    set { self[name.rawValue] = newValue }
  }

  /// Appends one more value of a repeatable field. An invalid value is recorded, see ``validate()``.
  public mutating func append(_ name: HTTPHeaderName<RepeatableHeader>, value: String) { add(name.rawValue, value) }

  /// The values of a repeatable field in order, one for each field.
  public func values(for name: HTTPHeaderName<RepeatableHeader>) -> [String] { values(for: name.rawValue) }

  /// Drops every field of this name.
  public mutating func remove<Variant: HTTPHeaderVariant>(_ name: HTTPHeaderName<Variant>) { remove(name.rawValue) }

  /// Whether there is a field of this name.
  public func contains<Variant: HTTPHeaderVariant>(_ name: HTTPHeaderName<Variant>) -> Bool { contains(name.rawValue) }
}
