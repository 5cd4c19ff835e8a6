/// How long to wait before each repeat of something that failed: pure arithmetic in seconds.
///
/// Every field may come from a caller unchecked. Values that are negative or not a number count as zero, and no result
/// is negative, not a number, or above ``maximumDelay``; jitter included, because a cap that jitter exceeds is none.
package struct Backoff: Sendable, Hashable {
  /// How the delay grows with the index of the repeat.
  package enum Growth: Sendable, Hashable {
    /// 1, 1, 1 …
    case constant
    /// 1, 2, 3 …
    case linear
    /// 1, 2, 4 …
    case exponential
  }

  package var growth: Growth
  /// The delay before the first repeat.
  package var baseDelay: Double
  /// No delay is longer.
  package var maximumDelay: Double
  /// The part of the delay by which it is made shorter or longer at random, 0 to 1.
  package var jitterRatio: Double

  package init(growth: Growth, baseDelay: Double, maximumDelay: Double, jitterRatio: Double) {
    self.growth = growth
    self.baseDelay = baseDelay
    self.maximumDelay = maximumDelay
    self.jitterRatio = jitterRatio
  }

  /// The delay before a repeat.
  ///
  /// - Parameters:
  ///   - index: 0 for the first repeat.
  ///   - randomBits: Uniformly random; zero gives the shortest delay, all ones the longest.
  package func delay(index: Int, randomBits: UInt64) -> Double {
    let plain = min(Self.nonNegative(baseDelay) * factor(index: max(0, index)), Self.nonNegative(maximumDelay))
    guard plain.isFinite else { return plain }
    // 53 bits, all that fit into the fraction of a Double: from 0 up to, and without, 1.
    let unit = Double(randomBits >> 11) * 0x1p-53
    let jitter = plain * min(1, Self.nonNegative(jitterRatio)) * (2 * unit - 1)
    return min(max(0, plain + jitter), Self.nonNegative(maximumDelay))
  }

  private func factor(index: Int) -> Double {
    switch growth {
    case .constant: 1
    case .linear: Double(index) + 1
    // 2^1000 is finite, so that zero times the factor stays zero.
    case .exponential: Double(sign: .plus, exponent: min(index, 1000), significand: 1)
    }
  }

  /// Zero for what is negative or not a number.
  package static func nonNegative(_ seconds: Double) -> Double { seconds > 0 ? seconds : 0 }
}
