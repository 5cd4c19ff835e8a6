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

extension AnyResponseDecoder where Output: Decodable {
  /// JSON. An empty body is an error.
  ///
  /// - Parameter decoder: Default: a new one of ``JSONCoding/decoder(keys:)``.
  public static func json(decoder: JSONDecoder = JSONCoding.decoder()) -> AnyResponseDecoder {
    AnyResponseDecoder { data, _ in try decoder.decode(Output.self, from: data) }
  }

  /// What the type asks for: the body itself for `Data`, its text for `String`, for an ``HTTPEmptyResponseDecodable``
  /// type JSON or nothing, and JSON for every other type. An optional is nil when there is no body.
  ///
  /// - Parameter decoder: The decoder for JSON. Default: a new one of ``JSONCoding/decoder(keys:)``.
  public static func inferred(decoder: JSONDecoder = JSONCoding.decoder()) -> AnyResponseDecoder {
    if let bodyItself { return bodyItself }
    return .jsonAsTypeAllows(decoder: decoder)
  }

  /// The decoder of the types that are the body, or its text; nil for types that are made from JSON.
  static var bodyItself: AnyResponseDecoder? {
    if Output.self == Data.self { return AnyResponseDecoder<Data>.body as? AnyResponseDecoder }
    if Output.self == String.self { return AnyResponseDecoder<String>.text as? AnyResponseDecoder }
    if Output.self == Data?.self { return AnyResponseDecoder<Data>.body.orNil as? AnyResponseDecoder }
    if Output.self == String?.self { return AnyResponseDecoder<String>.text.orNil as? AnyResponseDecoder }
    return nil
  }

  /// JSON, or nothing for an ``HTTPEmptyResponseDecodable`` type and for an optional.
  static func jsonAsTypeAllows(decoder: JSONDecoder) -> AnyResponseDecoder {
    if let type = Output.self as? any AbsentResponse.Type, let absent = type.absent as? Output {
      return AnyResponseDecoder { data, response in
        response.statusCode == 204 || data.isEmpty ? absent : try decoder.decode(Output.self, from: data)
      }
    }
    guard let type = Output.self as? any HTTPEmptyResponseDecodable.Type else { return .json(decoder: decoder) }
    return emptyCapable(type, decoder) as? AnyResponseDecoder ?? .json(decoder: decoder)
  }

  /// Without the type, because it is known only to the callee.
  private static func emptyCapable<T: HTTPEmptyResponseDecodable>(_ type: T.Type, _ decoder: JSONDecoder) -> Any {
    AnyResponseDecoder<T>.jsonEmptyCapable(decoder: decoder)
  }
}

extension AnyResponseDecoder {
  /// Whether the type has a value for a response without a body.
  static var isEmptyCapable: Bool {
    Output.self is any HTTPEmptyResponseDecodable.Type || Output.self is any AbsentResponse.Type
  }
}

/// Optionals, whatever they wrap. They cannot be ``HTTPEmptyResponseDecodable``: a conformance may not depend on another
/// one to `Sendable`.
private protocol AbsentResponse {
  /// Nil.
  static var absent: Any { get }
}

extension Optional: AbsentResponse {
  fileprivate static var absent: Any { Self.none as Any }
}

extension AnyResponseDecoder where Output: HTTPEmptyResponseDecodable {
  /// JSON, or ``HTTPEmptyResponseDecodable/emptyResponseValue()`` for status 204 and for an empty body. For
  /// ``EmptyResponse`` whatever the body has is ignored, also when it is not JSON.
  ///
  /// - Parameter decoder: Default: a new one of ``JSONCoding/decoder(keys:)``.
  public static func jsonEmptyCapable(decoder: JSONDecoder = JSONCoding.decoder()) -> AnyResponseDecoder {
    AnyResponseDecoder { data, response in
      if response.statusCode == 204 || data.isEmpty || Output.self == EmptyResponse.self {
        return Output.emptyResponseValue()
      }
      return try decoder.decode(Output.self, from: data)
    }
  }
}

extension AnyResponseDecoder {
  /// The same, and nil when there is no body.
  fileprivate var orNil: AnyResponseDecoder<Output?> {
    AnyResponseDecoder<Output?> { data, response in data.isEmpty ? nil : try decode(data: data, response: response) }
  }
}

extension AnyResponseDecoder where Output == Data {
  /// The body as it is.
  public static var body: AnyResponseDecoder { AnyResponseDecoder { data, _ in data } }
}

extension AnyResponseDecoder where Output == String {
  /// The body as UTF-8; other bytes are a `DecodingError`.
  public static var text: AnyResponseDecoder {
    AnyResponseDecoder { data, _ in
      guard let text = String(validating: data, as: UTF8.self) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: [], debugDescription: "the body of \(data.count) bytes is not UTF-8"))
      }
      return text
    }
  }
}

extension AnyResponseDecoder where Output == Void {
  /// Nothing, whatever the body has.
  public static var ignoringBody: AnyResponseDecoder { AnyResponseDecoder { _, _ in } }
}
