package import LinnetHTTPTypes

/// Decodes the framing of a chunked body (RFC 9112 §7.1): sizes, extensions, the CRLF behind each chunk, trailers.
///
/// Used by ``HTTP1ClientMachine``. It tells where payload lies in the input and never touches it. Sizes and extensions
/// are judged byte by byte and not kept, so the caller can consume the input up to any point; only a trailer section
/// stays in the input until it is complete. After an error it must not be used again.
package struct ChunkedDecoder: Sendable {
  /// What the start of the input is.
  package enum Step: Sendable {
    /// The first `consumed` bytes are framing that was dealt with; more is needed behind them.
    case needMoreData(consumed: Int)
    /// After `offset` bytes of framing lie `count` bytes of payload. The caller takes both before it goes on.
    case payload(offset: Int, count: Int)
    /// The body is complete after `consumed` bytes. Trailers are nil when there are none.
    case end(consumed: Int, trailers: HTTPHeaders?)
  }

  /// The part of a chunk that the next byte belongs to. The grammar of extensions is
  /// `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )`.
  private enum Part {
    /// The hexadecimal digits. Exits: beforeSemicolon, beforeName, sizeLineFeed.
    case size
    /// BWS that only a semicolon may follow. Exits: beforeName.
    case beforeSemicolon
    /// Exits: name.
    case beforeName
    /// Exits: afterName, beforeName, beforeValue, sizeLineFeed.
    case name
    /// BWS behind a name. Exits: beforeName, beforeValue.
    case afterName
    /// Exits: token, quoted.
    case beforeValue
    /// Exits: beforeSemicolon, beforeName, sizeLineFeed.
    case token
    /// Exits: escaped, afterQuoted.
    case quoted
    /// Exits: quoted.
    case escaped
    /// Exits: beforeSemicolon, beforeName, sizeLineFeed.
    case afterQuoted
    /// The LF of a size line. Exits: data, trailers.
    case sizeLineFeed
    /// Exits: dataCarriageReturn once nothing remains.
    case data
    /// Exits: dataLineFeed.
    case dataCarriageReturn
    /// Exits: size.
    case dataLineFeed
    /// Exits: end of the body.
    case trailers
    /// Final.
    case finished
  }

  private let limits: HTTP1Limits
  private var part = Part.size
  private var digitCount = 0
  /// The size while it is read, then what remains of the chunk.
  private var remaining: UInt64 = 0
  private var extensionBytes = 0
  private var section: FieldSectionParser?

  package init(limits: HTTP1Limits) {
    self.limits = limits
  }

  /// Payload of the current chunk that is still to come.
  package var remainingInChunk: UInt64 {
    if case .data = part { remaining } else { 0 }
  }

  /// Goes on at the start of `input`, which is what the last step left.
  package mutating func advance(_ input: Span<UInt8>) throws(HTTP1Error) -> Step {
    var position = 0
    while position < input.count {
      switch part {
      case .data:
        let count = Int(min(remaining, UInt64(input.count - position)))
        remaining -= UInt64(count)
        if remaining == 0 { part = .dataCarriageReturn }
        return .payload(offset: position, count: count)
      case .trailers:
        return try readTrailers(input, from: position)
      case .finished:
        return .end(consumed: position, trailers: nil)
      case .size:
        try readSize(input[position])
      case .sizeLineFeed:
        guard input[position] == 0x0A else { throw .remote(.bareCarriageReturn) }
        part = remaining == 0 ? .trailers : .data
      case .dataCarriageReturn:
        guard input[position] == 0x0D else { throw .remote(.missingChunkTerminator) }
        part = .dataLineFeed
      case .dataLineFeed:
        guard input[position] == 0x0A else { throw .remote(.missingChunkTerminator) }
        part = .size
        digitCount = 0
      case .beforeSemicolon, .beforeName, .name, .afterName, .beforeValue, .token, .quoted, .escaped, .afterQuoted:
        try readExtension(input[position])
      }
      position += 1
    }
    return .needMoreData(consumed: position)
  }

  private mutating func readSize(_ byte: UInt8) throws(HTTP1Error) {
    if let digit = Self.hexValue(byte) {
      // 16 digits are 64 bits; a longer run would be an overflow or an attempt at one.
      guard digitCount < 16 else { throw .remote(.chunkSizeOverflow) }
      remaining = remaining << 4 | UInt64(digit)
      digitCount += 1
      return
    }
    guard digitCount > 0 else { throw .remote(.invalidChunkSize) }
    switch byte {
    case 0x0D: part = .sizeLineFeed
    // A lone LF is no line end here, whatever the options say: proxies that disagree on it can be made to disagree on
    // where the message ends.
    case 0x0A: throw .remote(.bareLineFeed)
    case 0x3B, 0x20, 0x09:
      try countExtensionByte()
      part = byte == 0x3B ? .beforeName : .beforeSemicolon
    default: throw .remote(.invalidChunkSize)
    }
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    let digit = byte &- 0x30
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }

  private mutating func countExtensionByte() throws(HTTP1Error) {
    extensionBytes += 1
    guard extensionBytes <= limits.maximumChunkExtensionBytes else {
      throw .remote(.chunkExtensionsTooLong(limit: limits.maximumChunkExtensionBytes))
    }
  }

  /// One byte behind the size (RFC 9112 §7.1.1). Extensions mean nothing to a client, but their grammar is checked:
  /// where a size line ends must not be a matter of opinion.
  private mutating func readExtension(_ byte: UInt8) throws(HTTP1Error) {
    if byte == 0x0D, mayEndLine {
      part = .sizeLineFeed
      return
    }
    try countExtensionByte()
    guard let next = Self.successor(of: part, byte) else { throw .remote(.invalidChunkExtension) }
    part = next
  }

  private var mayEndLine: Bool {
    switch part {
    case .name, .token, .afterQuoted: true
    default: false
    }
  }

  private static func successor(of part: Part, _ byte: UInt8) -> Part? {
    let isSpace = byte == 0x20 || byte == 0x09
    let isToken = ByteScan.isToken(byte)
    switch (part, byte) {
    case (.beforeSemicolon, _) where isSpace: return .beforeSemicolon
    case (.beforeName, _) where isSpace: return .beforeName
    case (.beforeName, _) where isToken, (.name, _) where isToken: return .name
    case (.name, _) where isSpace, (.afterName, _) where isSpace: return .afterName
    case (.name, 0x3D), (.afterName, 0x3D): return .beforeValue
    case (.beforeValue, _) where isSpace: return .beforeValue
    case (.beforeValue, _) where isToken, (.token, _) where isToken: return .token
    case (.beforeValue, 0x22): return .quoted
    case (.quoted, 0x22): return .afterQuoted
    case (.quoted, 0x5C): return .escaped
    case (.quoted, _) where ByteScan.isFieldValue(byte), (.escaped, _) where ByteScan.isFieldValue(byte): return .quoted
    case (.token, _) where isSpace, (.afterQuoted, _) where isSpace: return .beforeSemicolon
    case (.beforeSemicolon, 0x3B), (.name, 0x3B), (.afterName, 0x3B), (.token, 0x3B), (.afterQuoted, 0x3B):
      return .beforeName
    default: return nil
    }
  }

  private mutating func readTrailers(_ input: Span<UInt8>, from start: Int) throws(HTTP1Error) -> Step {
    // What stays in the input is what starts here, so the section's offsets count from 0.
    let rest = input.extracting(start...)
    var section =
      self.section.take()
      ?? FieldSectionParser(
        start: 0, limits: limits, maximumBytes: limits.maximumTrailerSectionBytes,
        sizeError: .trailerSectionTooLarge(limit: limits.maximumTrailerSectionBytes))
    guard try section.parse(rest) else {
      self.section = section
      return .needMoreData(consumed: start)
    }
    part = .finished
    let trailers = TrailerFields.permitted(section.headers(rest))
    return .end(consumed: start + section.position, trailers: trailers.isEmpty ? nil : trailers)
  }
}
