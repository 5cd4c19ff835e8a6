internal import CLinnetNGHTTP2
internal import LinnetBytes
internal import LinnetHTTPTypes

/// Heads and trailers on their way to nghttp2: all bytes in one buffer, all fields in one array; both are used again.
@safe
struct FieldEncoder {
  /// Where a field lies in `bytes`.
  private struct Field {
    var name: Range<Int>
    var value: Range<Int>
    var isSensitive: Bool
  }

  private var bytes: [UInt8] = []
  private var fields: [Field] = []
  // SAFETY: kept for its memory only; the pointers in it are never used between calls.
  private var pairs: [nghttp2_nv] = unsafe []

  /// What a section may weigh that is sent, as HPACK counts it. Servers accept 8 to 256 KiB; nghttp2 would refuse it only
  /// when the stream exists.
  static let maximumSectionBytes = 1 << 20

  private mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
  }

  // MARK: Heads

  mutating func encode(_ head: HTTP2RequestHead) throws(HTTP2Error) {
    begin()
    guard !head.authority.isEmpty || head.method != .connect else { throw Self.invalidHead }
    try addPseudo(":method", head.method.rawValue)
    let isPlainConnect = head.method == .connect && head.connectProtocol == nil
    if isPlainConnect {
      guard head.scheme == nil, head.path == nil else { throw Self.invalidHead }
    } else {
      guard let scheme = head.scheme, !scheme.isEmpty, let path = head.path, Self.isPath(path, head.method) else {
        throw Self.invalidHead
      }
      try addPseudo(":scheme", scheme)
      if !head.authority.isEmpty { try addPseudo(":authority", head.authority) }
      try addPseudo(":path", path)
    }
    if isPlainConnect { try addPseudo(":authority", head.authority) }
    if let connectProtocol = head.connectProtocol {
      guard head.method == .connect, !connectProtocol.isEmpty else { throw Self.invalidHead }
      try addPseudo(":protocol", connectProtocol)
    }
    try add(head.headers)
  }

  mutating func encode(_ head: ResponseHead) throws(HTTP2Error) {
    begin()
    try addPseudo(":status", String(head.status.code))
    try add(head.headers)
  }

  mutating func encode(trailers: HTTPHeaders) throws(HTTP2Error) {
    begin()
    try add(trailers)
  }

  var isEmpty: Bool { fields.isEmpty }

  private static var invalidHead: HTTP2Error { HTTP2Error(.stream, .local, .internalError, .invalidHead) }

  /// RFC 9113 §8.3.1: a path starts with a slash; `*` stands for OPTIONS of the whole server.
  private static func isPath(_ path: String, _ method: HTTPMethod) -> Bool {
    path.utf8.first == 0x2F || (path == "*" && method == .options)
  }

  // MARK: Fields

  private mutating func addPseudo(_ name: StaticString, _ value: String) throws(HTTP2Error) {
    let start = bytes.count
    // SAFETY: a StaticString's bytes live for ever.
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    let middle = bytes.count
    for byte in value.utf8 {
      guard byte > 0x20, byte != 0x7F else { throw Self.invalidHead }
      bytes.append(byte)
    }
    fields.append(Field(name: start..<middle, value: middle..<bytes.count, isSensitive: false))
  }

  private mutating func add(_ headers: HTTPHeaders) throws(HTTP2Error) {
    do { try headers.validate() } catch { throw Self.invalidHead }
    let listed = Self.namesInConnection(headers)
    for index in headers.indices {
      try add(
        name: headers.nameBytes(at: index), value: headers.valueBytes(at: index),
        isSensitive: Self.isNeverIndexed(headers, index), listed)
    }
    guard bytes.count + fields.count * 32 <= Self.maximumSectionBytes else { throw Self.invalidHead }
  }

  /// Adds a field unless it belongs to the connection.
  private mutating func add(
    name: Span<UInt8>, value: Span<UInt8>, isSensitive: Bool, _ listed: [[UInt8]]
  ) throws(HTTP2Error) {
    guard name.count > 0 else { throw Self.invalidHead }
    let start = bytes.count
    for index in name.indices {
      guard ASCII.isToken(name[index]) else { throw Self.invalidHead }
      bytes.append(ASCII.lowercased(name[index]))
    }
    let middle = bytes.count
    for index in value.indices {
      guard ASCII.isFieldValue(value[index]) else { throw Self.invalidHead }
      bytes.append(value[index])
    }
    let isKept = Self.isForwarded(bytes.span.extracting(start..<middle), value, listed)
    guard isKept else {
      bytes.removeSubrange(start...)
      return
    }
    fields.append(Field(name: start..<middle, value: middle..<bytes.count, isSensitive: isSensitive))
  }

  /// A long cookie that nobody marked may be indexed: it cannot be guessed byte by byte (RFC 7541 §7.1.3), and it is
  /// what indexing saves most on. nghttp2 and browsers draw the line at 20 bytes too.
  private static func isNeverIndexed(_ headers: HTTPHeaders, _ index: Int) -> Bool {
    guard headers.isSensitive(at: index) else { return false }
    // Six bytes: of the names that are sensitive only Cookie has so few.
    let isCookie = headers.nameBytes(at: index).count == 6
    return headers.isMarkedSensitive(at: index) || !isCookie || headers.valueBytes(at: index).count < 20
  }

  private static func isForwarded(_ name: Span<UInt8>, _ value: Span<UInt8>, _ listed: [[UInt8]]) -> Bool {
    if FieldSection.isConnectionSpecific(name) || FieldSection.equal(name, "host") { return false }
    // RFC 9113 §8.2.2: TE says nothing but "trailers".
    if FieldSection.equal(name, "te") { return isTrailers(value) }
    for other in listed where isEqual(other, name) { return false }
    return true
  }

  private static func isTrailers(_ value: Span<UInt8>) -> Bool {
    let expected: StaticString = "trailers"
    guard value.count == expected.utf8CodeUnitCount else { return false }
    // SAFETY: a StaticString's bytes live for ever; the counts are equal.
    return expected.withUTF8Buffer { expected in
      for index in value.indices {
        if unsafe expected[index] != ASCII.lowercased(value[index]) { return false }
      }
      return true
    }
  }

  private static func isEqual(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in right.indices {
      if left[index] != right[index] { return false }
    }
    return true
  }

  /// The fields that Connection names, which are the connection's too (RFC 9110 §7.6.1); in lower case.
  private static func namesInConnection(_ headers: HTTPHeaders) -> [[UInt8]] {
    guard headers.nextIndex(of: "connection", from: 0) != nil else { return [] }
    var names: [[UInt8]] = []
    headers.forEachValue(of: "connection") { value in
      var name: [UInt8] = []
      for index in value.indices {
        let byte = value[index]
        if byte == 0x2C {
          if !name.isEmpty { names.append(name) }
          name = []
        } else if !ASCII.isWhitespace(byte) {
          name.append(ASCII.lowercased(byte))
        }
      }
      if !name.isEmpty { names.append(name) }
    }
    return names
  }

  // MARK: Handing over

  /// Lends the fields to nghttp2, which copies them.
  mutating func withPairs<R>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> R) -> R {
    let fields = fields
    var pairs: [nghttp2_nv] = unsafe []
    unsafe swap(&pairs, &self.pairs)
    unsafe pairs.removeAll(keepingCapacity: true)
    // SAFETY: the ranges lie inside `bytes`, whose storage does not move before `body` returns; nghttp2 reads through the
    // pointers only during the call, because no field has a NO_COPY flag.
    let result = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      for field in fields {
        let base = buffer.baseAddress
        let flags = field.isSensitive ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : NGHTTP2_NV_FLAG_NONE.rawValue
        unsafe pairs.append(
          nghttp2_nv(
            name: base.map { unsafe $0 + field.name.lowerBound },
            value: base.map { unsafe $0 + field.value.lowerBound },
            namelen: field.name.count, valuelen: field.value.count, flags: UInt8(truncatingIfNeeded: flags)))
      }
      return unsafe pairs.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }
    unsafe swap(&pairs, &self.pairs)
    return result
  }
}
