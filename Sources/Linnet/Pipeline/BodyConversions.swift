public import FoundationEssentials
public import LinnetHTTP

extension Data {
  /// A copy of the bytes of a chunk.
  public init(_ chunk: ByteChunk) {
    self = chunk.withContiguousStorageIfAvailable { unsafe Data(buffer: $0) } ?? Data(chunk.array)
  }
}

extension HTTPRequestBody {
  /// Bytes in memory. Sent with `Content-Length`; can be replayed.
  public static func data(_ data: Data) -> HTTPRequestBody { .bytes([UInt8](data)) }
}
