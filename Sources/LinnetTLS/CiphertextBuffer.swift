internal import LinnetBytes

/// Ciphertext that was received and not yet decrypted.
///
/// A socket writes straight into the spare room and OpenSSL takes from the front. Unlike ``ReadBuffer`` it never zeroes
/// memory: while a large body streams, nearly every read leaves part of a record behind and asks for 256 KiB of room,
/// and zeroing that would cost as much as a fifth of the decryption. Its memory goes back when it is empty and the
/// last read did not fill it, so that an idle connection holds none, and one that streams does not get fresh pages from the
/// kernel for every read.
@safe
struct CiphertextBuffer: ~Copyable {
  // SAFETY: `base` points to `capacity` bytes that only this value owns; `head <= tail <= capacity`.
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var head = 0
  private var tail = 0
  /// The last read took all the room that there was: more is on its way.
  private var isStreaming = false

  init() {}

  deinit { unsafe base?.deallocate() }

  var count: Int { tail - head }
  var isEmpty: Bool { tail == head }

  mutating func append(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let start = unsafe reserve(bytes.count)
    // SAFETY: `reserve` gives room for `bytes.count` bytes at `start`.
    unsafe bytes.withUnsafeBytes { source in
      if let address = source.baseAddress { unsafe start.copyMemory(from: address, byteCount: source.count) }
    }
    tail += bytes.count
  }

  /// Lets `body` write up to the given room at the end; it returns how many bytes it wrote.
  mutating func withSpareCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    let start = unsafe reserve(max(1, minimum))
    let room = capacity - tail
    // SAFETY: `start` is `base + tail`, and `capacity - tail` bytes follow it.
    let written = try unsafe body(UnsafeMutableRawBufferPointer(start: start, count: room))
    tail += min(max(0, written), room)
    isStreaming = written >= room
    if written <= 0 { releaseIfEmpty() }
    return min(max(0, written), room)
  }

  /// Moves up to `limit` bytes from the front to `target`.
  @unsafe
  mutating func take(into target: UnsafeMutableRawPointer, limit: Int) -> Int {
    let taken = min(max(0, limit), count)
    guard taken > 0, let base = unsafe base else { return 0 }
    // SAFETY: the caller gives room for `limit` bytes; `taken` bytes are unread from `head` on.
    unsafe target.copyMemory(from: base + head, byteCount: taken)
    head += taken
    if head == tail {
      head = 0
      tail = 0
    }
    return taken
  }

  /// Gives the memory back when nothing is left in it and nothing is on its way.
  mutating func releaseIfEmpty() {
    guard isEmpty, capacity > 0, !isStreaming else { return }
    // SAFETY: nothing refers to the memory between calls.
    unsafe base?.deallocate()
    unsafe base = nil
    capacity = 0
    head = 0
    tail = 0
  }

  /// Makes room for `extra` bytes after `tail` and returns their address.
  @unsafe
  private mutating func reserve(_ extra: Int) -> UnsafeMutableRawPointer {
    let used = count
    if let base = unsafe base {
      if capacity - tail >= extra { return unsafe base + tail }
      if capacity - used >= extra {
        // SAFETY: `memmove` semantics; both ranges lie inside the allocation.
        unsafe base.copyMemory(from: base + head, byteCount: used)
        head = 0
        tail = used
        return unsafe base + tail
      }
    }
    let grown = max(used + extra, 4096)
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
    if let base = unsafe base {
      // SAFETY: `used` bytes are unread from `head` on, and the new memory is larger.
      unsafe fresh.copyMemory(from: base + head, byteCount: used)
      unsafe base.deallocate()
    }
    unsafe base = fresh
    capacity = grown
    head = 0
    tail = used
    return unsafe fresh + used
  }
}
