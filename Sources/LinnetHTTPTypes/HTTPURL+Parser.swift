internal import LinnetBytes

extension HTTPURL {
  /// The basic URL parser of the WHATWG URL standard (§4.4) for the four special schemes of the engine.
  ///
  /// The states of the standard that only other schemes reach are left out, and the others became one method for each
  /// part of a URL, because a part's end is known without looking at it.
  struct Parser {
    private let input: [UInt8]
    private let base: HTTPURL?
    private let keepsDots: Bool
    private var position = 0
    private var output: [UInt8] = []
    private var layout = Layout()

    static func parse(_ text: Span<UInt8>, base: HTTPURL?) throws(HTTPURLError) -> HTTPURL {
      guard text.count <= HTTPURL.maximumBytes else { throw .tooLong(bytes: text.count) }
      if let url = HTTPURL.parseNormalised(text) { return url }
      var parser = Parser(input: stripped(text), base: base)
      return try parser.parse()
    }

    /// Parses an absolute URL whose dot segments stay as they are.
    static func parseKeepingDots(_ text: Span<UInt8>) throws(HTTPURLError) -> HTTPURL {
      guard text.count <= HTTPURL.maximumBytes else { throw .tooLong(bytes: text.count) }
      var parser = Parser(input: stripped(text), base: nil, keepsDots: true)
      return try parser.parse()
    }

    private init(input: [UInt8], base: HTTPURL?, keepsDots: Bool = false) {
      self.input = input
      self.base = base
      self.keepsDots = keepsDots
      output.reserveCapacity(input.count + 16)
    }

    /// Drops C0 controls and spaces at both ends, and tabs and line breaks everywhere.
    private static func stripped(_ text: Span<UInt8>) -> [UInt8] {
      var lower = 0
      var upper = text.count
      while lower < upper, text[lower] <= 0x20 { lower += 1 }
      while lower < upper, text[upper - 1] <= 0x20 { upper -= 1 }
      var kept: [UInt8] = []
      kept.reserveCapacity(upper - lower)
      for index in lower..<upper {
        let byte = text[index]
        if byte != ASCII.tab && byte != ASCII.lf && byte != ASCII.cr { kept.append(byte) }
      }
      return kept
    }

    private mutating func parse() throws(HTTPURLError) -> HTTPURL {
      if let scheme = try takeScheme() {
        layout.scheme = scheme
        // `https:path` is relative to a base with the same scheme, for compatibility.
        if let base, base.scheme == scheme, !(isSlash(at: position) && isSlash(at: position + 1)) {
          try parseRelative(to: base)
        } else {
          try parseAuthority()
        }
      } else {
        guard let base else { throw .missingScheme(in: HTTPURLError.excerpt(input)) }
        layout.scheme = base.scheme
        try parseRelative(to: base)
      }
      guard output.count <= HTTPURL.maximumBytes else { throw .tooLong(bytes: output.count) }
      return HTTPURL(bytes: output, layout: layout)
    }

    /// The scheme with its colon, or nil (and nothing taken) when the text does not begin with one.
    private mutating func takeScheme() throws(HTTPURLError) -> Scheme? {
      guard let first = input.first, ASCII.isAlpha(first) else { return nil }
      let end = input.firstIndex { byte in
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39: false
        default: !ASCII.isAlpha(byte)
        }
      }
      guard let end, input[end] == ASCII.colon else { return nil }
      let name = String(decoding: input[..<end], as: UTF8.self).asciiLowercased
      guard let scheme = Scheme(rawValue: name) else { throw .unsupportedScheme(HTTPURLError.excerpt(name.utf8)) }
      position = end + 1
      return scheme
    }

    private func isSlash(at index: Int) -> Bool {
      index < input.count && (input[index] == UInt8(ascii: "/") || input[index] == UInt8(ascii: "\\"))
    }

    private var outputEnd: UInt32 { UInt32(truncatingIfNeeded: output.count) }

    private mutating func appendEncoded(_ range: Range<Int>, _ rule: PercentEncoding.Rule) {
      PercentEncoding.append(input[range], to: &output, encoding: rule.encoded)
    }
  }
}

/// References without an authority.
extension HTTPURL.Parser {
  private mutating func parseRelative(to base: HTTPURL) throws(HTTPURLError) {
    if isSlash(at: position) {
      if isSlash(at: position + 1) { return try parseAuthority() }
      keep(base, upTo: base.layout.pathStart)
      position += 1
      parsePath()
    } else if position == input.count || input[position] == UInt8(ascii: "#") {
      keep(base, upTo: base.layout.queryEnd)
      parseFragment()
    } else if input[position] == UInt8(ascii: "?") {
      keep(base, upTo: base.layout.pathEnd)
      parseQuery()
    } else {
      keep(base, upTo: base.layout.pathEnd)
      removeLastSegment()
      parsePath()
    }
  }

  private mutating func keep(_ base: HTTPURL, upTo end: UInt32) {
    output.append(contentsOf: base.slice(0..<end))
    layout = base.layout
  }
}

