internal import CLinnetZlib
package import LinnetBytes

/// A streaming decompressor for one gzip, zlib or raw deflate stream: chunks in, bounded chunks out.
///
/// Pull style: ``feed(_:)`` hands over a chunk, then ``next(upTo:)`` is called until it returns nil. However far a chunk
/// expands, one call makes at most its limit of output, so a bomb never inflates into memory.
///
/// - gzip (RFC 1952) may have several members, which decode to the concatenation of their contents (§2.2). Header
///   fields are skipped, the header check sum (if any), CRC-32 and length are verified.
/// - Bytes after the end of the stream are ignored, as gzip(1) and browsers do: servers append line ends and padding.
package struct Inflater: ~Copyable, Sendable {
  package enum Format: Sendable, Hashable {
    case gzip
    case zlib
    case raw
    /// HTTP's `deflate`: zlib by RFC 9110 §8.4.1.2, but some servers send raw deflate, so browsers accept both.
    case zlibOrRaw

    var name: String {
      switch self {
      case .gzip: "gzip"
      case .zlib: "zlib"
      case .raw: "raw deflate"
      case .zlibOrRaw: "deflate"
      }
    }
  }

  private enum State {
    /// No byte of the stream was consumed. Exits: `inflating`.
    case start
    /// Inside a stream or member. Exits: `betweenMembers` (gzip), `finished`.
    case inflating
    /// A gzip member ended; another may follow. Exits: `inflating` on the magic number, `finished` on anything else.
    case betweenMembers
    /// What follows is ignored.
    case finished
  }

  private let format: Format
  private var stream: ZlibStream
  private var state = State.start
  private var input = ByteChunk()
  /// The last step filled its output, so zlib may hold more without needing input.
  private var outputWasFull = false
  private var failure: CompressionError?

  /// Coded bytes used so far, including ignored ones after the end.
  package private(set) var consumedBytes: UInt64 = 0
  /// Decoded bytes returned so far.
  package private(set) var producedBytes: UInt64 = 0

  package init(_ format: Format) {
    self.format = format
    let windowBits: CInt =
      switch format {
      case .gzip: MAX_WBITS + 16
      case .zlib, .zlibOrRaw: MAX_WBITS
      case .raw: -MAX_WBITS
      }
    stream = ZlibStream(.inflate, windowBits: windowBits)
  }

  /// The coding's name for messages.
  var name: String { format.name }

  /// Whether the stream is complete, or never had a byte: both are a proper end of a body.
  package var isComplete: Bool {
    switch state {
    case .start: input.isEmpty
    case .inflating: false
    case .betweenMembers, .finished: true
    }
  }

  /// Hands over coded bytes. Cheap when all earlier ones were used, that is after ``next(upTo:)`` returned nil.
  package mutating func feed(_ chunk: ByteChunk) {
    guard !chunk.isEmpty else { return }
    input = input.isEmpty ? chunk : ByteChunk(input.array + chunk.array)
  }

  /// The next decoded bytes, or nil when more input is needed or the stream is complete.
  ///
  /// What was decoded before a fault is returned first; the error comes with the call after it and with every later one.
  package mutating func next(upTo limit: Int = 65_536) throws(CompressionError) -> ByteChunk? {
    if let failure { throw failure }
    guard !input.isEmpty || outputWasFull else { return nil }
    let capacity = min(max(limit, 1), max(2048, input.count.multipliedReportingOverflow(by: 8).partialValue))
    // SAFETY: `fill` returns how many bytes from the start of `room` it has written.
    let output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { room, initialized in
      initialized = unsafe fill(room)
    }
    guard !output.isEmpty else {
      if let failure { throw failure }
      return nil
    }
    producedBytes &+= UInt64(output.count)
    // A short tail does not keep a large block alive.
    return output.count * 4 < capacity ? ByteChunk(copying: output.span) : ByteChunk(output)
  }

  /// Decodes into `room` until it is full, the input is used up, or the stream is complete or broken.
  private mutating func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var produced = 0
    while produced < room.count && failure == nil {
      switch state {
      case .start:
        guard start() else { return produced }
      case .inflating:
        // SAFETY: `produced` is at most `room.count`.
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: room[produced...])
        let bytes = input
        let step = unsafe stream.step(bytes.span, into: rest)
        use(step.consumed)
        produced += step.produced
        outputWasFull = produced == room.count
        guard advance(after: step) else { return produced }
      case .betweenMembers:
        guard nextMember() else { return produced }
      case .finished:
        use(input.count)
        outputWasFull = false
        return produced
      }
    }
    return produced
  }

  private mutating func use(_ count: Int) {
    consumedBytes &+= UInt64(count)
    input = count == input.count ? ByteChunk() : input.dropFirst(count)
  }

  /// Acts on zlib's answer. False when more input is needed.
  private mutating func advance(after step: ZlibStream.Step) -> Bool {
    switch step.status {
    case Z_STREAM_END:
      state = format == .gzip ? .betweenMembers : .finished
      outputWasFull = false
      return true
    case Z_OK:
      return !input.isEmpty || outputWasFull
    case Z_BUF_ERROR:
      // No progress was possible: all input is used and nothing is held back.
      outputWasFull = false
      return false
    case Z_MEM_ERROR:
      failure = .outOfMemory
    case Z_NEED_DICT:
      failure = .corrupt(coding: format.name, detail: "it needs a preset dictionary")
    default:
      failure = .corrupt(coding: format.name, detail: stream.message ?? "zlib error \(step.status)")
    }
    outputWasFull = false
    return true
  }

  /// Leaves `start`. False when the two bytes that tell zlib from raw deflate are not there yet.
  private mutating func start() -> Bool {
    if format == .zlibOrRaw {
      guard input.count >= 2 else { return false }
      // RFC 1950 §2.2: method 8, window of at most 32 KiB, and a check over both bytes. A raw stream starts like that
      // only with a stored block whose unused padding bits are set, which no encoder writes.
      let header = UInt16(input[0]) << 8 | UInt16(input[1])
      let isZlib = input[0] & 0x0F == 8 && input[0] >> 4 <= 7 && header % 31 == 0
      if !isZlib { stream = ZlibStream(.inflate, windowBits: -MAX_WBITS) }
    }
    state = .inflating
    return true
  }

  /// Leaves `betweenMembers`. False when the two bytes that start a member are not there yet.
  private mutating func nextMember() -> Bool {
    guard let first = input.first else { return false }
    guard first == 0x1F else {
      state = .finished
      return true
    }
    guard input.count >= 2 else { return false }
    if input[1] == 0x8B {
      stream.resetInflate()
      state = .inflating
    } else {
      state = .finished
    }
    return true
  }
}
