package import LinnetBytes

/// A content coding that Linnet decodes.
package enum ContentCoding: Sendable, Hashable {
  /// `gzip` and its old name `x-gzip` (RFC 9110 §8.4.1.3).
  case gzip
  /// `deflate` (RFC 9110 §8.4.1.2): zlib, or raw deflate as some servers send it.
  case deflate
}

/// Decodes a body by the codings of its Content-Encoding field (RFC 9110 §8.4), within limits.
///
/// ``feed(_:)`` a chunk, then call ``next()`` until it returns nil; at the end of the body call ``finish()``. After an
/// error the decoder repeats it for ever.
package struct ContentDecoder: ~Copyable, Sendable {
  /// The most codings in one stack. One is usual, two occur by mistake; curl stops at five.
  package static var maximumCodings: Int { 4 }
  /// The most bytes that one call of ``next()`` decodes.
  package static var maximumChunkBytes: Int { 65_536 }

  /// In the order of decoding: the last coding of the field is taken off first. Those from `stageCount` on are not
  /// used, and an inflater without input owns no memory.
  private var stages: InlineArray<4, Inflater>
  private let stageCount: Int
  private let limits: DecompressionLimits
  private var input = RingDeque<ByteChunk>()
  private var failure: CompressionError?

  /// - Parameter codings: In the order of the Content-Encoding field, that is of encoding.
  package init(codings: [ContentCoding], limits: DecompressionLimits = DecompressionLimits()) {
    stages = InlineArray { index in
      let isDeflate = index < codings.count && codings[codings.count - 1 - index] == .deflate
      return Inflater(isDeflate ? .zlibOrRaw : .gzip)
    }
    stageCount = min(codings.count, Self.maximumCodings)
    self.limits = limits
    if codings.count > Self.maximumCodings { failure = .tooManyCodings(limit: Self.maximumCodings) }
  }

  /// The codings of a Content-Encoding field value, without `identity`; nil when one is unknown or there are more than
  /// ``maximumCodings``: the body is then delivered as it is.
  package static func parse(_ value: Span<UInt8>) -> [ContentCoding]? {
    var codings: [ContentCoding] = []
    var start = 0
    for position in 0...value.count {
      guard position == value.count || value[position] == UInt8(ascii: ",") else { continue }
      let name = trimmed(value, start..<position)
      start = position + 1
      if name.isEmpty || matches(value, name, "identity") { continue }
      if matches(value, name, "gzip") || matches(value, name, "x-gzip") {
        codings.append(.gzip)
      } else if matches(value, name, "deflate") {
        codings.append(.deflate)
      } else {
        return nil
      }
    }
    return codings.count <= maximumCodings ? codings : nil
  }

  private static func trimmed(_ value: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper, ASCII.isWhitespace(value[lower]) { lower += 1 }
    while lower < upper, ASCII.isWhitespace(value[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  private static func matches(_ value: Span<UInt8>, _ range: Range<Int>, _ name: String) -> Bool {
    guard range.count == name.utf8.count else { return false }
    return zip(range, name.utf8).allSatisfy { ASCII.lowercased(value[$0]) == $1 }
  }

  /// Coded bytes, as they came over the wire, used so far.
  package var codedBytes: UInt64 { stages[0].consumedBytes }

  /// Hands over bytes of the body. They are kept, not decoded, until ``next()`` asks for them.
  package mutating func feed(_ chunk: ByteChunk) {
    guard !chunk.isEmpty, failure == nil else { return }
    input.append(chunk)
  }

  /// The next decoded bytes, at most ``maximumChunkBytes``, never empty; nil when more input is needed.
  package mutating func next() throws(CompressionError) -> ByteChunk? {
    if let failure { throw failure }
    do throws(CompressionError) {
      return try pull(from: stageCount - 1)
    } catch {
      failure = error
      input = RingDeque()
      throw error
    }
  }

  /// The output of stage `index`; the body itself below the first one.
  private mutating func pull(from index: Int) throws(CompressionError) -> ByteChunk? {
    guard index >= 0 else { return takeInput() }
    while true {
      if let chunk = try stages[index].next(upTo: Self.maximumChunkBytes) {
        // Every stage is checked: a stack must not expand without bound in the middle.
        if let violation = limits.violation(coded: codedBytes, expanded: stages[index].producedBytes) {
          throw violation
        }
        return chunk
      }
      guard let more = try pull(from: index - 1) else { return nil }
      stages[index].feed(more)
    }
  }

  private mutating func takeInput() -> ByteChunk? {
    guard let first = input.first else { return nil }
    if first.count > Self.maximumChunkBytes {
      input.replaceFirst(with: first.dropFirst(Self.maximumChunkBytes))
      return first.prefix(Self.maximumChunkBytes)
    }
    return input.popFirst()
  }

  /// Ends the body, after ``next()`` has returned nil. A body without a byte is complete whatever its codings: answers
  /// to HEAD and 204 carry the field as well.
  ///
  /// - Throws: ``CompressionError/truncated(coding:)`` when a compressed stream is not complete.
  package mutating func finish() throws(CompressionError) {
    if let failure { throw failure }
    for index in 0..<stageCount {
      if stages[index].isComplete { continue }
      let error = CompressionError.truncated(coding: stages[index].name)
      failure = error
      throw error
    }
  }
}
