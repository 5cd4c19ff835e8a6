/// Where the parts of one field line lie in the receive buffer.
struct FieldLine: Sendable {
  var name: Range<Int>
  /// Without the whitespace around it.
  var value: Range<Int>
  /// Whether the value has line ends in it, each of which reads as spaces (RFC 9112 §5.2).
  var isFolded: Bool
}

/// Splits a field section into lines and lines into name and value (RFC 9112 §5), one byte once.
///
/// Used by ``FieldSectionParser``. It remembers how far it got and in which part of a line that was, so a section that
/// arrives byte by byte costs as much as one that arrives whole, and both give the same result: each byte is judged when
/// it is seen. Offsets count from the start of the unread input, which the caller keeps until the section is complete.
struct FieldLineParser: Sendable {
  enum Outcome {
    case incomplete
    case field(FieldLine)
    /// The empty line; ``FieldLineParser/position`` is behind it.
    case endOfSection
  }

  /// The part of a line that the next byte belongs to.
  private enum Part {
    /// The first byte of a line. Exits: name, endOfSection.
    case lineStart
    /// The LF of the empty line. Exits: end of the section.
    case emptyLineFeed
    /// The name after its first byte. Exits: padding at the colon.
    case name
    /// Whitespace before the value, which is not part of it. Exits: value.
    case padding
    /// Exits: lineFeed at CR, lineStart or fold at a bare LF that is accepted.
    case value
    /// The LF behind a value. Exits: lineStart, or fold when folding is accepted.
    case lineFeed
    /// The first byte after a line, which tells whether the value goes on. Exits: padding, lineStart.
    case fold
  }

  /// The first byte that was not looked at.
  private(set) var position: Int
  private var part = Part.lineStart
  private var nameStart = 0
  private var nameEnd = 0
  private var valueStart = 0
  private var valueEnd = 0
  private var segmentStart = 0
  private var isFolded = false
  private let acceptsBareLineFeed: Bool
  private let acceptsLineFolding: Bool

  init(start: Int, limits: HTTP1Limits) {
    position = start
    acceptsBareLineFeed = limits.acceptsBareLineFeed
    acceptsLineFolding = limits.acceptsLineFolding
  }

  /// Goes on until a line is complete or the input before `end` is used up.
  mutating func next(_ input: Span<UInt8>, upTo end: Int) throws(HTTP1Error) -> Outcome {
    let end = min(end, input.count)
    while position < end {
      switch part {
      case .lineStart:
        if let line = wholeLine(input, end) { return .field(line) }
        if try startLine(input[position]) { return .endOfSection }
      case .emptyLineFeed:
        guard input[position] == 0x0A else { throw .remote(.bareCarriageReturn) }
        position += 1
        part = .lineStart
        return .endOfSection
      case .name:
        try scanName(input, end)
      case .padding:
        skipPadding(input, end)
      case .value:
        if try scanValue(input, end) { return .field(finishLine()) }
      case .lineFeed:
        guard input[position] == 0x0A else { throw .remote(.bareCarriageReturn) }
        position += 1
        if !acceptsLineFolding { return .field(finishLine()) }
        part = .fold
      case .fold:
        if input[position] != 0x20 && input[position] != 0x09 { return .field(finishLine()) }
        isFolded = true
        part = .padding
      }
    }
    return .incomplete
  }

  /// The short cut for a line that is there as a whole and has nothing unusual about it, which is nearly every line.
  ///
  /// - Returns: nil, and nothing has changed, when the line must be looked at part by part. That can only happen once
  ///   for each line, because the parts do not come back here.
  private mutating func wholeLine(_ input: Span<UInt8>, _ end: Int) -> FieldLine? {
    let nameEnd = ByteScan.endOfToken(input, from: position, to: end)
    guard nameEnd > position, nameEnd < end, input[nameEnd] == 0x3A else { return nil }
    var start = nameEnd + 1
    while start < end, input[start] == 0x20 || input[start] == 0x09 { start += 1 }
    let lineEnd = ByteScan.endOfFieldValue(input, from: start, to: end)
    guard lineEnd + 1 < end, input[lineEnd] == 0x0D, input[lineEnd + 1] == 0x0A else { return nil }
    if acceptsLineFolding {
      // The next byte tells whether the value goes on.
      guard lineEnd + 2 < end, input[lineEnd + 2] != 0x20, input[lineEnd + 2] != 0x09 else { return nil }
    }
    var valueEnd = lineEnd
    while valueEnd > start, input[valueEnd - 1] == 0x20 || input[valueEnd - 1] == 0x09 { valueEnd -= 1 }
    let line = FieldLine(name: position..<nameEnd, value: start..<valueEnd, isFolded: false)
    position = lineEnd + 2
    return line
  }

  /// - Returns: Whether this was the empty line.
  private mutating func startLine(_ byte: UInt8) throws(HTTP1Error) -> Bool {
    switch byte {
    case 0x0D:
      position += 1
      part = .emptyLineFeed
      return false
    case 0x0A:
      guard acceptsBareLineFeed else { throw .remote(.bareLineFeed) }
      position += 1
      return true
    case 0x20, 0x09:
      throw .remote(.lineFolding)
    default:
      guard ByteScan.isToken(byte) else { throw .remote(.invalidFieldName) }
      nameStart = position
      part = .name
      return false
    }
  }

  private mutating func scanName(_ input: Span<UInt8>, _ end: Int) throws(HTTP1Error) {
    position = ByteScan.endOfToken(input, from: position, to: end)
    guard position < end else { return }
    switch input[position] {
    case 0x3A:
      nameEnd = position
      position += 1
      segmentStart = position
      valueStart = position
      valueEnd = position
      isFolded = false
      part = .padding
    case 0x20, 0x09: throw .remote(.whitespaceBeforeColon)
    case 0x0D, 0x0A: throw .remote(.missingColon)
    default: throw .remote(.invalidFieldName)
    }
  }

  private mutating func skipPadding(_ input: Span<UInt8>, _ end: Int) {
    while position < end, input[position] == 0x20 || input[position] == 0x09 { position += 1 }
    guard position < end else { return }
    segmentStart = position
    if valueEnd == valueStart {
      // Nothing but whitespace so far: the value starts here, also when that is behind a fold.
      valueStart = position
      valueEnd = position
      isFolded = false
    }
    part = .value
  }

  /// - Returns: Whether the field line is complete.
  private mutating func scanValue(_ input: Span<UInt8>, _ end: Int) throws(HTTP1Error) -> Bool {
    position = ByteScan.endOfFieldValue(input, from: position, to: end)
    guard position < end else { return false }
    var last = position
    while last > segmentStart, input[last - 1] == 0x20 || input[last - 1] == 0x09 { last -= 1 }
    if last > segmentStart { valueEnd = last }
    switch input[position] {
    case 0x0D:
      position += 1
      part = .lineFeed
      return false
    case 0x0A:
      guard acceptsBareLineFeed else { throw .remote(.bareLineFeed) }
      position += 1
      part = .fold
      return !acceptsLineFolding
    default:
      throw .remote(.invalidFieldValue)
    }
  }

  private mutating func finishLine() -> FieldLine {
    part = .lineStart
    return FieldLine(name: nameStart..<nameEnd, value: valueStart..<valueEnd, isFolded: isFolded)
  }
}
