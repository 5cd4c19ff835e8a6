internal import LinnetBytes

extension HTTPURL {
  /// Recognises, in one pass, a URL that is its own serialisation: lower-case scheme, plain domain name or dotted-decimal
  /// address, no userinfo, no dot segments and nothing to encode. Nil means nothing but "use the general parser".
  static func parseNormalised(_ text: Span<UInt8>) -> HTTPURL? {
    guard let scheme = normalisedScheme(text) else { return nil }
    var layout = Layout()
    layout.scheme = scheme
    layout.hostStart = scheme.prefixLength
    layout.usernameEnd = scheme.prefixLength
    guard let (kind, hostEnd) = endOfPlainHost(text, from: Int(scheme.prefixLength)) else { return nil }
    layout.hostKind = kind
    var index = hostEnd
    layout.hostEnd = UInt32(truncatingIfNeeded: index)
    if index < text.count, text[index] == ASCII.colon {
      guard let (port, end) = normalisedPort(text, from: index + 1), port != scheme.defaultPort else { return nil }
      layout.port = port
      index = end
    }
    layout.pathStart = UInt32(truncatingIfNeeded: index)
    guard index < text.count else {
      layout.pathEnd = layout.pathStart + 1
      layout.queryEnd = layout.pathEnd
      return HTTPURL(bytes: copy(text, appending: "/"), layout: layout)
    }
    guard text[index] == UInt8(ascii: "/"), let pathEnd = endOfPlainPath(text, from: index) else { return nil }
    index = pathEnd
    layout.pathEnd = UInt32(truncatingIfNeeded: index)
    if index < text.count, text[index] == UInt8(ascii: "?") {
      index = end(text, of: .encodedInQuery, from: index + 1)
    }
    layout.queryEnd = UInt32(truncatingIfNeeded: index)
    if index < text.count, text[index] == UInt8(ascii: "#") {
      index = end(text, of: .encodedInFragment, from: index + 1)
    }
    return index == text.count ? HTTPURL(bytes: copy(text), layout: layout) : nil
  }

  private static func normalisedScheme(_ text: Span<UInt8>) -> Scheme? {
    guard text.count > 8 else { return nil }
    var head: UInt64 = 0
    for index in 0..<8 { head = head << 8 | UInt64(text[index]) }
    if head == 0x6874_7470_733A_2F2F { return .https }
    if head >> 8 == 0x68_7474_703A_2F2F { return .http }
    if head >> 16 == 0x7773_733A_2F2F { return .wss }
    return head >> 24 == 0x77_733A_2F2F ? .ws : nil
  }

  /// Nil when the host is empty, or might be an IPv4 address that is not in its normal form.
  private static func endOfPlainHost(_ text: Span<UInt8>, from start: Int) -> (kind: HostKind, end: Int)? {
    var index = start
    var label = start
    var labelBefore = start
    while index < text.count, URLByteSet.plainInHost.contains(text[index]) {
      if text[index] == UInt8(ascii: ".") {
        labelBefore = label
        label = index + 1
      }
      index += 1
    }
    guard index > start else { return nil }
    // After a trailing dot the label before it decides.
    let last = label < index ? label : labelBefore
    guard (0x30...0x39).contains(text[last]) else { return (.name, index) }
    return isDottedDecimal(text.extracting(start..<index)) ? (.ipv4, index) : nil
  }

  /// Whether `text` is four numbers up to 255 without leading zeros.
  private static func isDottedDecimal(_ text: Span<UInt8>) -> Bool {
    var numbers = 1
    var value = 0
    var digits = 0
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: ".") {
        if digits == 0 { return false }
        numbers += 1
        value = 0
        digits = 0
      } else {
        guard (0x30...0x39).contains(byte), digits == 0 || value > 0 else { return false }
        value = value * 10 + Int(byte &- 0x30)
        digits += 1
        if value > 255 { return false }
      }
    }
    return numbers == 4 && digits > 0
  }

  private static func normalisedPort(_ text: Span<UInt8>, from start: Int) -> (port: UInt16, end: Int)? {
    var value: UInt32 = 0
    var index = start
    while index < text.count, let digit = ASCII.digitValue(text[index]) {
      value = value * 10 + UInt32(digit)
      if value == 0 || value > 65535 { return nil }
      index += 1
    }
    return index > start ? (UInt16(truncatingIfNeeded: value), index) : nil
  }

  /// The first byte that ends the path or would need encoding; nil when there might be a dot segment.
  private static func endOfPlainPath(_ text: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    var isAtSegmentStart = false
    while index < text.count {
      let byte = text[index]
      if URLByteSet.encodedInPath.contains(byte) { break }
      if byte == UInt8(ascii: "\\") { return nil }
      if isAtSegmentStart, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return nil }
      isAtSegmentStart = byte == UInt8(ascii: "/")
      index += 1
    }
    return index
  }

  private static func end(_ text: Span<UInt8>, of encoded: URLByteSet, from start: Int) -> Int {
    var index = start
    while index < text.count, !encoded.contains(text[index]) { index += 1 }
    return index
  }

  private static func copy(_ text: Span<UInt8>, appending suffix: String = "") -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count + suffix.utf8.count)
    // SAFETY: the pointer is used only during the call.
    unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: suffix.utf8)
    return bytes
  }
}
