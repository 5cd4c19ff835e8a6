/// An output buffer for serialisers and for bytes that wait for a socket.
///
/// Small pieces are copied into one contiguous tail; large chunks are queued by reference. The consumer takes from the
/// front, segment by segment, so that a socket writes a body from the memory of its owner.
package struct WriteBuffer: ~Copyable, Sendable {
  /// Finished segments in order; the bytes of `tail` follow them.
  private var segments = RingDeque<ByteChunk>()
  private var segmentBytes = 0
  @usableFromInline internal var tail: [UInt8] = []
  /// How much of `tail` was consumed; used only while `segments` is empty.
  private var tailHead = 0

  package init() {}

  package var count: Int { segmentBytes + tail.count - tailHead }
  package var isEmpty: Bool { count == 0 }

  /// Chunks from this size on are queued by reference instead of being copied.
  package static var spliceThreshold: Int { 4096 }

  @inlinable package mutating func append(byte: UInt8) { tail.append(byte) }

  package mutating func append(ascii text: StaticString) {
    // SAFETY: a StaticString's bytes live for ever.
    text.withUTF8Buffer { unsafe tail.append(contentsOf: $0) }
  }

  package mutating func append(utf8 text: String) { tail.append(contentsOf: text.utf8) }

  package mutating func append(_ bytes: Span<UInt8>) {
    // SAFETY: the pointer is used only during the call.
    unsafe bytes.withUnsafeBufferPointer { unsafe tail.append(contentsOf: $0) }
  }

  package mutating func append(bytes: some Sequence<UInt8>) { tail.append(contentsOf: bytes) }

  package mutating func append(decimal value: UInt64) { appendDigits(value, radix: 10) }

  package mutating func append(hex value: UInt64) { appendDigits(value, radix: 16) }

  private mutating func appendDigits(_ value: UInt64, radix: UInt64) {
    // 20 digits hold every UInt64; they come out from the last to the first.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = digits.count
    var rest = value
    repeat {
      start -= 1
      digits[start] = ASCII.lowercaseHexDigit(UInt8(truncatingIfNeeded: rest % radix))
      rest /= radix
    } while rest > 0
    append(digits.span.extracting(start...))
  }

  /// Appends a chunk: copied when small, by reference from ``spliceThreshold`` on.
  package mutating func append(_ chunk: ByteChunk) {
    guard !chunk.isEmpty else { return }
    if chunk.count < Self.spliceThreshold {
      append(chunk.span)
      return
    }
    sealTail()
    segments.append(chunk)
    segmentBytes += chunk.count
  }

  private mutating func sealTail() {
    guard tail.count > tailHead else {
      tail.removeAll(keepingCapacity: true)
      tailHead = 0
      return
    }
    let sealed = ByteChunk(storage: tail, range: tailHead..<tail.count)
    tail = []
    tailHead = 0
    segmentBytes += sealed.count
    segments.append(sealed)
  }

  /// Offers the first contiguous bytes to `body`, which returns how many it took; those are consumed.
  ///
  /// - Returns: What `body` returned, clamped to what was offered; 0 when the buffer is empty (`body` is not called).
  package mutating func withFirstSegment<E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    if let first = segments.first {
      // SAFETY: the pointer is used only during the call, while `first` keeps the bytes alive.
      let taken = try unsafe first.withUnsafeBytes(body)
      let clamped = min(max(0, taken), first.count)
      consume(clamped)
      return clamped
    }
    guard tail.count > tailHead else { return 0 }
    var outcome: Result<Int, E> = .success(0)
    unsafe tail.withUnsafeBytes { all in
      do throws(E) {
        // SAFETY: `tailHead` is at most `tail.count`.
        outcome = .success(try unsafe body(UnsafeRawBufferPointer(rebasing: all[tailHead...])))
      } catch {
        outcome = .failure(error)
      }
    }
    let clamped = min(max(0, try outcome.get()), tail.count - tailHead)
    consume(clamped)
    return clamped
  }

  /// Drops `n` bytes from the front; more than there are drops all.
  package mutating func consume(_ n: Int) {
    var left = max(0, n)
    while left > 0, let first = segments.first {
      if left < first.count {
        segments.replaceFirst(with: first.dropFirst(left))
        segmentBytes -= left
        return
      }
      _ = segments.popFirst()
      segmentBytes -= first.count
      left -= first.count
    }
    tailHead += min(left, tail.count - tailHead)
    if tailHead == tail.count {
      tail.removeAll(keepingCapacity: tail.capacity <= Self.keptCapacity)
      tailHead = 0
    } else if tailHead >= Self.keptCapacity && tailHead * 2 >= tail.count {
      // A buffer that is never quite empty must not grow for ever.
      tail.removeSubrange(0..<tailHead)
      tailHead = 0
    }
  }

  /// An idle connection keeps at most this much output capacity.
  private static var keptCapacity: Int { 8192 }

  package mutating func removeAll() {
    segments = RingDeque()
    segmentBytes = 0
    tail = []
    tailHead = 0
  }

  /// Takes everything as one array. For tests and for callers that keep the bytes.
  package mutating func takeAll() -> [UInt8] {
    var all = [UInt8]()
    all.reserveCapacity(count)
    while let first = segments.popFirst() { all.append(contentsOf: first.array) }
    all.append(contentsOf: tail[tailHead...])
    removeAll()
    return all
  }
}
