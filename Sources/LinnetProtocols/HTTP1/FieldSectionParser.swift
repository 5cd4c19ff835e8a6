internal import LinnetHTTPTypes

/// Reads the field lines of a head or a trailer section up to the empty line, within bounds.
///
/// Used by ``ResponseHeadParser`` and ``ChunkedDecoder``. A complete section becomes ``HTTPHeaders`` by one copy of its
/// bytes and one array of entries; the list of lines that is kept meanwhile is reused from message to message.
struct FieldSectionParser: Sendable {
  private var lineParser: FieldLineParser
  private var lines: [FieldLine]
  private let start: Int
  private let maximumBytes: Int
  private let maximumCount: Int
  private let sizeError: HTTP1Error.Reason

  /// - Parameters:
  ///   - start: Where the section starts in the unread input.
  ///   - maximumBytes: The bound on the section, line ends included.
  ///   - sizeError: What a longer section is reported as.
  ///   - recycled: A list whose capacity is reused.
  init(
    start: Int, limits: HTTP1Limits, maximumBytes: Int, sizeError: HTTP1Error.Reason,
    recycled: consuming [FieldLine] = []
  ) {
    lineParser = FieldLineParser(start: start, limits: limits)
    lines = recycled
    lines.removeAll(keepingCapacity: true)
    self.start = start
    self.maximumBytes = max(0, maximumBytes)
    maximumCount = limits.maximumFieldCount
    self.sizeError = sizeError
  }

  /// The first byte that was not looked at; behind the empty line once the section is complete.
  var position: Int { lineParser.position }

  /// Goes on with the input seen so far, and more.
  ///
  /// - Returns: Whether the section is complete.
  mutating func parse(_ input: Span<UInt8>) throws(HTTP1Error) -> Bool {
    // Bytes past the bound are not looked at, so the verdict does not depend on how the input was cut.
    let (bound, overflow) = start.addingReportingOverflow(maximumBytes)
    let end = overflow ? input.count : min(input.count, bound)
    while true {
      switch try lineParser.next(input, upTo: end) {
      case .field(let line):
        guard lines.count < maximumCount else { throw .remote(.tooManyFields(limit: maximumCount)) }
        lines.append(line)
      case .endOfSection:
        return true
      case .incomplete:
        if !overflow && end == bound { throw .remote(sizeError) }
        return false
      }
    }
  }

  /// The fields of a complete section.
  func headers(_ input: Span<UInt8>) -> HTTPHeaders {
    var headers = HTTPHeaders()
    guard !lines.isEmpty else { return headers }
    let section = input.extracting(start..<position)
    headers.reserve(bytes: section.count, fields: lines.count)
    let shift = headers.appendBlock(section) - start
    for line in lines {
      if line.isFolded {
        headers.appendUnchecked(name: input.extracting(line.name), value: unfolded(input.extracting(line.value)).span)
      } else {
        headers.appendField(
          name: (line.name.lowerBound + shift)..<(line.name.upperBound + shift),
          value: (line.value.lowerBound + shift)..<(line.value.upperBound + shift))
      }
    }
    return headers
  }

  /// Every line end inside a folded value reads as spaces (RFC 9112 §5.2).
  private func unfolded(_ value: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.count)
    for index in value.indices { bytes.append(value[index] == 0x0D || value[index] == 0x0A ? 0x20 : value[index]) }
    return bytes
  }

  /// Gives the list of lines to the next parser, unless one unusual message made it large.
  mutating func takeLines() -> [FieldLine] {
    let taken = lines
    lines = []
    return taken.capacity <= Self.keptLineCapacity ? taken : []
  }

  private static var keptLineCapacity: Int { 256 }
}
