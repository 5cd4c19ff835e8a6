public import FoundationEssentials

/// How the parameters of a request are encoded.
public enum RequestEncodingPolicy: Sendable {
  /// There is no payload.
  case none
  /// Into the query.
  case query(URLQueryEncoder, rootKey: String?)
  /// As a JSON body.
  case json(JSONEncoder)
  /// As an `application/x-www-form-urlencoded` body.
  case formURLEncoded(URLQueryEncoder, rootKey: String?)
}

/// How an endpoint's parameters are encoded and its response is decoded: one value for both directions, read once for
/// each request.
public struct TransportPolicy<Output: Sendable>: Sendable {
  /// How parameters are encoded.
  public let requestEncoding: RequestEncodingPolicy
  /// How the body of an accepted response is decoded.
  public let responseDecoder: AnyResponseDecoder<Output>
}

extension TransportPolicy where Output: Decodable {
  /// Parameters into the query, the response as JSON.
  public static func query() -> TransportPolicy {
    TransportPolicy(
      requestEncoding: .query(URLQueryEncoder(), rootKey: nil),
      responseDecoder: AnyResponseDecoder { data, _ in try JSONDecoder().decode(Output.self, from: data) })
  }
  /// Parameters as a JSON body, the response as JSON.
  public static func json() -> TransportPolicy {
    TransportPolicy(
      requestEncoding: .json(JSONEncoder()),
      responseDecoder: AnyResponseDecoder { data, _ in try JSONDecoder().decode(Output.self, from: data) })
  }
  /// A multipart form as the body, the response as JSON.
  public static func multipart() -> TransportPolicy {
    TransportPolicy(
      requestEncoding: .none,
      responseDecoder: AnyResponseDecoder { data, _ in try JSONDecoder().decode(Output.self, from: data) })
  }
}
