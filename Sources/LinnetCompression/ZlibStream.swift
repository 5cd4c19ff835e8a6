internal import CLinnetZlib

/// One zlib stream with its memory: the only place that touches zlib's C structures.
///
/// The stream is allocated by the first step, so a codec that never sees a byte costs nothing and its initialiser cannot
/// fail. It lives on the heap because zlib keeps a pointer back to it and refuses to work after a move.
///
/// SAFETY of `@unchecked Sendable`: the value is `~Copyable`, so it has exactly one owner, every use of the pointer is
/// inside a `mutating` method or `deinit`, and zlib keeps no state outside the stream.
@safe
struct ZlibStream: ~Copyable, @unchecked Sendable {
  /// What one call of the codec did.
  struct Step {
    var consumed: Int
    var produced: Int
    var status: CInt
  }

  enum Mode {
    case inflate
    /// Level 0 (stored) to 9; -1 for zlib's default.
    case deflate(level: CInt)
  }

  private let mode: Mode
  private let windowBits: CInt
  private var stream: UnsafeMutablePointer<z_stream>?

  /// - Parameter windowBits: As in `inflateInit2` and `deflateInit2`: 15 for zlib, -15 for raw, 31 for gzip.
  init(_ mode: Mode, windowBits: CInt) {
    self.mode = mode
    self.windowBits = windowBits
    unsafe stream = nil
  }

  deinit {
    guard let stream = unsafe stream else { return }
    // SAFETY: ended and freed exactly once, by the one owner; zlib refuses a stream whose initialiser failed.
    switch mode {
    case .inflate: unsafe inflateEnd(stream)
    case .deflate: unsafe deflateEnd(stream)
    }
    unsafe stream.deinitialize(count: 1)
    unsafe stream.deallocate()
  }

  /// Runs the codec once over `input` into `output`.
  mutating func step(
    _ input: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>, flush: CInt = Z_NO_FLUSH
  ) -> Step {
    // SAFETY: zlib reads `offered` bytes of the input and writes `room` bytes of the output at most, during this call
    // only; both pointers are cleared before it returns. zlib does not write through `next_in`.
    let (stream, initialStatus) = unsafe opened()
    guard initialStatus == Z_OK else { return Step(consumed: 0, produced: 0, status: initialStatus) }
    return unsafe input.withUnsafeBufferPointer { bytes in
      let offered = UInt32(clamping: bytes.count)
      let room = UInt32(clamping: output.count)
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
      unsafe stream.pointee.avail_in = offered
      unsafe stream.pointee.next_out = output.baseAddress
      unsafe stream.pointee.avail_out = room
      let status =
        switch mode {
        case .inflate: unsafe CLinnetZlib.inflate(stream, flush)
        case .deflate: unsafe CLinnetZlib.deflate(stream, flush)
        }
      let step = unsafe Step(
        consumed: Int(offered - stream.pointee.avail_in), produced: Int(room - stream.pointee.avail_out),
        status: status)
      unsafe stream.pointee.next_in = nil
      unsafe stream.pointee.next_out = nil
      return step
    }
  }

  /// The stream, made by the first call, and what zlib's initialiser answered then.
  private mutating func opened() -> (UnsafeMutablePointer<z_stream>, CInt) {
    // SAFETY: the stream is zeroed before zlib sees it, which selects zlib's default allocator. After a failed
    // initialiser it stays without state, and zlib answers every later call with an error.
    if let stream = unsafe stream { return unsafe (stream, Z_OK) }
    let fresh = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe fresh.initialize(to: z_stream())
    unsafe stream = fresh
    switch mode {
    case .inflate:
      return unsafe (fresh, linnet_inflate_init(fresh, windowBits))
    case .deflate(let level):
      // 8 is zlib's own default for the memory level.
      return unsafe (fresh, linnet_deflate_init(fresh, level, windowBits, 8))
    }
  }

  /// Makes an inflating stream ready for the next member. It keeps its window bits and memory.
  mutating func resetInflate() {
    // SAFETY: an open stream is initialised, or refused by zlib, which checks it.
    if let stream = unsafe stream { unsafe inflateReset(stream) }
  }

  /// zlib's words about the last failure, such as "incorrect header check".
  var message: String? {
    // SAFETY: zlib's messages are static C strings.
    guard let stream = unsafe stream, let text = unsafe stream.pointee.msg else { return nil }
    return unsafe String(cString: text)
  }
}
