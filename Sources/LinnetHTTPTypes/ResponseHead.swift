/// The head of a response, interim or final.
public struct ResponseHead: Sendable, Hashable {
  /// The version that the server answered with.
  public var version: HTTPVersion
  /// The status.
  public var status: HTTPStatus
  /// The reason phrase as received. Empty when the server sent none, and always over HTTP/2, which has none. It carries
  /// no meaning (RFC 9112 §4); ``HTTPStatus/reasonPhrase`` is the registered one.
  public var reason: String
  /// The fields in the order in which they were received.
  public var headers: HTTPHeaders

  /// Makes a head.
  ///
  /// - Parameters:
  ///   - version: The version, HTTP/1.1 unless given.
  ///   - status: The status.
  ///   - reason: The reason phrase; the registered one unless given.
  ///   - headers: The fields, none unless given.
  public init(
    version: HTTPVersion = .http1_1, status: HTTPStatus, reason: String? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) {
    self.version = version
    self.status = status
    self.reason = reason ?? status.reasonPhrase
    self.headers = headers
  }
}
