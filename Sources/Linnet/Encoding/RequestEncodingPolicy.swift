public import FoundationEssentials
internal import LinnetHTTP

/// How the parameters of a request are encoded.
public enum RequestEncodingPolicy: Sendable {
  /// There are none; parameters that are given all the same are an error.
  case none
  /// Into the query.
  case query(URLQueryEncoder, rootKey: String?)
  /// As a JSON body.
  case json(JSONEncoder)
  /// As an `application/x-www-form-urlencoded` body.
  case formURLEncoded(URLQueryEncoder, rootKey: String?)
  /// As a body of the given `Content-Type`; the parameters must be `Data`.
  case data(contentType: String = ContentType.octetStream.rawValue)
  /// As UTF-8 in a body of the given `Content-Type`; the parameters must be a `String`.
  case text(contentType: String = ContentType.textPlain.rawValue)
}

/// What parameters became.
package enum EncodedParameters: Sendable, Hashable {
  /// Nothing is added to the request.
  case none
  /// A percent-encoded query without `?`, not empty.
  case query(String)
  /// A body and its `Content-Type`.
  case body(Data, contentType: String)
}

extension RequestEncodingPolicy {
  /// Encodes the parameters of a request; nil and ``EmptyParameter`` are no parameters.
  ///
  /// - Throws: ``NetworkError/configuration(reason:)`` when the policy cannot encode them.
  package func encode(_ parameters: (any Encodable)?) throws(NetworkError) -> EncodedParameters {
    let value = (parameters as? AnyEncodable)?.base ?? parameters
    guard let value, !(value is EmptyParameter) else { return .none }
    do {
      return try encodePresent(value)
    } catch {
      throw .configuration(reason: .invalidRequest("the parameters cannot be encoded: \(Self.text(of: error))"))
    }
  }

  private func encodePresent(_ value: any Encodable) throws -> EncodedParameters {
    switch self {
    case .none:
      throw URLQueryEncoder.EncodingError.unsupportedValue(
        reason: "the endpoint's transport policy sends no parameters, but there are some")
    case .query(let encoder, let rootKey):
      let query = try encoder.encodeQuery(value, rootKey: rootKey)
      return query.isEmpty ? .none : .query(query)
    case .json(let encoder): return .body(try encoder.encode(value), contentType: ContentType.json.rawValue)
    case .formURLEncoded(let encoder, let rootKey):
      return .body(
        try encoder.encodeForm(value, rootKey: rootKey), contentType: ContentType.formUrlEncoded.rawValue)
    case .data(let contentType):
      guard let data = value as? Data else { throw Self.mismatch(value, wanted: "Data") }
      return .body(data, contentType: contentType)
    case .text(let contentType):
      guard let text = value as? String else { throw Self.mismatch(value, wanted: "String") }
      return .body(Data(text.utf8), contentType: contentType)
    }
  }

  private static func mismatch(_ value: any Encodable, wanted: String) -> URLQueryEncoder.EncodingError {
    .unsupportedValue(reason: "the transport policy sends \(wanted), but they are \(type(of: value))")
  }

  /// The coding path and the cause, in one line.
  private static func text(of error: any Error) -> String {
    guard case EncodingError.invalidValue(_, let context) = error else { return String(describing: error) }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
  }
}