extension HTTPURL.Parser {
  /// The states from "special authority ignore slashes" to "port".
  private mutating func parseAuthority() throws(HTTPURLError) {
    output.append(contentsOf: layout.scheme.rawValue.utf8)
    output.append(contentsOf: "://".utf8)
    while isSlash(at: position) { position += 1 }
    let end = input[position...].firstIndex(where: URLByteSet.delimiters.contains) ?? input.count
    layout.usernameEnd = outputEnd
    if let at = input[position..<end].lastIndex(of: UInt8(ascii: "@")) {
      appendUserinfo(position..<at)
      position = at + 1
    }
    layout.hostStart = outputEnd
    let hostEnd = endOfHost(position..<end)
    guard hostEnd > position else { throw .missingHost(in: HTTPURLError.excerpt(input)) }
    try appendHost(input[position..<hostEnd])
    layout.hostEnd = outputEnd
    if hostEnd < end { try appendPort(input[(hostEnd + 1)..<end]) }
    layout.pathStart = outputEnd
    position = end
    // The first slash is written by the first segment.
    if isSlash(at: position) { position += 1 }
    parsePath()
  }

  /// Up to the first colon is the user name; a password may contain colons and both may contain `@`.
  private mutating func appendUserinfo(_ range: Range<Int>) {
    let colon = input[range].firstIndex(of: ASCII.colon) ?? range.upperBound
    appendEncoded(range.lowerBound..<colon, .userinfo)
    layout.usernameEnd = outputEnd
    if colon + 1 < range.upperBound {
      output.append(ASCII.colon)
      appendEncoded((colon + 1)..<range.upperBound, .userinfo)
    }
    if outputEnd > layout.scheme.prefixLength { output.append(UInt8(ascii: "@")) }
  }

  /// The first colon outside of brackets, or the end.
  private func endOfHost(_ range: Range<Int>) -> Int {
    var isInBrackets = false
    for index in range {
      switch input[index] {
      case UInt8(ascii: "["): isInBrackets = true
      case UInt8(ascii: "]"): isInBrackets = false
      case ASCII.colon where !isInBrackets: return index
      default: continue
      }
    }
    return range.upperBound
  }

  private mutating func appendHost(_ host: ArraySlice<UInt8>) throws(HTTPURLError) {
    do throws(HostProblem) {
      let (text, kind) = try HTTPURL.parseHost(host)
      layout.hostKind = kind
      if kind == .ipv6 { output.append(UInt8(ascii: "[")) }
      output.append(contentsOf: text)
      if kind == .ipv6 { output.append(UInt8(ascii: "]")) }
    } catch {
      throw .invalidHost(HTTPURLError.excerpt(host), error)
    }
  }

  private mutating func appendPort(_ digits: ArraySlice<UInt8>) throws(HTTPURLError) {
    if digits.isEmpty { return }
    var value: UInt32 = 0
    for byte in digits {
      guard let digit = ASCII.digitValue(byte) else { throw .invalidPort(HTTPURLError.excerpt(digits)) }
      // Stops growing beyond the range, so that it cannot overflow.
      value = min(value * 10 + UInt32(digit), 65536)
    }
    guard let port = UInt16(exactly: value) else { throw .portOutOfRange(HTTPURLError.excerpt(digits)) }
    guard port != layout.scheme.defaultPort else { return }
    layout.port = port
    output.append(ASCII.colon)
    output.append(contentsOf: String(port).utf8)
  }
}

extension HTTPURL.Parser {
  /// Appends segments, each with the slash before it, to the path in the output; then query and fragment.
  private mutating func parsePath() {
    while true {
      let start = position
      position = input[start...].firstIndex(where: URLByteSet.delimiters.contains) ?? input.count
      let isFollowedBySlash = isSlash(at: position)
      switch keepsDots ? 0 : dotCount(input[start..<position]) {
      case 0:
        output.append(UInt8(ascii: "/"))
        appendEncoded(start..<position, .path)
      case let dots:
        if dots == 2 { removeLastSegment() }
        if !isFollowedBySlash { output.append(UInt8(ascii: "/")) }
      }
      guard isFollowedBySlash else { break }
      position += 1
    }
    layout.pathEnd = outputEnd
    parseQuery()
  }

  private mutating func removeLastSegment() {
    let path = output[Int(layout.pathStart)...]
    if let slash = path.lastIndex(of: UInt8(ascii: "/")) { output.removeSubrange(slash...) }
  }

  /// 1 or 2 for a single-dot or double-dot segment, in which `%2e` stands for a dot; else 0.
  private func dotCount(_ segment: ArraySlice<UInt8>) -> Int {
    var rest = segment
    var dots = 0
    while let first = rest.first {
      if first == UInt8(ascii: ".") {
        rest = rest.dropFirst()
      } else if isEscapedDot(rest) {
        rest = rest.dropFirst(3)
      } else {
        return 0
      }
      dots += 1
      if dots > 2 { return 0 }
    }
    return dots
  }

  private func isEscapedDot(_ text: ArraySlice<UInt8>) -> Bool {
    let start = text.startIndex
    return text.count >= 3 && text[start] == UInt8(ascii: "%") && text[start + 1] == UInt8(ascii: "2")
      && text[start + 2] | 0x20 == UInt8(ascii: "e")
  }

  private mutating func parseQuery() {
    layout.pathEnd = outputEnd
    if position < input.count, input[position] == UInt8(ascii: "?") {
      let start = position + 1
      position = input[start...].firstIndex(of: UInt8(ascii: "#")) ?? input.count
      output.append(UInt8(ascii: "?"))
      appendEncoded(start..<position, .query)
    }
    parseFragment()
  }

  private mutating func parseFragment() {
    layout.queryEnd = outputEnd
    guard position < input.count else { return }
    output.append(UInt8(ascii: "#"))
    appendEncoded((position + 1)..<input.count, .fragment)
  }
}
