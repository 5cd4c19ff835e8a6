public import FoundationEssentials

/// Turns the body of an accepted response into a value.
public struct AnyResponseDecoder<Output: Sendable>: Sendable {
  private let body: @Sendable (Data, Response) throws -> Output

  /// A decoder that is a function of body and response.
  public init(_ decode: @escaping @Sendable (_ data: Data, _ response: Response) throws -> Output) { body = decode }

  /// Decodes a body.
  ///
  /// - Throws: What the function throws; the client reports it as ``NetworkError/decoding(stage:underlying:response:)``.
  public func decode(data: Data, response: Response) throws -> Output { try body(data, response) }
}
