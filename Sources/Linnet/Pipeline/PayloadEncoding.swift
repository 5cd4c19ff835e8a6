internal import FoundationEssentials
internal import LinnetHTTP

/// Makes the payload of a call from its parameters, as its encoding policy says.
struct PayloadEncoding: Sendable {
  let policy: RequestEncodingPolicy
  let method: HTTPMethod

  /// - Throws: ``NetworkError/configuration(reason:)`` when the parameters cannot be encoded, or when there may be none.
  func payload(
    for parameters: (some Encodable & Sendable)?, adding client: ClientParameters?
  ) throws(NetworkError) -> RequestPayload {
    switch policy {
    case .none:
      guard parameters == nil else {
        throw Self.invalid("the endpoint has parameters, and its transport policy encodes none")
      }
      return .none
    case .query(let encoder, let rootKey):
      guard let parameters else { return .none }
      return .query(
        try Self.encoding("the query") { try encoder.encodeQuery(parameters, rootKey: rootKey) })
    case .json(let encoder):
      return try body(of: parameters, adding: client, contentType: "application/json; charset=UTF-8") {
        parameters throws(NetworkError) in try Self.encoding("JSON") { try encoder.encode(parameters) }
      } merge: { own, client, precedence in
        JSONObjectMerge.merge(own, with: client, precedence: precedence)
      }
    case .formURLEncoded(let encoder, let rootKey):
      return try body(
        of: parameters, adding: client, contentType: "application/x-www-form-urlencoded; charset=UTF-8"
      ) { parameters throws(NetworkError) in
        try Self.encoding("a form") { try encoder.encodeForm(parameters, rootKey: rootKey) }
      } merge: { own, client, precedence in
        FormMerge.merge(own, with: client, precedence: precedence)
      }
    }
  }

  private func body(
    of parameters: (some Encodable & Sendable)?, adding client: ClientParameters?, contentType: String,
    encode: (AnyEncodable) throws(NetworkError) -> Data, merge: (Data, Data, ParameterPrecedence) -> Data?
  ) throws(NetworkError) -> RequestPayload {
    guard let parameters else {
      guard let client, mayHaveParametersOfTheClientAlone else { return .none }
      return .body(.data(try encode(AnyEncodable(client.values))), contentType: contentType)
    }
    guard method.allowsBody else {
      throw Self.invalid(
        "a \(method.rawValue) request has no body; encode its parameters into the query, or use another method")
    }
    let own = try encode(AnyEncodable(parameters))
    guard let client else { return .body(.data(own), contentType: contentType) }
    let merged = merge(own, try encode(AnyEncodable(client.values)), client.precedence) ?? own
    return .body(.data(merged), contentType: contentType)
  }

  private var mayHaveParametersOfTheClientAlone: Bool { method == .post || method == .put || method == .patch }

  private static func encoding<R>(_ form: String, _ body: () throws -> R) throws(NetworkError) -> R {
    do {
      return try body()
    } catch {
      throw invalid("the parameters cannot be encoded as \(form): \(error)")
    }
  }

  private static func invalid(_ reason: String) -> NetworkError { .configuration(reason: .invalidRequest(reason)) }
}
