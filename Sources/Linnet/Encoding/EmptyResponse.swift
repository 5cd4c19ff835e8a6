/// The parameters of an endpoint that has none.
public struct EmptyParameter: Codable, Sendable, Hashable {
  /// The only value.
  public init() {}
}

/// A response type that has a value for a response without a body, such as 204.
public protocol HTTPEmptyResponseDecodable: Decodable, Sendable {
  /// The value for a response without a body.
  static func emptyResponseValue() -> Self
}

/// The response of an endpoint whose body, if any, does not matter.
public struct EmptyResponse: HTTPEmptyResponseDecodable, Encodable, Hashable {
  /// The only value.
  public init() {}
  /// Succeeds whatever the decoder has.
  public init(from decoder: any Decoder) {}
  /// The only value.
  public static func emptyResponseValue() -> EmptyResponse { EmptyResponse() }
}
