public import FoundationEssentials
public import LinnetHTTP

/// A stored response.
public struct CachedResponse: Sendable, Hashable {
  /// The body after decoding of `Content-Encoding`.
  public let data: Data
  /// The status code.
  public let statusCode: Int
  /// The header fields, without those of the connection (RFC 9111 §3.1).
  public let headers: HTTPHeaders
  /// When it was stored, or last confirmed by the server.
  public let storedAt: Date
  /// Whether the server must confirm it before each use (`no-cache`).
  public let requiresRevalidation: Bool
  /// The request's values of the fields that `Vary` names, by name in lower case: nil for a field that the request did
  /// not have, a fingerprint for one with credentials. The response answers only requests with the same values.
  public let varyHeaders: [String: String?]
  /// How old the response was when it was stored, from its `Age` and `Date` and the time that the exchange took
  /// (RFC 9111 §4.2.3). Nil: computed from ``headers`` and ``storedAt``.
  public let initialAge: Duration?

  /// A response to be stored.
  public init(
    data: Data, statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders(), storedAt: Date = Date(),
    requiresRevalidation: Bool = false, varyHeaders: [String: String?] = [:], initialAge: Duration? = nil
  ) {
    self.data = data
    self.statusCode = statusCode
    self.headers = headers
    self.storedAt = storedAt
    self.requiresRevalidation = requiresRevalidation
    self.varyHeaders = varyHeaders
    self.initialAge = initialAge
  }

  /// The `ETag`, by which the response is validated.
  public var etag: String? { headers.value(for: "ETag") }
  /// The `Last-Modified` date as the server wrote it.
  public var lastModified: String? { headers.value(for: "Last-Modified") }
}
