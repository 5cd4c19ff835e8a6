internal import Glibc

/// Generated bodies: any number of bytes that both sides can check without keeping them.
///
/// The byte at offset *i* is *i* mod 251. As 251 is prime, a piece that was lost, repeated or moved by a multiple of a
/// buffer size shows.
public enum TestPattern {
  static let period = 251

  /// The byte at `offset`.
  public static func byte(at offset: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: offset % UInt64(period)) }

  /// `count` bytes from `offset` on.
  public static func bytes(_ count: Int, from offset: UInt64 = 0) -> [UInt8] {
    // Block by block: servers generate hundreds of megabytes in builds that are not optimised.
    var start = Int(offset % UInt64(period))
    var left = max(0, count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(left)
    while left > 0 {
      let length = min(left, block.count - start)
      bytes += block[start..<(start + length)]
      left -= length
      start = 0
    }
    return bytes
  }

  /// The offset (in the whole body) of the first byte of `bytes` that is not what the pattern has there, or nil.
  ///
  /// - Parameters:
  ///   - bytes: What was received.
  ///   - offset: Where `bytes` starts in the body.
  public static func firstMismatch(in bytes: some Sequence<UInt8>, from offset: UInt64 = 0) -> UInt64? {
    if let isEqual = bytes.withContiguousStorageIfAvailable({ isPattern($0, from: offset) }), isEqual { return nil }
    var position = offset
    var expected = byte(at: offset)
    for byte in bytes {
      if byte != expected { return position }
      position &+= 1
      expected = expected == UInt8(period - 1) ? 0 : expected &+ 1
    }
    return nil
  }

  static func isPattern(_ bytes: UnsafeBufferPointer<UInt8>, from offset: UInt64) -> Bool {
    block.withUnsafeBufferPointer { block in
      var done = 0
      while done < bytes.count {
        let start = Int((offset &+ UInt64(done)) % UInt64(period))
        let length = min(bytes.count - done, block.count - start)
        guard let left = bytes.baseAddress, let right = block.baseAddress,
          memcmp(left + done, right + start, length) == 0
        else { return false }
        done += length
      }
      return true
    }
  }

  /// A block whose length is a multiple of the period, for sending and for comparing block by block.
  static let block: [UInt8] = (0..<(period * 256)).map { byte(at: UInt64($0)) }
}
