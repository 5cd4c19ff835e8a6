/// A growable receive buffer: bytes are appended at the end and consumed from the front.
///
/// A socket or a TLS engine writes straight into the spare capacity; a parser looks at ``span`` and consumes. Large runs
/// leave as a ``ByteChunk`` that takes the storage with it, so body bytes are not copied.
package struct ReadBuffer: ~Copyable, Sendable {
  /// Backing bytes; `storage.count` is the capacity, and what lies outside `head..<tail` is meaningless.
  private var storage: [UInt8]
  private var head = 0
  private var tail = 0

  package init(minimumCapacity: Int = 0) {
    storage = minimumCapacity > 0 ? [UInt8](repeating: 0, count: minimumCapacity) : []
  }

  package var count: Int { tail - head }
  package var isEmpty: Bool { tail == head }
  /// Bytes held in memory, used or not.
  package var capacity: Int { storage.count }

  /// The unread bytes.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { storage.span.extracting(head..<tail) }
  }

  /// The unread byte at `offset`, or nil past the end.
  package subscript(offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? storage[head + offset] : nil
  }

  package mutating func append(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    reserve(bytes.count)
    let start = tail
    // SAFETY: `reserve` made room for `bytes.count` bytes from `start` on; the pointers live for the call.
    unsafe bytes.withUnsafeBufferPointer { source in
      unsafe storage.withUnsafeMutableBufferPointer { target in
        let room = unsafe UnsafeMutableBufferPointer(rebasing: target[start..<(start + source.count)])
        _ = unsafe room.update(from: source)
      }
    }
    tail += bytes.count
  }

  package mutating func append(_ bytes: some Collection<UInt8>) {
    append(Array(bytes).span)
  }

  /// Lets `body` write up to the given room at the end; it returns how many bytes it wrote.
  ///
  /// - Parameter minimum: The least room that `body` is offered; it may be more.
  package mutating func withSpareCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    if isEmpty && storage.count < minimum {
      return try unsafe readIntoFreshStorage(minimum, body)
    }
    reserve(minimum)
    var outcome: Result<Int, E> = .success(0)
    let start = tail
    unsafe storage.withUnsafeMutableBytes { all in
      do throws(E) {
        // SAFETY: `reserve` made room for `minimum` bytes after `start`; the slice ends at the storage's end.
        outcome = .success(try unsafe body(UnsafeMutableRawBufferPointer(rebasing: all[start...])))
      } catch {
        outcome = .failure(error)
      }
    }
    let written = min(max(try outcome.get(), 0), storage.count - tail)
    tail += written
    return written
  }

  /// A fresh array is filled without being zeroed first; its count is then what was written, so nothing is wasted.
  private mutating func readIntoFreshStorage<E: Error>(
    _ capacity: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    var failure: E?
    // SAFETY: `initialized` is set to what `body` says it wrote, clamped to the room it was given.
    storage = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { room, initialized in
      do throws(E) {
        initialized = min(max(try unsafe body(UnsafeMutableRawBufferPointer(room)), 0), capacity)
      } catch {
        failure = error
        initialized = 0
      }
    }
    head = 0
    tail = storage.count
    if let failure { throw failure }
    return tail
  }

  /// Drops `n` bytes from the front; more than there are drops all.
  package mutating func consume(_ n: Int) {
    head += min(max(0, n), count)
    if head == tail {
      head = 0
      tail = 0
    }
  }

  package mutating func removeAll(keepingCapacity: Bool = true) {
    head = 0
    tail = 0
    if !keepingCapacity { storage = [] }
  }

  /// Takes the first `n` bytes (at most all) as a chunk.
  ///
  /// When they are most of what the storage holds the storage itself leaves, and only the rest is copied.
  package mutating func takeChunk(_ n: Int) -> ByteChunk {
    let length = min(max(0, n), count)
    guard length > 0 else { return ByteChunk() }
    if length >= Self.handOverThreshold && length * 2 >= storage.count {
      let chunk = ByteChunk(storage: storage, range: head..<(head + length))
      let rest = [UInt8](storage[(head + length)..<tail])
      storage = rest
      head = 0
      tail = rest.count
      return chunk
    }
    let chunk = ByteChunk([UInt8](storage[head..<(head + length)]))
    consume(length)
    return chunk
  }

  /// Below this size a copy is cheaper than a new receive buffer.
  private static var handOverThreshold: Int { 2048 }

  /// The offset of the first `byte` at or after `offset`, or nil.
  package func firstOffset(of byte: UInt8, from offset: Int = 0) -> Int? {
    guard offset >= 0, offset < count else { return nil }
    return storage[(head + offset)..<tail].firstIndex(of: byte).map { $0 - head }
  }

  /// Makes room for `extra` bytes at the end: by moving the unread bytes to the front, or by growing.
  private mutating func reserve(_ extra: Int) {
    if storage.count - tail >= extra { return }
    let used = count
    if storage.count - used >= extra && head >= used {
      // SAFETY: `head >= used`, so source and target do not overlap, and both lie inside the storage.
      unsafe storage.withUnsafeMutableBufferPointer { all in
        for index in 0..<used { unsafe all[index] = unsafe all[head + index] }
      }
    } else {
      var bigger = [UInt8]()
      bigger.reserveCapacity(max(used + extra, storage.count))
      bigger.append(contentsOf: storage[head..<tail])
      bigger.append(contentsOf: repeatElement(0, count: max(extra, storage.count - used)))
      storage = bigger
    }
    head = 0
    tail = used
  }
}
