/// How large the windows are that we give to the peer's streams: pure arithmetic, without nghttp2.
///
/// A stream starts with the initial window. While its consumer waits for bytes, the window doubles for every half window
/// that was consumed, so that a fast transfer gets a large one within a few round trips and a trickle keeps the small one.
/// What all streams have above their initial window comes out of one budget and goes back when a stream closes.
package struct ReceiveWindows: Sendable {
  /// What is kept for one stream.
  package struct Stream: Sendable {
    /// Bytes above the initial window.
    package var growth = 0
    package var consumedSinceGrowth = 0

    package init() {}
  }

  let initial: Int
  let maximum: Int
  package private(set) var budget: Int

  package init(initial: Int, maximum: Int, budget: Int) {
    self.initial = max(0, initial)
    self.maximum = min(max(0, maximum), Self.protocolMaximum)
    self.budget = max(0, budget)
  }

  /// The largest window that the protocol knows (RFC 9113 §6.9.1).
  static let protocolMaximum = Int(Int32.max)

  /// - Returns: By how much the window grows.
  package mutating func consumed(_ count: Int, isStarved: Bool, by stream: inout Stream) -> Int {
    let window = initial + stream.growth
    stream.consumedSinceGrowth = min(stream.consumedSinceGrowth + count, Self.protocolMaximum)
    guard isStarved, stream.consumedSinceGrowth >= window / 2 else { return 0 }
    let increment = min(window, maximum - window, budget)
    guard increment > 0 else { return 0 }
    budget -= increment
    stream.growth += increment
    stream.consumedSinceGrowth = 0
    return increment
  }

  /// Takes back what a stream had above its initial window.
  package mutating func closed(_ stream: inout Stream) {
    budget += stream.growth
    stream.growth = 0
  }
}
