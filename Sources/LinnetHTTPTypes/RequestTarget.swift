package import LinnetBytes

/// The target of a request line (RFC 9112 §3.2): exactly the bytes that are sent.
///
/// No target contains a space or a control character, so that it cannot end the request line early.
public struct RequestTarget: Sendable, Hashable {
  /// The four forms of a target.
  public enum Form: Sendable, Hashable {
    /// Path and query, for a request to an origin server.
    case origin
    /// A whole URL, for a request to a proxy.
    case absolute
    /// Host and port, for CONNECT.
    case authority
    /// `*`, for OPTIONS about the server as a whole.
    case asterisk
  }

  /// The form.
  public let form: Form
  /// The bytes.
  package let bytes: ByteChunk

  init(form: Form, bytes: ByteChunk) {
    self.form = form
    self.bytes = bytes
  }

  /// `*`.
  public static let asterisk = RequestTarget(form: .asterisk, bytes: ByteChunk("*"))

  /// The origin form of a path with or without query.
  ///
  /// What may not stand there is percent-encoded (``PercentEncoding``), `#` too; escapes that are there stay. A missing
  /// leading slash is added. ``HTTPURL/requestTarget`` is the target for a URL.
  public init(origin pathAndQuery: String) {
    var output: [UInt8] = []
    var text = pathAndQuery.utf8[...]
    output.reserveCapacity(text.count + 1)
    if text.first != UInt8(ascii: "/") { output.append(UInt8(ascii: "/")) }
    let path = text.prefix { $0 != UInt8(ascii: "?") }
    for byte in path { PercentEncoding.append(byte, to: &output, encoding: URLByteClass.encodedInPath) }
    text = text.dropFirst(path.count)
    if let mark = text.popFirst() { output.append(mark) }
    for byte in text { PercentEncoding.append(byte, to: &output, encoding: URLByteClass.encodedInQuery) }
    self.init(form: .origin, bytes: ByteChunk(output))
  }

  /// The authority form of an origin: host and port, for CONNECT.
  public init(authority origin: Origin) {
    self.init(form: .authority, bytes: ByteChunk(origin.authority))
  }

  /// Exactly `text`, for those who need a target that no URL gives, such as one with `..` in it.
  ///
  /// - Returns: Nil when it is empty or has spaces or control characters.
  public init?(exactly text: String) {
    self.init(exactly: text.utf8.span)
  }

  /// Exactly these bytes, such as those of a received request line.
  package init?(exactly text: Span<UInt8>) {
    let chunk = ByteChunk(copying: text)
    guard !chunk.isEmpty, chunk.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    self.init(form: Self.form(of: chunk), bytes: chunk)
  }

  private static func form(of text: ByteChunk) -> Form {
    if text.first == UInt8(ascii: "/") { return .origin }
    if text.elementsEqual("*".utf8) { return .asterisk }
    guard let colon = text.firstIndex(of: ASCII.colon) else { return .authority }
    return text.dropFirst(colon).array.starts(with: "://".utf8) ? .absolute : .authority
  }

  /// Writes the bytes to a request line.
  package func write(into out: inout WriteBuffer) { out.append(bytes.span) }
}

extension RequestTarget: CustomStringConvertible {
  /// The bytes as text.
  public var description: String { String(bytes) }
}
