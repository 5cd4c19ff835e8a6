internal import LinnetHTTP

/// Heads as text with secrets masked, unless the user asks for them: such output ends up in bug reports.
struct SecretMask: Sendable {
  let showsSecrets: Bool

  private static let secretWords = [
    "token", "secret", "password", "passwd", "api-key", "api_key", "apikey", "signature",
  ]

  func line(for header: HTTPHeader) -> String { "\(header.name): \(isHidden(header) ? "***" : header.value)" }

  /// Credentials by definition, and fields whose name says so: `X-Api-Key`, `X-Auth-Token`.
  private func isHidden(_ header: HTTPHeader) -> Bool {
    guard !showsSecrets else { return false }
    if header.isSensitive { return true }
    let name = header.name.lowercased()
    return Self.secretWords.contains { name.contains($0) }
  }

  /// Whether a line of `-H` has a secret in it.
  func hides(headerLine line: Argument) -> Bool {
    guard let text = line.exactText, let colon = text.firstIndex(of: ":") else { return false }
    return isHidden(HTTPHeader(name: String(text[..<colon]), value: ""))
  }

  /// The target with the values of query parameters masked whose names say that they are secret.
  func target(_ target: RequestTarget) -> String {
    let text = target.description
    guard !showsSecrets, let question = text.firstIndex(of: "?") else { return text }
    let query = text[text.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false)
    let shown = query.map { parameter -> String in
      guard let equals = parameter.firstIndex(of: "=") else { return String(parameter) }
      let name = parameter[..<equals].lowercased()
      let isSecret = name == "key" || name == "sig" || Self.secretWords.contains { name.contains($0) }
      return isSecret ? "\(parameter[...equals])***" : String(parameter)
    }
    return "\(text[...question])\(shown.joined(separator: "&"))"
  }

  // MARK: Lines

  /// The lines of a request's head.
  ///
  /// - Parameter framingLine: The framing field of the body, which the client adds after the other fields.
  func lines(_ head: RequestHead, framingLine: String?) -> [String] {
    var sent = head.headers.map { line(for: $0) }
    if let framingLine, !head.headers.contains("Content-Length") { sent.append(framingLine) }
    if head.version == .http2 { sent = sent.compactMap(Self.overHTTP2) }
    return ["\(head.method.rawValue) \(target(head.target)) \(head.version)"] + sent
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
