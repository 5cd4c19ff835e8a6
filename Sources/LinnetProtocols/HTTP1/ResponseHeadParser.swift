internal import LinnetBytes
internal import LinnetHTTPTypes

/// Parses the status line and the field section of a response (RFC 9112 §4, §5), incrementally and within
/// ``HTTP1Limits``.
///
/// Used by ``HTTP1ClientMachine``, which keeps the input of a head in its buffer until the head is complete. Each byte is
/// looked at once however the input is cut, and the first illegal byte is reported when it is seen, so that a server
/// that speaks something else is recognised at once.
struct ResponseHeadParser: Sendable {
  /// A complete head and how many bytes of the input it took.
  struct ParsedHead {
    var head: ResponseHead
    var byteCount: Int
  }

  /// The part of a head that the next byte belongs to.
  private enum Part {
    /// Empty lines before the status line. Exits: leadingLineFeed, version.
    case leading
    /// The LF of such a line. Exits: leading.
    case leadingLineFeed
    /// `HTTP/1.1 200` and the byte behind it. Exits: reason, lineFeed.
    case prefix
    /// Exits: lineFeed, fields.
    case reason
    /// The LF of the status line. Exits: fields.
    case lineFeed
    /// Exits: a complete head, and leading again.
    case fields
  }

  private let limits: HTTP1Limits
  private var part = Part.leading
  /// The first byte that was not looked at, while the status line is parsed.
  private var position = 0
  private var leadingLines = 0
  private var lineStart = 0
  private var minorVersion: UInt8 = 0
  private var code = 0
  /// Whether the status line ended with a lone LF; then the field lines may, too.
  private var hasBareLineFeeds = false
  private var reason = 0..<0
  private var section: FieldSectionParser
  private var recycledLines: [FieldLine] = []

  init(limits: HTTP1Limits) {
    self.limits = limits
    section = FieldSectionParser(
      start: 0, limits: limits, maximumBytes: 0, sizeError: .fieldSectionTooLarge(limit: 0))
  }

  /// Whether no byte of a status line was seen yet; empty lines do not count.
  var isAtStart: Bool {
    switch part {
    case .leading, .leadingLineFeed: true
    case .prefix, .reason, .lineFeed, .fields: false
    }
  }

  /// How many bytes of the input were looked at.
  var examinedCount: Int {
    if case .fields = part { section.position } else { position }
  }

  /// Goes on with the input seen so far, and more.
  ///
  /// - Returns: nil while the head is incomplete. After a complete head the parser expects the next one.
  mutating func parse(_ input: Span<UInt8>) throws(HTTP1Error) -> ParsedHead? {
    if !isInFields {
      guard try parseStatusLine(input) else { return nil }
      var lineLimits = limits
      lineLimits.acceptsBareLineFeed = hasBareLineFeeds
      section = FieldSectionParser(
        start: position, limits: lineLimits, maximumBytes: limits.maximumFieldSectionBytes,
        sizeError: .fieldSectionTooLarge(limit: limits.maximumFieldSectionBytes), recycled: recycledLines)
      recycledLines = []
      part = .fields
    }
    guard try section.parse(input) else { return nil }
    // Codes were checked to have three digits and not to start with 0, so this never fails.
    guard let status = HTTPStatus(code: code) else { throw .remote(.invalidStatusLine) }
    // A minor version above ours means what ours means (RFC 9110 §2.5).
    let parsed = ParsedHead(
      head: ResponseHead(
        version: minorVersion == 0 ? .http1_0 : .http1_1, status: status,
        reason: Self.phrase(input.extracting(reason), status), headers: section.headers(input)),
      byteCount: section.position)
    reset()
    return parsed
  }

  private var isInFields: Bool {
    if case .fields = part { true } else { false }
  }

  /// Expects a head at the start of the input.
  private mutating func reset() {
    recycledLines = section.takeLines()
    part = .leading
    position = 0
    leadingLines = 0
    hasBareLineFeeds = false
  }

  /// - Returns: Whether the status line is complete.
  private mutating func parseStatusLine(_ input: Span<UInt8>) throws(HTTP1Error) -> Bool {
    while position < input.count {
      switch part {
      case .leading:
        try skipEmptyLine(input[position])
      case .leadingLineFeed:
        guard input[position] == 0x0A else { throw .remote(.invalidStatusLine) }
        position += 1
        part = .leading
      case .prefix:
        if try parsePrefix(input) { return true }
      case .reason:
        if try scanReason(input) { return true }
      case .lineFeed:
        guard input[position] == 0x0A else { throw .remote(.bareCarriageReturn) }
        position += 1
        return true
      case .fields:
        return true
      }
    }
    return false
  }

