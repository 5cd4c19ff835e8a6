/// Encodes values into a query or a form body.
public struct URLQueryEncoder: Sendable {
  /// An encoder with the defaults.
  public init() {}
}
