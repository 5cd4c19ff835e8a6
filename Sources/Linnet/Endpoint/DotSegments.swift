internal import LinnetBytes

/// Finds path segments that climb: `.` and `..`, written plainly or percent-encoded any number of times.
enum DotSegments {
  /// Whether a path has one.
  ///
  /// The path is decoded until nothing is left to decode, and a backslash and a decoded slash count as slashes, because
  /// somewhere behind the server a decoder may take them for that.
  static func areIn(_ path: some Collection<UInt8>) -> Bool {
    guard path.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return false }
    return fullyDecoded(path).split(omittingEmptySubsequences: true) {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
    }
    .contains { $0.count <= 2 && $0.allSatisfy { $0 == UInt8(ascii: ".") } }
  }

  /// In one pass, as each byte that an escape becomes may end another escape: `%252e`, `%%32e`.
  private static func fullyDecoded(_ path: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(path.count)
    for byte in path {
      decoded.append(byte)
      while decoded.count >= 3, decoded[decoded.count - 3] == UInt8(ascii: "%"),
        let high = ASCII.hexValue(decoded[decoded.count - 2]), let low = ASCII.hexValue(decoded[decoded.count - 1])
      {
        decoded.removeLast(3)
        decoded.append(high << 4 | low)
      }
    }
    return decoded
  }
}
