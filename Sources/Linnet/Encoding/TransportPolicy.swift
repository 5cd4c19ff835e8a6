public import FoundationEssentials

/// How the body of an accepted response is decoded.
public enum ResponseDecodingStrategy<Output: Sendable>: Sendable {
  /// As JSON.
  case json(JSONDecoder)
  /// As JSON, and as the type's empty value for status 204 and for an empty body.
  case jsonAllowingEmpty(JSONDecoder)
  /// By another decoder.
  case custom(AnyResponseDecoder<Output>)
}

/// How an endpoint's parameters are encoded and its response is decoded: one value for both directions, read once for
/// each request.
///
/// The factories take coders; without one, each makes a new one of ``JSONCoding``. A factory that is given no decoder
/// decodes as the response type asks: the body itself for `Data`, its text for `String`, JSON or nothing for
/// ``HTTPEmptyResponseDecodable`` types, nil or the value for optionals, and JSON for all others. One that is given a
/// decoder reads JSON with it.
public struct TransportPolicy<Output: Sendable>: Sendable {
  /// How parameters are encoded.
  public let requestEncoding: RequestEncodingPolicy
  /// How the response is decoded, for those who look; ``responseDecoder`` does it.
  public let responseDecoding: ResponseDecodingStrategy<Output>
  /// Decodes the body of an accepted response.
  public let responseDecoder: AnyResponseDecoder<Output>
  /// The `Content-Type` of a body in the place of the encoding's own; nil, the default, keeps that.
  public private(set) var requestContentType: String?

  /// A policy of parts.
  ///
  /// - Parameters:
  ///   - requestEncoding: How parameters are encoded.
  ///   - responseDecoding: How the response is said to be decoded.
  ///   - responseDecoder: What decodes it.
  public init(
    requestEncoding: RequestEncodingPolicy, responseDecoding: ResponseDecodingStrategy<Output>,
    responseDecoder: AnyResponseDecoder<Output>
  ) {
    self.requestEncoding = requestEncoding
    self.responseDecoding = responseDecoding
    self.responseDecoder = responseDecoder
  }

  /// Parameters by `encoding`, the response by a function.
  ///
  /// - Parameters:
  ///   - encoding: How parameters are encoded.
  ///   - decode: Gets the body and the whole response; what it throws is a decoding error.
  public static func custom(
    encoding: RequestEncodingPolicy, decode: @escaping @Sendable (_ data: Data, _ response: Response) throws -> Output
  ) -> TransportPolicy {
    let decoder = AnyResponseDecoder(decode)
    return TransportPolicy(requestEncoding: encoding, responseDecoding: .custom(decoder), responseDecoder: decoder)
  }

  /// The same policy with another `Content-Type` for bodies, such as `application/merge-patch+json`.
  public func contentType(_ value: String) -> TransportPolicy {
    var copy = self
    copy.requestContentType = value
    return copy
  }
}

extension TransportPolicy where Output: Decodable {
  /// Parameters as a JSON body.
  ///
  /// - Parameters:
  ///   - encoder: Default: a new one of ``JSONCoding/encoder(keys:)``.
  ///   - decoder: Reads the response as JSON; nil, the default, decodes as the response type asks.
  public static func json(encoder: JSONEncoder = JSONCoding.encoder(), decoder: JSONDecoder? = nil) -> TransportPolicy {
    TransportPolicy(.json(encoder), decoder)
  }

  /// Parameters in the query.
  ///
  /// - Parameters:
  ///   - encoder: Default: one with its defaults.
  ///   - rootKey: The name under which the parameters stand; nil, the default, puts their properties at the top.
  ///   - decoder: Reads the response as JSON; nil, the default, decodes as the response type asks.
  public static func query(
    encoder: URLQueryEncoder = URLQueryEncoder(), rootKey: String? = nil, decoder: JSONDecoder? = nil
  ) -> TransportPolicy {
    TransportPolicy(.query(encoder, rootKey: rootKey), decoder)
  }

  /// Parameters as a form in the body.
  ///
  /// - Parameters:
  ///   - encoder: Default: one with its defaults.
  ///   - rootKey: The name under which the parameters stand; nil, the default, puts their properties at the top.
  ///   - decoder: Reads the response as JSON; nil, the default, decodes as the response type asks.
  public static func formURLEncoded(
    encoder: URLQueryEncoder = URLQueryEncoder(), rootKey: String? = nil, decoder: JSONDecoder? = nil
  ) -> TransportPolicy {
    TransportPolicy(.formURLEncoded(encoder, rootKey: rootKey), decoder)
  }

  /// No parameters; the body is the endpoint's form.
  ///
  /// - Parameter decoder: Reads the response as JSON; nil, the default, decodes as the response type asks.
  public static func multipart(decoder: JSONDecoder? = nil) -> TransportPolicy { TransportPolicy(.none, decoder) }

  /// Parameters that are `Data`, sent as they are.
  ///
  /// - Parameters:
  ///   - contentType: The `Content-Type` of the body.
  ///   - decoder: Reads the response as JSON; nil, the default, decodes as the response type asks.
  public static func data(
    contentType: String = ContentType.octetStream.rawValue, decoder: JSONDecoder? = nil
  ) -> TransportPolicy {
    TransportPolicy(.data(contentType: contentType), decoder)
  }

  /// Parameters that are a `String`, sent as UTF-8.
  ///
  /// - Parameters:
  ///   - contentType: The `Content-Type` of the body.
  ///   - decoder: Reads the response as JSON; nil, the default, decodes as the response type asks.
  public static func text(
    contentType: String = ContentType.textPlain.rawValue, decoder: JSONDecoder? = nil
  ) -> TransportPolicy {
    TransportPolicy(.text(contentType: contentType), decoder)
  }

  private init(_ requestEncoding: RequestEncodingPolicy, _ decoder: JSONDecoder?) {
    if decoder == nil, let body = AnyResponseDecoder<Output>.bodyItself {
      self.init(requestEncoding: requestEncoding, responseDecoding: .custom(body), responseDecoder: body)
      return
    }
    let coder = decoder ?? JSONCoding.decoder()
    self.init(
      requestEncoding: requestEncoding,
      responseDecoding: AnyResponseDecoder<Output>.isEmptyCapable ? .jsonAllowingEmpty(coder) : .json(coder),
      responseDecoder: .jsonAsTypeAllows(decoder: coder))
  }
}

extension TransportPolicy where Output: HTTPEmptyResponseDecodable {
  /// Parameters as a JSON body; the response is JSON, or the type's empty value for status 204 and for an empty body.
  ///
  /// - Parameters:
  ///   - encoder: Default: a new one of ``JSONCoding/encoder(keys:)``.
  ///   - decoder: Default: a new one of ``JSONCoding/decoder(keys:)``.
  public static func jsonAllowingEmpty(
    encoder: JSONEncoder = JSONCoding.encoder(), decoder: JSONDecoder = JSONCoding.decoder()
  ) -> TransportPolicy {
    TransportPolicy(
      requestEncoding: .json(encoder), responseDecoding: .jsonAllowingEmpty(decoder),
      responseDecoder: .jsonEmptyCapable(decoder: decoder))
  }
}
