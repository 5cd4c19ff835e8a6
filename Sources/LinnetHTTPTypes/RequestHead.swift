/// The head of a request: everything before its body.
///
/// It is what the wire code sends, exactly: the fields are written in their order and spelling, and nothing is added
/// but the field that frames the body.
public struct RequestHead: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod
  /// The target as it stands in the request line; its bytes are sent verbatim.
  public var target: RequestTarget
  /// The fields in the order in which they are sent.
  public var headers: HTTPHeaders
  /// The version the head is sent with.
  public var version: HTTPVersion

  /// Makes a head.
  ///
  /// - Parameters:
  ///   - method: The method, GET unless given.
  ///   - target: The target of the request line.
  ///   - headers: The fields, none unless given.
  ///   - version: The version, HTTP/1.1 unless given.
  public init(
    method: HTTPMethod = .get, target: RequestTarget, headers: HTTPHeaders = HTTPHeaders(),
    version: HTTPVersion = .http1_1
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.version = version
  }
}
