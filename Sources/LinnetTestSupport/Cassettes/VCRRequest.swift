public import LinnetHTTP

/// The request of a recorded exchange.
public struct VCRRequest: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod
  /// The URL without user name, password and fragment; sensitive query items have the replacement of the redaction
  /// policy as their value.
  public var url: String
  /// The header fields as they were given to the transport; the values of sensitive ones are replaced.
  public var headers: HTTPHeaders
  /// The SHA-256 digest of the body in lower-case hexadecimal digits; nil for a request without a body, or with an empty
  /// one.
  public var bodySHA256: String?

  /// A request as it stands in a cassette.
  public init(method: HTTPMethod, url: String, headers: HTTPHeaders = HTTPHeaders(), bodySHA256: String? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.bodySHA256 = bodySHA256
  }
}

extension VCRRequest: Codable {
  private enum CodingKeys: String, CodingKey {
    case method
    case url
    case headers
    case bodySHA256
  }

  /// Reads a request.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .method)
    guard let method = HTTPMethod(rawValue: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: .method, in: container, debugDescription: "\"\(name)\" is not a method")
    }
    self.method = method
    url = try container.decode(String.self, forKey: .url)
    headers = try container.decodeFieldLines(forKey: .headers)
    bodySHA256 = try container.decodeIfPresent(String.self, forKey: .bodySHA256)
  }

  /// Writes a request.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(method.rawValue, forKey: .method)
    try container.encode(url, forKey: .url)
    try container.encode(headers.fieldLines, forKey: .headers)
    try container.encodeIfPresent(bodySHA256, forKey: .bodySHA256)
  }
}
