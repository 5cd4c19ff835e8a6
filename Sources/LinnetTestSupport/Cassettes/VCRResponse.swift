public import FoundationEssentials
public import LinnetHTTP

/// The response of a recorded exchange.
public struct VCRResponse: Sendable, Hashable {
  /// The status code, 100 to 999.
  public var statusCode: Int
  /// The header fields as they came, but for the values of sensitive ones and for a `Content-Length` that redaction
  /// of the body changed.
  public var headers: HTTPHeaders
  /// The body as the recording transport handed it out, so decoded when that decodes; secrets in it are replaced as
  /// ``VCRRedactionPolicy`` says.
  public var body: Data

  /// A response as it stands in a cassette.
  public init(statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data()) {
    self.statusCode = statusCode
    self.headers = headers
    self.body = body
  }
}

extension VCRResponse: Codable {
  private enum CodingKeys: String, CodingKey {
    case statusCode
    case headers
    /// The body as text.
    case body
    /// The body when it is not text.
    case bodyBase64
  }

  /// Reads a response.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    statusCode = try container.decode(Int.self, forKey: .statusCode)
    guard HTTPStatus(code: statusCode) != nil else {
      throw DecodingError.dataCorruptedError(
        forKey: .statusCode, in: container, debugDescription: "\(statusCode) is not a status code")
    }
    headers = try container.decodeFieldLines(forKey: .headers)
    if let text = try container.decodeIfPresent(String.self, forKey: .body) {
      body = Data(text.utf8)
    } else {
      body = try container.decodeIfPresent(Data.self, forKey: .bodyBase64) ?? Data()
    }
  }

  /// Writes a response.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(statusCode, forKey: .statusCode)
    try container.encode(headers.fieldLines, forKey: .headers)
    if body.isEmpty { return }
    if let text = String(validating: body, as: UTF8.self), text.isReadable {
      try container.encode(text, forKey: .body)
    } else {
      try container.encode(body, forKey: .bodyBase64)
    }
  }
}

extension String {
  /// Whether nothing in the text would be a riddle in a file: no control characters but tabs and line ends.
  fileprivate var isReadable: Bool {
    unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }
  }
}
