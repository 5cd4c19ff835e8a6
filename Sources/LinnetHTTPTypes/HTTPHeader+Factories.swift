internal import LinnetBytes

extension HTTPHeader {
  /// `Accept` (RFC 9110 §12.5.1).
  public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }

  /// `Accept-Charset` (RFC 9110 §12.5.2).
  public static func acceptCharset(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Charset", value: value) }

  /// `Accept-Language` (RFC 9110 §12.5.4).
  public static func acceptLanguage(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Language", value: value) }

  /// `Accept-Encoding` (RFC 9110 §12.5.3).
  public static func acceptEncoding(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Encoding", value: value) }

  /// `Authorization` with Basic credentials (RFC 7617).
  ///
  /// Username and password are normalised to NFC and encoded as UTF-8 (RFC 7617 §2.1), so that the same password typed
  /// on different systems gives the same bytes. A colon in the username or a control character in either makes the
  /// field invalid (see ``validate()``).
  public static func authorization(username: String, password: String) -> HTTPHeader {
    let credentials = Array("\(username):\(password)".normalizedNFC.utf8)
    let defect: HTTPHeaderError.Reason? =
      if username.utf8.contains(ASCII.colon) {
        .colonInUsername
      } else if credentials.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
        .controlInCredentials
      } else {
        nil
      }
    return HTTPHeader(name: "Authorization", value: "Basic " + Base64.encode(credentials), defect: defect)
  }

  /// `Authorization` with a bearer token (RFC 6750 §2.1), which is sent as it is.
  public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }

  /// `Authorization` with a value of the caller's: scheme and credentials (RFC 9110 §11.6.2).
  public static func authorization(_ value: String) -> HTTPHeader { HTTPHeader(name: "Authorization", value: value) }

  /// `Content-Disposition` (RFC 6266).
  public static func contentDisposition(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Disposition", value: value)
  }

  /// `Content-Encoding` (RFC 9110 §8.4).
  public static func contentEncoding(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Encoding", value: value)
  }

  /// `Content-Type` (RFC 9110 §8.3).
  public static func contentType(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Type", value: value) }

  /// `Content-Type` (RFC 9110 §8.3).
  public static func contentType(_ type: MediaType) -> HTTPHeader { contentType(type.description) }

  /// `User-Agent` (RFC 9110 §10.1.5).
  public static func userAgent(_ value: String) -> HTTPHeader { HTTPHeader(name: "User-Agent", value: value) }

  /// `Sec-WebSocket-Protocol` (RFC 6455 §11.3.4).
  public static func websocketProtocol(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Sec-WebSocket-Protocol", value: value)
  }

  /// The values in order of preference with falling weights, for `Accept-Language` and its like (RFC 9110 §12.4.2):
  /// `de, en;q=0.9, fr;q=0.8`. The weight falls by 0.1 for each value and not below 0.
  ///
  /// - Parameter maximumCount: How many values are used. Six identify a user less than a whole list would.
  package static func weightedList(_ values: some Sequence<String>, maximumCount: Int = 6) -> String {
    values.prefix(max(0, maximumCount)).enumerated().map { position, value in
      switch position {
      case 0: value
      case 1...9: "\(value);q=0.\(10 - position)"
      default: "\(value);q=0"
      }
    }.joined(separator: ", ")
  }
}
