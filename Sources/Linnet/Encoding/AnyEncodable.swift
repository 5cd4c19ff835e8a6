/// Any encodable value; encodes as the value itself would.
public struct AnyEncodable: Encodable, Sendable {
  /// The value.
  package let base: any Encodable & Sendable

  /// Wraps a value; one that is wrapped already is not wrapped again.
  public init(_ value: some Encodable & Sendable) {
    base = (value as? AnyEncodable)?.base ?? value
  }

  /// Encodes the value.
  ///
  /// - Throws: What the value throws.
  public func encode(to encoder: any Encoder) throws {
    // Through a container, so that coders with forms of their own for dates, data and dictionaries see the value.
    var container = encoder.singleValueContainer()
    try container.encode(base)
  }
}
