internal import FoundationEssentials
internal import LinnetHTTP

/// Makes the payload of a call from its parameters, and puts the client's own body parameters into it.
struct PayloadEncoding: Sendable {
  let policy: RequestEncodingPolicy
  /// The content type in the place of the policy's own.
  let contentType: String?
  let method: HTTPMethod

  /// - Throws: ``NetworkError/configuration(reason:)`` when the parameters cannot be encoded, or when there may be none.
  func payload(
    for parameters: (any Encodable & Sendable)?, adding client: ClientParameters?
  ) throws(NetworkError) -> RequestPayload {
    switch try policy.encode(parameters) {
    case .none:
      guard let client, mayHaveParametersOfTheClientAlone,
        case .body(let data, let type)? = try clientPolicy?.encode(client.values)
      else { return .none }
      return .body(.data(data), contentType: contentType ?? type)
    case .query(let query): return .query(query)
    case .body(let data, let type):
      guard method.allowsBody else {
        throw .configuration(
          reason: .invalidRequest(
            "a \(method.rawValue) request has no body; encode its parameters into the query, or use another method"))
      }
      return .body(.data(try merged(data, with: client)), contentType: contentType ?? type)
    }
  }

  private func merged(_ own: Data, with client: ClientParameters?) throws(NetworkError) -> Data {
    guard let client, case .body(let added, _)? = try clientPolicy?.encode(client.values) else { return own }
    if case .json = policy { return JSONObjectMerge.merge(own, with: added, precedence: client.precedence) ?? own }
    return FormMerge.merge(own, with: added, precedence: client.precedence)
  }

  /// How the client's parameters are encoded: their names as they are, at the top level. Nil when they have no place.
  private var clientPolicy: RequestEncodingPolicy? {
    switch policy {
    case .json: return policy
    case .formURLEncoded(var encoder, _):
      encoder.keyEncodingStrategy = .useDefaultKeys
      return .formURLEncoded(encoder, rootKey: nil)
    case .none, .query, .data, .text: return nil
    }
  }

  private var mayHaveParametersOfTheClientAlone: Bool { method == .post || method == .put || method == .patch }
}
