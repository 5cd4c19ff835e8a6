internal import LinnetCompression

extension ServerResponse {
  /// A content coding that a server can apply (RFC 9110 §8.4.1).
  public enum ContentCoding: String, Sendable, Hashable {
    /// The gzip format.
    case gzip
    /// The zlib format, which is what `deflate` means in HTTP.
    case deflate
    /// A raw deflate stream labelled `deflate`, as some servers send it.
    case rawDeflate
  }

  /// The same response with a compressed body and a `Content-Encoding` line.
  ///
  /// Waits, pauses and effects of the body keep their places: what precedes them can be decoded when they are reached.
  /// Only the compressed bytes are kept in memory, so `ServerBody([.zeros(1 << 30)])` makes a decompression bomb of 1 MiB.
  ///
  /// - Parameters:
  ///   - coding: The content coding. Default gzip.
  ///   - level: 0 (stored) to 9; -1, the default, is zlib's own default.
  public func compressed(_ coding: ContentCoding = .gzip, level: Int = -1) -> ServerResponse {
    let format: Deflater.Format =
      switch coding {
      case .gzip: .gzip
      case .deflate: .zlib
      case .rawDeflate: .raw
      }
    var deflater = Deflater(format, level: level)
    var parts: [ServerBody.Part] = []
    var pending: [UInt8] = []
    func write(_ bytes: [UInt8], _ flush: Deflater.Flush) {
      // Compressing fails only when memory is exhausted; a body that ends early shows it.
      pending += (try? deflater.write(bytes.span, flush)) ?? []
    }
    func write(_ count: UInt64, of block: [UInt8]) {
      var left = count
      while left > 0 {
        let length = Int(min(left, UInt64(block.count)))
        write(length == block.count ? block : Array(block[..<length]), .none)
        left -= UInt64(length)
      }
    }
    let zeros = [UInt8](repeating: 0, count: 256 << 10)
    for part in body.parts {
      switch part {
      case .bytes(let bytes): write(bytes, .none)
      case .pattern(let count): write(count, of: TestPattern.block)
      case .zeros(let count): write(count, of: zeros)
      case .wait, .pause, .effect, .resetStream:
        write([], .sync)
        parts += [.bytes(pending), part]
        pending = []
      }
    }
    write([], .finish)
    parts.append(.bytes(pending))
    var copy = adding("Content-Encoding", coding == .gzip ? "gzip" : "deflate")
    copy.body = ServerBody(parts)
    return copy
  }
}
