/// Turns a stored payload into the ``APIDefinition/parameters`` of an endpoint.
///
/// `@APIDefinition(method:path:auth:)` writes calls of it, because a macro cannot see whether an alias stands for an
/// optional. An endpoint written by hand seldom needs it.
public enum EndpointPayload {
  /// The payload as it is.
  public static func parameters<Parameter>(_ payload: Parameter) -> Parameter? { payload }

  /// No parameters for nil, instead of parameters that are encoded as null.
  public static func parameters<Wrapped>(_ payload: Wrapped?) -> Wrapped?? { payload.map(Optional.some) }
}
