internal import LinnetHTTP

/// What is shown to people with secrets masked, unless the user asks for them: such output ends up in bug reports. Heads, and
/// every URL that stands in an option, a field or a message, are masked here and nowhere else.
struct SecretMask: Sendable {
  let showsSecrets: Bool

  static let secretWords = [
    "token", "secret", "password", "passwd", "api-key", "api_key", "apikey", "signature", "credential",
  ]

  /// Names that say it as a whole only: `monkey` and `design` are no secrets.
  static let secretNames: Set = ["key", "sig", "pwd", "pass", "auth", "code", "session", "sid", "jwt"]

  func line(for header: HTTPHeader) -> String { "\(header.name): \(value(of: header))" }

  func value(of header: HTTPHeader) -> String {
    guard !showsSecrets else { return header.value }
    if isHidden(header) { return "***" }
    // A URL may stand in any field; in these it may be one without a scheme.
    let isURL =
      ["referer", "location", "content-location", "refresh", "link", "origin"].contains(header.name.lowercased())
      || Self.hasURL(Array(header.value.utf8))
    return isURL ? url(header.value) : header.value
  }

  /// Credentials by definition, and fields whose name says so: `X-Api-Key`, `X-Auth-Token`.
  private func isHidden(_ header: HTTPHeader) -> Bool {
    guard !showsSecrets else { return false }
    if header.isSensitive { return true }
    let name = header.name.lowercased()
    return Self.secretWords.contains { name.contains($0) }
  }

  /// Whether the field of this name has a secret in it.
  func hides(fieldNamed name: Argument) -> Bool { isHidden(HTTPHeader(name: name.text, value: "")) }

  // MARK: URLs

  /// A URL, or the target of a request, without user name and password and without the values of parameters whose names say
  /// that they are secret.
  func url(_ text: String) -> String {
    guard !showsSecrets else { return text }
    return String(decoding: Self.masked(Array(text.utf8), at: Self.secrets(inURL: Array(text.utf8))), as: UTF8.self)
  }

  func url(_ url: HTTPURL) -> String { self.url(url.description) }

  /// The bytes with asterisks in the place of each range.
  static func masked(_ bytes: [UInt8], at ranges: [Range<Int>]) -> [UInt8] {
    var masked: [UInt8] = []
    var end = 0
    for range in ranges {
      masked += bytes[end..<range.lowerBound] + Array("***".utf8)
      end = range.upperBound
    }
    return masked + bytes[end...]
  }

  // MARK: Lines

  /// The lines of a request's head.
  ///
  /// - Parameter framingLine: The framing field of the body, which the client adds after the other fields.
  func lines(_ head: RequestHead, framingLine: String?) -> [String] {
    var sent = head.headers.map { line(for: $0) }
    if let framingLine, !head.headers.contains("Content-Length") { sent.append(framingLine) }
    if head.version == .http2 { sent = sent.compactMap(Self.overHTTP2) }
    return ["\(head.method.rawValue) \(url(head.target.description)) \(head.version)"] + sent
  }

  /// The field as HTTP/2 sends it; nil for one that has no place there (RFC 9113 §8.2.2).
  private static func overHTTP2(_ line: String) -> String? {
    let name = line.prefix { $0 != ":" }
    switch name.lowercased() {
    case "host": return ":authority\(line[name.endIndex...])"
    case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade": return nil
    case let lowercased: return "\(lowercased)\(line[name.endIndex...])"
    }
  }

  func lines(_ head: ResponseHead) -> [String] {
    // HTTP/2 has no reason phrases.
    let reason = head.version == .http2 ? "" : " \(head.reason)"
    return ["\(head.version) \(head.status.code)\(reason)"] + head.headers.map { line(for: $0) }
  }

  /// The head as it stands on the wire of HTTP/1.1.
  func text(_ head: RequestHead, framingLine: String?) -> String {
    lines(head, framingLine: framingLine).map { "\($0)\r\n" }.joined() + "\r\n"
  }

  func text(_ head: ResponseHead) -> String { lines(head).map { "\($0)\r\n" }.joined() + "\r\n" }
}
