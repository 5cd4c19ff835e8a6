package import LinnetHTTP

/// What `-v` tells on standard error: `*` what happens, `>` what is sent, `<` what is received. Secrets are masked unless
/// the user asks for them: such output ends up in bug reports.
package struct VerboseOutput: Sendable {
  private let showsSecrets: Bool
  /// The framing field of the request's body, which the client adds after the other fields.
  private let framingLine: String?

  package init(showsSecrets: Bool, framingLine: String?) {
    self.showsSecrets = showsSecrets
    self.framingLine = framingLine
  }

  func show(_ event: ExchangeEvent) { Console.write(text(for: event)) }

  func show(_ head: ResponseHead) { Console.write(text(for: head)) }

  func show(trailers: HTTPHeaders) { Console.write(text(for: trailers, mark: "<")) }

  func note(_ text: String) { Console.line("* \(text)") }

  package func text(for event: ExchangeEvent) -> String {
    switch event {
    case .connection(let connection): text(for: connection)
    case .requestHead(let head): text(for: head)
    case .interim(let head): text(for: head)
    case .redirected(let head, let hop):
      text(for: head) + lines(["* following the redirection to \(hop.to.redactedDescription)"])
    case .challenged(let head): text(for: head) + lines(["* sending again with credentials"])
    case .resent(let reason): lines(["* \(reason); sending again on another connection"])
    }
  }

  private func text(for connection: ConnectionInfo) -> String {
    var notes = connection.failedPeers.map { "* could not connect: \($0)" }
    notes.append("* \(connection.isReused ? "reusing the connection" : "connected") to \(connection.peerAddress)")
    if let tls = connection.tls {
      notes.append("* \(tls.version), \(tls.cipher)\(tls.isResumed ? ", session resumed" : "")")
      let agreed = tls.applicationProtocol.map { "accepted \($0)" } ?? "did not agree on a protocol"
      notes.append("* ALPN: server \(agreed)")
      if let subject = tls.peerSubject { notes.append("* certificate: \(subject)") }
      if let issuer = tls.peerIssuer { notes.append("* issued by: \(issuer)") }
    }
    return lines(notes)
  }

  private func text(for head: RequestHead) -> String {
    let requestLine = "> \(head.method.rawValue) \(target(head.target)) \(head.version)"
    var sent = head.headers.map { line(for: $0) }
    if let framingLine, !head.headers.contains("Content-Length") { sent.append(framingLine) }
    if head.version == .http2 { sent = sent.compactMap(Self.overHTTP2) }
    return lines(["* using \(head.version)", requestLine] + sent.map { "> \($0)" }) + ">\n"
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

  package func text(for head: ResponseHead) -> String {
    // HTTP/2 has no reason phrases.
    let reason = head.version == .http2 ? "" : " \(head.reason)"
    return lines(["< \(head.version) \(head.status.code)\(reason)"]) + text(for: head.headers, mark: "<")
  }

  private func text(for headers: HTTPHeaders, mark: String) -> String { fields(headers, mark: mark) + "\(mark)\n" }

  private func fields(_ headers: HTTPHeaders, mark: String) -> String {
    lines(headers.map { "\(mark) \(line(for: $0))" })
  }

  private func line(for header: HTTPHeader) -> String { "\(header.name): \(isHidden(header) ? "***" : header.value)" }

  private func lines(_ lines: [String]) -> String {
    lines.map { "\(Console.singleLine($0))\n" }.joined()
  }

  // MARK: Secrets

  private static let secretWords = [
    "token", "secret", "password", "passwd", "api-key", "api_key", "apikey", "signature",
  ]

  /// Credentials by definition, and fields whose name says so: `X-Api-Key`, `X-Auth-Token`.
  private func isHidden(_ header: HTTPHeader) -> Bool {
    guard !showsSecrets else { return false }
    if header.isSensitive { return true }
    let name = header.name.lowercased()
    return Self.secretWords.contains { name.contains($0) }
  }

  /// The target with the values of query parameters masked whose names say that they are secret.
  private func target(_ target: RequestTarget) -> String {
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
}
