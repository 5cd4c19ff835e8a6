public import Linnet

/// What a ``StubNetworkClient`` tells requests apart by: the method and the path of the endpoint.
public struct StubRequestKey: Sendable, Hashable, CustomStringConvertible {
  /// The method.
  public let method: HTTPMethod
  /// The path below the client's base URL, with a leading slash.
  public let path: String

  /// A key. As in an endpoint, a leading slash of the path makes no difference.
  public init(method: HTTPMethod, path: String) {
    self.method = method
    self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/\(path)"
  }

  /// The key of an endpoint. Its parameters and headers do not count.
  public init(_ request: some Endpoint) { self.init(method: request.method, path: request.path) }

  /// `GET /users/1`.
  public var description: String { "\(method.rawValue) \(path)" }
}
