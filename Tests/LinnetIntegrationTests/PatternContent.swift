import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTLS
import LinnetTestSupport

/// Bodies of the test pattern, of any size without being in memory: as files, as streams and as digests.
enum PatternContent {
  /// The sizes at which buffers begin and end.
  static let sizes: [UInt64] = [
    0, 1, (16 << 10) - 1, 16 << 10, (16 << 10) + 1, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 1 << 20,
  ]
  static let large: UInt64 = 100 << 20

  /// A multiple of the pattern's period, so that blocks continue each other.
  fileprivate static let block = ByteChunk(TestPattern.bytes(251 * 4096))

  /// The pieces of the content from `offset` on.
  fileprivate static func piece(at offset: UInt64, of count: UInt64, upTo limit: Int) -> ByteChunk? {
    guard offset < count else { return nil }
    let start = Int(offset % UInt64(block.count))
    return block.dropFirst(start).prefix(Int(min(count - offset, UInt64(limit))))
  }

  /// The SHA-256 digest of `count` bytes.
  static func digest(_ count: UInt64) throws -> [UInt8] {
    var digest = try Digest(.sha256)
    var offset: UInt64 = 0
    while let piece = piece(at: offset, of: count, upTo: .max) {
      digest.update(piece.span)
      offset += UInt64(piece.count)
    }
    return digest.finalize()
  }

  /// Writes `count` bytes to a file.
  static func write(_ count: UInt64, to path: String) throws(TestSupportError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TestSupportError(call: "open", errno: errno, detail: path) }
    defer { close(descriptor) }
    var offset: UInt64 = 0
    while let piece = piece(at: offset, of: count, upTo: .max) {
      let written = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else { throw TestSupportError(call: "write", errno: errno, detail: path) }
      offset += UInt64(written)
    }
  }
}

/// The content as a stream of pieces, made as they are asked for.
struct PatternStream: AsyncSequence, Sendable {
  typealias Element = ByteChunk

  let count: UInt64
  var pieceBytes = 50_000

  struct AsyncIterator: AsyncIteratorProtocol {
    let stream: PatternStream
    var offset: UInt64 = 0

    mutating func next() async -> ByteChunk? {
      let piece = PatternContent.piece(at: offset, of: stream.count, upTo: stream.pieceBytes)
      offset += UInt64(piece?.count ?? 0)
      return piece
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
}

extension HTTPResponse {
  /// Reads the body to its end, piece by piece.
  func digest() async throws -> (count: UInt64, sha256: [UInt8]) {
    var digest = try Digest(.sha256)
    var count: UInt64 = 0
    while let chunk = try await body.next() {
      digest.update(chunk.span)
      count += UInt64(chunk.count)
    }
    return (count, digest.finalize())
  }
}

extension [UInt8] {
  var hex: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
