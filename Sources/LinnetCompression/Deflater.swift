internal import CLinnetZlib

/// A streaming compressor. The client itself sends bodies as they are given; test servers and tests compress with it.
package struct Deflater: ~Copyable, Sendable {
  package enum Format: Sendable, Hashable {
    case gzip
    case zlib
    case raw
  }

  /// What a ``write(_:_:)`` must have put out when it returns.
  package enum Flush: Sendable {
    /// Whatever zlib likes; best compression.
    case none
    /// Everything so far can be decoded by the receiver.
    case sync
    /// The stream is complete; nothing can be written after it.
    case finish
  }

  private var stream: ZlibStream

  /// - Parameter level: 0 (stored) to 9; -1, the default, is zlib's own default.
  package init(_ format: Format = .gzip, level: Int = -1) {
    let windowBits: CInt =
      switch format {
      case .gzip: MAX_WBITS + 16
      case .zlib: MAX_WBITS
      case .raw: -MAX_WBITS
      }
    stream = ZlibStream(.deflate(level: CInt(clamping: min(max(level, -1), 9))), windowBits: windowBits)
  }

  /// Compresses all of `bytes` and returns what came out, which may be nothing.
  ///
  /// - Throws: ``CompressionError/outOfMemory``, or ``CompressionError/corrupt(coding:detail:)`` when bytes are written
  ///   after the end.
  package mutating func write(_ bytes: Span<UInt8>, _ flush: Flush = .none) throws(CompressionError) -> [UInt8] {
    let mode =
      switch flush {
      case .none: Z_NO_FLUSH
      case .sync: Z_SYNC_FLUSH
      case .finish: Z_FINISH
      }
    var output: [UInt8] = []
    var offset = 0
    while true {
      var result = ZlibStream.Step(consumed: 0, produced: 0, status: Z_OK)
      // SAFETY: `step` says how many bytes from the start of `room` it has written.
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { room, initialized in
        result = unsafe stream.step(bytes.extracting(offset...), into: room, flush: mode)
        initialized = result.produced
      }
      output.append(contentsOf: piece)
      offset += result.consumed
      switch result.status {
      case Z_STREAM_END:
        return output
      case Z_OK, Z_BUF_ERROR:
        // Room was left over, so zlib has nothing more to say in this mode.
        if result.produced < Self.pieceBytes && offset == bytes.count { return output }
        if result.consumed == 0 && result.produced == 0 { return output }
      case Z_MEM_ERROR:
        throw .outOfMemory
      default:
        throw .corrupt(coding: "compressed", detail: stream.message ?? "zlib error \(result.status)")
      }
    }
  }

  private static var pieceBytes: Int { 16_384 }

  /// Compresses `bytes` in one go.
  package static func compress(
    _ bytes: Span<UInt8>, as format: Format = .gzip, level: Int = -1
  ) throws(CompressionError) -> [UInt8] {
    var deflater = Deflater(format, level: level)
    return try deflater.write(bytes, .finish)
  }
}
