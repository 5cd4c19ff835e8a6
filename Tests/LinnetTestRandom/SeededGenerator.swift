/// Random numbers that are the same for the same seed on every machine (SplitMix64): a failing seed is a reproduction.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func below(_ bound: UInt64) -> UInt64 { bound == 0 ? 0 : next() % bound }

  /// True in one of `count` cases.
  package mutating func isOneIn(_ count: UInt64) -> Bool { below(count) == 0 }

  package mutating func chance(_ percent: UInt64) -> Bool { below(100) < percent }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(next() % UInt64(elements.count))]
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    for start in stride(from: 0, to: count, by: 8) {
      var word = next()
      for index in start..<min(start + 8, count) {
        bytes[index] = UInt8(truncatingIfNeeded: word)
        word >>= 8
      }
    }
    return bytes
  }
}
