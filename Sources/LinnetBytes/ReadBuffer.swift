/// A growable receive buffer: bytes are appended at the end and consumed from the front.
///
/// A socket or a TLS engine writes straight into the spare capacity; a parser looks at ``span`` and consumes. Large runs
/// leave as ``ByteChunk``s that share the storage, so body bytes are not copied.
package struct ReadBuffer: ~Copyable, Sendable {
  /// The unread bytes are `storage[head...]`. Room behind them is capacity that was never initialised, so no byte is
  /// zeroed only to be overwritten.
  @usableFromInline internal var storage: [UInt8] = []
  @usableFromInline internal var head = 0
  /// A chunk shares `storage`; nothing may be written to it any more.
  private var isShared = false

  package init(minimumCapacity: Int = 0) {
    storage.reserveCapacity(max(0, minimumCapacity))
  }

  /// The number of unread bytes.
  @inlinable package var count: Int { storage.count - head }
  @inlinable package var isEmpty: Bool { storage.count == head }
  /// Bytes held in memory, used or not.
  package var capacity: Int { storage.capacity }

  /// The unread bytes.
  @inlinable package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { storage.span.extracting(head...) }
  }

  /// The unread byte at `offset`, or nil past the end.
  @inlinable package subscript(offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? storage[head + offset] : nil
  }

  package mutating func append(_ bytes: Span<UInt8>) {
    makeRoom(bytes.count)
    // SAFETY: the pointer is used only during the call.
    unsafe bytes.withUnsafeBufferPointer { unsafe storage.append(contentsOf: $0) }
  }

  package mutating func append(_ bytes: some Collection<UInt8>) {
    makeRoom(bytes.count)
    storage.append(contentsOf: bytes)
  }

  /// Lets `body` write up to the given room at the end; it returns how many bytes it wrote.
  ///
  /// - Parameter minimum: The least room that `body` is offered; it may be more.
  /// - Returns: What `body` returned, clamped to the room.
  /// - Throws: What `body` throws; nothing is appended then.
  package mutating func withSpareCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    let minimum = max(0, minimum)
    makeRoom(minimum)
    let before = storage.count
    let room = max(minimum, storage.capacity - before)
    try storage.append(addingCapacity: room) { (spare: inout OutputSpan<UInt8>) throws(E) in
      // SAFETY: `initialized` is set to what `body` says it wrote, clamped to the room it was given.
      try unsafe spare.withUnsafeMutableBufferPointer { (target, initialized: inout Int) throws(E) in
        initialized = min(max(0, try unsafe body(UnsafeMutableRawBufferPointer(target))), target.count)
      }
    }
    return storage.count - before
  }

  /// Drops `n` bytes from the front; more than there are drops all.
  package mutating func consume(_ n: Int) {
    head += min(max(0, n), count)
    if isEmpty { reset() }
  }

  package mutating func removeAll(keepingCapacity: Bool = true) {
    if keepingCapacity {
      reset()
    } else {
      storage = []
      head = 0
      isShared = false
    }
  }

  private mutating func reset() {
    if isShared {
      storage = []
      isShared = false
    } else {
      storage.removeAll(keepingCapacity: true)
    }
    head = 0
  }

  /// Takes the first `n` bytes (at most all) as a chunk.
  ///
  /// A large one shares the storage, which is then left to it; a small one is copied, so that it does not keep a large
  /// block alive: a chunk never holds more than ``maximumWaste`` times its own size.
  package mutating func takeChunk(_ n: Int) -> ByteChunk {
    let length = min(max(0, n), count)
    guard length > 0 else { return ByteChunk() }
    let range = head..<(head + length)
    let chunk: ByteChunk
    if length >= Self.shareThreshold && length >= storage.capacity / Self.maximumWaste {
      chunk = ByteChunk(storage: storage, range: range)
      isShared = true
    } else {
      // Not `Array(storage[range])`: that shares the storage when the slice covers all of it.
      chunk = ByteChunk(copying: storage.span.extracting(range))
    }
    consume(length)
    return chunk
  }

  /// Below this size a copy is cheaper than a new receive buffer.
  package static var shareThreshold: Int { 2048 }
  package static var maximumWaste: Int { 4 }

  /// The offset of the first `byte` at or after `offset`, or nil. Eight bytes at a time.
  package func firstOffset(of byte: UInt8, from offset: Int = 0) -> Int? {
    guard offset >= 0, offset < count else { return nil }
    let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
    // SAFETY: every read lies between `head + offset` and the end of the initialised bytes.
    return unsafe storage.withUnsafeBytes { bytes in
      var index = head + offset
      while index + 8 <= bytes.count {
        let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ pattern
        // The lowest bit set marks the first byte that became zero.
        let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
        if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 - head }
        index += 8
      }
      while index < bytes.count {
        if unsafe bytes[index] == byte { return index - head }
        index += 1
      }
      return nil
    }
  }

  /// Makes room for `extra` bytes at the end: by moving the unread bytes to the front when that costs no more than what
  /// was consumed, else by growing to at least twice the size. Appending is so linear over all, whatever the pieces.
  private mutating func makeRoom(_ extra: Int) {
    if !isShared && storage.capacity - storage.count >= extra { return }
    let unread = count
    if !isShared && storage.capacity - unread >= extra && head >= unread {
      storage.removeSubrange(0..<head)
    } else if isShared || head > 0 {
      var fresh: [UInt8] = []
      fresh.reserveCapacity(isShared ? unread + extra : max(unread + extra, unread * 2))
      fresh.append(contentsOf: storage[head...])
      storage = fresh
      isShared = false
    }
    head = 0
  }
}
