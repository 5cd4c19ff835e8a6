import LinnetPolicies
import LinnetTestRandom
import Testing

@Suite struct BackoffTests {
  static let middle: UInt64 = 1 << 63

  @Test(
    "the delay grows as it says, up to the cap",
    arguments: [
      (Backoff.Growth.exponential, [1.0, 2, 4, 8, 10, 10]), (.linear, [1, 2, 3, 4, 5, 6]),
      (.constant, [1, 1, 1, 1, 1, 1]),
    ])
  func growth(growth: Backoff.Growth, expected: [Double]) {
    let backoff = Backoff(growth: growth, baseDelay: 1, maximumDelay: 10, jitterRatio: 0)
    #expect(expected.indices.map { backoff.delay(index: $0, randomBits: .max) } == expected)
  }

  @Test("jitter shortens and lengthens by its ratio, and is nothing in the middle")
  func jitter() {
    let backoff = Backoff(growth: .exponential, baseDelay: 10, maximumDelay: 100, jitterRatio: 0.2)
    #expect(backoff.delay(index: 0, randomBits: 0) == 8)
    #expect(backoff.delay(index: 0, randomBits: Self.middle) == 10)
    #expect(abs(backoff.delay(index: 0, randomBits: .max) - 12) < 1e-9)
  }

  @Test("jitter never exceeds the cap")
  func cap() {
    let backoff = Backoff(growth: .exponential, baseDelay: 10, maximumDelay: 10, jitterRatio: 1)
    #expect(backoff.delay(index: 5, randomBits: .max) == 10)
    #expect(backoff.delay(index: 5, randomBits: 0) == 0)
  }

  @Test("whatever is put in, the delay is from zero to the cap")
  func total() {
    let odd: [Double] = [0, -1, 1, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 30]
    var random = SeededGenerator(seed: 1)
    for base in odd {
      for maximum in odd {
        for ratio in odd {
          for growth in [Backoff.Growth.constant, .linear, .exponential] {
            for index in [-1, 0, 1, 62, 63, 64, 1023, 1024, Int.max] {
              let delay = Backoff(growth: growth, baseDelay: base, maximumDelay: maximum, jitterRatio: ratio)
                .delay(index: index, randomBits: random.next())
              #expect(
                delay >= 0 && delay <= (maximum > 0 ? maximum : 0), "\(growth) \(base) \(maximum) \(ratio) \(index)")
            }
          }
        }
      }
    }
  }
}
