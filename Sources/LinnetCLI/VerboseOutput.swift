package import LinnetHTTP

/// What `-v` tells on standard error: `*` what happens, `>` what is sent, `<` what is received. Secrets are masked unless
/// the user asks for them: such output ends up in bug reports.
package struct VerboseOutput: Sendable {
  private let mask: SecretMask
  /// The framing field of the request's body, which the client adds after the other fields.
  private let framingLine: String?

  /// What stands before each line.
  private let stamp: TraceStamp?

  package init(showsSecrets: Bool, framingLine: String?) {
    self.init(showsSecrets: showsSecrets, framingLine: framingLine, stamp: nil)
  }

  init(showsSecrets: Bool, framingLine: String?, stamp: TraceStamp?) {
    mask = SecretMask(showsSecrets: showsSecrets)
    self.framingLine = framingLine
    self.stamp = stamp
  }

  func show(_ event: ExchangeEvent) { write(text(for: event)) }

  func show(_ head: ResponseHead) { write(text(for: head)) }

  func show(trailers: HTTPHeaders) { write(block(trailers.map { mask.line(for: $0) }, mark: "<")) }

  func note(_ text: String) { write(lines(["* \(text)"])) }

  private func write(_ text: String) {
    let stamp = stamp?.text ?? ""
    guard !stamp.isEmpty else {
      Console.write(text)
      return
    }
    Console.write(text.split(separator: "\n", omittingEmptySubsequences: true).map { "\(stamp)\($0)\n" }.joined())
  }

  package func text(for event: ExchangeEvent) -> String {
    switch event {
    case .connection(let connection): text(for: connection)
    case .requestHead(let head):
      lines(["* using \(head.version)"]) + block(mask.lines(head, framingLine: framingLine), mark: ">")
    case .interim(let head): text(for: head)
    case .redirected(let head, let hop):
      text(for: head) + lines(["* following the redirection to \(mask.url(hop.to))"])
    case .challenged(let head): text(for: head) + lines(["* sending again with credentials"])
    case .resent(let reason): lines(["* \(reason); sending again on another connection"])
    }
  }

  private func text(for connection: ConnectionInfo) -> String {
    var text = lines(Self.notes(on: connection).map { "* \($0)" })
    if !connection.isReused, let head = connection.proxy?.connectResponse { text += self.text(for: head) }
    return text
  }

  /// What is told about a connection, line by line.
  static func notes(on connection: ConnectionInfo) -> [String] {
    var notes = connection.failedPeers.map { "could not connect: \($0)" }
    notes.append("\(connection.isReused ? "reusing the connection" : "connected") to \(connection.peerAddress)")
    if let proxy = connection.proxy {
      notes.append("\(proxy.isTunnel ? "tunnel through the proxy" : "using the proxy") \(proxy.name)")
      if let tls = proxy.tls { notes += Self.notes(on: tls).map { "proxy: \($0)" } }
    }
    if let tls = connection.tls { notes += Self.notes(on: tls) }
    return notes
  }

  private static func notes(on tls: ConnectionInfo.TLSInfo) -> [String] {
    var notes = ["\(tls.version), \(tls.cipher)\(tls.isResumed ? ", session resumed" : "")"]
    let agreed = tls.applicationProtocol.map { "accepted \($0)" } ?? "did not agree on a protocol"
    notes.append("ALPN: server \(agreed)")
    if let subject = tls.peerSubject { notes.append("certificate: \(subject)") }
    if let issuer = tls.peerIssuer { notes.append("issued by: \(issuer)") }
    return notes
  }

  package func text(for head: ResponseHead) -> String { block(mask.lines(head), mark: "<") }

  /// Lines after a mark, and an empty one.
  private func block(_ lines: [String], mark: String) -> String {
    self.lines(lines.map { "\(mark) \($0)" }) + "\(mark)\n"
  }

  private func lines(_ lines: [String]) -> String {
    lines.map { "\(Console.singleLine($0))\n" }.joined()
  }
}
