package import LinnetBytes

/// The target of a request line (RFC 9112 §3.2).
public struct RequestTarget: Sendable, Hashable {
  private let text: String

  /// The origin form of `text`.
  package init(origin text: String) { self.text = text }

  package func write(into out: inout WriteBuffer) { out.append(utf8: text) }
}
