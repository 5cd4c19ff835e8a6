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
    [UInt8](unsafeUninitializedCapacity: max(0, count)) { room, initialized in
      var value = byte(at: offset)
      for index in 0..<max(0, count) {
        room.initializeElement(at: index, to: value)
        value = value == UInt8(period - 1) ? 0 : value &+ 1
      }
      initialized = max(0, count)
    }
  }

  /// The offset (in the whole body) of the first byte of `bytes` that is not what the pattern has there, or nil.
  ///
  /// - Parameters:
  ///   - bytes: What was received.
  ///   - offset: Where `bytes` starts in the body.
  public static func firstMismatch(in bytes: some Sequence<UInt8>, from offset: UInt64 = 0) -> UInt64? {
    var position = offset
    var expected = byte(at: offset)
    for byte in bytes {
      if byte != expected { return position }
      position &+= 1
      expected = expected == UInt8(period - 1) ? 0 : expected &+ 1
    }
    return nil
  }

  /// A block whose length is a multiple of the period, for sending and for comparing block by block.
  static let block: [UInt8] = bytes(period * 256)
}
