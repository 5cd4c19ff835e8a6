internal import LinnetHTTP

/// An endpoint of the application's catalogue: inputs are stored properties, the response is ``Endpoint/APIResponse``.
///
/// Most are written with the macro `@APIDefinition(method:path:auth:)`, which derives ``Endpoint/method``,
/// ``Endpoint/path``, ``Endpoint/sessionAuthentication`` and simple payloads. Everything it writes can be typed by hand.
public protocol APIDefinition: Endpoint {
  /// What is encoded into the query or the body. Default ``EmptyParameter``.
  associatedtype Parameter: Encodable & Sendable = EmptyParameter
  /// The value to encode; nil sends none. It goes where ``Endpoint/transport`` says: by default into the query for GET
  /// and HEAD, and as JSON into the body for every other method.
  var parameters: Parameter? { get }
}

extension APIDefinition where Parameter == EmptyParameter {
  /// No parameters.
  public var parameters: EmptyParameter? { nil }
}

extension APIDefinition {
  /// The query for GET and HEAD, JSON for everything else; the response is decoded as its type asks.
  public var transport: TransportPolicy<APIResponse> {
    method.prefersQueryParameters ? .query() : .json()
  }
}