  private mutating func skipEmptyLine(_ byte: UInt8) throws(HTTP1Error) {
    let isLineFeed = byte == 0x0A && limits.acceptsBareLineFeed
    guard byte == 0x0D || isLineFeed else {
      lineStart = position
      part = .prefix
      return
    }
    leadingLines += 1
    guard leadingLines <= HTTP1Limits.maximumLeadingEmptyLines else { throw .remote(.invalidStatusLine) }
    position += 1
    if !isLineFeed { part = .leadingLineFeed }
  }

  /// `HTTP/1.x SP 3DIGIT` and the SP, CR or LF behind it. The SP is not there when the reason is missing altogether,
  /// which the grammar forbids and many servers do.
  ///
  /// - Returns: Whether the status line is complete.
  private mutating func parsePrefix(_ input: Span<UInt8>) throws(HTTP1Error) -> Bool {
    while position < input.count {
      let byte = input[position]
      switch position - lineStart {
      case 0: try expect(byte == 0x48)
      case 1, 2: try expect(byte == 0x54)
      case 3: try expect(byte == 0x50)
      case 4: try expect(byte == 0x2F)
      case 5:
        guard byte == 0x31 else { throw .remote(isDigit(byte) ? .unsupportedVersion : .invalidStatusLine) }
      case 6: try expect(byte == 0x2E)
      case 7:
        try expect(isDigit(byte))
        minorVersion = byte &- 0x30
      case 8: try expect(byte == 0x20)
      case 9:
        try expect(isDigit(byte) && byte != 0x30)
        code = Int(byte &- 0x30)
      case 10, 11:
        try expect(isDigit(byte))
        code = code * 10 + Int(byte &- 0x30)
      default:
        position += 1
        reason = position..<position
        return try endPrefix(byte)
      }
      position += 1
    }
    return false
  }

  private mutating func endPrefix(_ byte: UInt8) throws(HTTP1Error) -> Bool {
    switch byte {
    case 0x20:
      part = .reason
      return false
    case 0x0D:
      part = .lineFeed
      return false
    case 0x0A:
      try acceptBareLineFeed()
      return true
    default:
      throw .remote(.invalidStatusLine)
    }
  }

  /// - Returns: Whether the status line is complete.
  private mutating func scanReason(_ input: Span<UInt8>) throws(HTTP1Error) -> Bool {
    // Bytes past the bound are not looked at, so the verdict does not depend on how the input was cut.
    let (bound, overflow) = lineStart.addingReportingOverflow(max(0, limits.maximumStatusLineBytes))
    let end = overflow ? input.count : min(input.count, max(bound, position))
    position = ByteScan.endOfFieldValue(input, from: position, to: end)
    guard position < end else {
      if !overflow && position >= bound {
        throw .remote(.statusLineTooLong(limit: limits.maximumStatusLineBytes))
      }
      return false
    }
    reason = reason.lowerBound..<position
    switch input[position] {
    case 0x0D:
      position += 1
      part = .lineFeed
      return false
    case 0x0A:
      try acceptBareLineFeed()
      position += 1
      return true
    default:
      throw .remote(.invalidStatusLine)
    }
  }

  private mutating func acceptBareLineFeed() throws(HTTP1Error) {
    guard limits.acceptsBareLineFeed else { throw .remote(.bareLineFeed) }
    hasBareLineFeeds = true
  }

  private func expect(_ condition: Bool) throws(HTTP1Error) {
    guard condition else { throw .remote(.invalidStatusLine) }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// The reason as a string. Up to 15 bytes fit into the value; longer ones are mostly the registered phrase, whose
  /// string needs no memory either.
  private static func phrase(_ bytes: Span<UInt8>, _ status: HTTPStatus) -> String {
    if bytes.count > 15 {
      let registered = status.reasonPhrase
      if registered.utf8.count == bytes.count {
        let expected = registered.utf8Span.span
        if bytes.indices.allSatisfy({ bytes[$0] == expected[$0] }) { return registered }
      }
    }
    // SAFETY: the pointer is used only during the call.
    return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
