package import LinnetBytes

/// The target of a request line (RFC 9112 §3.2): exactly the bytes that are sent.
///
/// A target has at least one byte and only visible ASCII, so that it cannot end the request line early.
public struct RequestTarget: Sendable {
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
  /// Often the whole URL that the target is a part of, so that taking its target copies nothing.
  private let storage: [UInt8]
  private let range: Range<Int>

  init(form: Form, storage: [UInt8], range: Range<Int>? = nil) {
    self.form = form
    self.storage = storage
    self.range = (range ?? 0..<storage.count).clamped(to: 0..<storage.count)
  }

  /// The bytes.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { storage.span.extracting(range) }
  }

  /// `*`.
  public static let asterisk = RequestTarget(form: .asterisk, storage: [UInt8(ascii: "*")])

  /// The origin form of a path with or without query.
  ///
  /// What may not stand there is percent-encoded (``PercentEncoding``), `#` too; escapes that are there stay. A missing
  /// leading slash is added. ``HTTPURL/requestTarget`` is the target for a URL.
  public init(origin pathAndQuery: String) {
    let text = Array(pathAndQuery.utf8)
    let mark = text.firstIndex(of: UInt8(ascii: "?")) ?? text.count
    var output: [UInt8] = []
    output.reserveCapacity(text.count + 1)
    if text.first != UInt8(ascii: "/") { output.append(UInt8(ascii: "/")) }
    PercentEncoding.append(text[..<mark], to: &output, encoding: .encodedInPath)
    // The `?` itself is not in the set.
    PercentEncoding.append(text[mark...], to: &output, encoding: .encodedInQuery)
    self.init(form: .origin, storage: output)
  }

  /// The authority form of an origin: host and port, for CONNECT.
  public init(authority origin: Origin) {
    self.init(form: .authority, storage: Array(origin.authority.utf8))
  }

  /// Exactly `text`, for those who need a target that no URL gives, such as one with `..` in it.
  ///
  /// - Returns: Nil when it is empty or has spaces, control or non-ASCII characters.
  public init?(exactly text: String) {
    self.init(exactly: text.utf8.span)
  }

  /// Exactly these bytes, such as those of a received request line.
  package init?(exactly text: Span<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for index in text.indices {
      guard (0x21...0x7E).contains(text[index]) else { return nil }
      bytes.append(text[index])
    }
    guard !bytes.isEmpty else { return nil }
    self.init(form: Self.form(of: bytes), storage: bytes)
  }

  private static func form(of text: [UInt8]) -> Form {
    if text.first == UInt8(ascii: "/") { return .origin }
    if text.elementsEqual("*".utf8) { return .asterisk }
    guard let colon = text.firstIndex(of: ASCII.colon) else { return .authority }
    return text[colon...].starts(with: "://".utf8) ? .absolute : .authority
  }

  /// Writes the bytes to a request line.
  package func write(into out: inout WriteBuffer) { out.append(span) }
}

extension RequestTarget: Hashable {
  /// Whether both have the same bytes; the form follows from them.
  public static func == (left: RequestTarget, right: RequestTarget) -> Bool {
    left.storage[left.range] == right.storage[right.range]
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage[range]) }
}

extension RequestTarget: CustomStringConvertible {
  /// The bytes as text.
  public var description: String { String(decoding: storage[range], as: UTF8.self) }
}
