internal import Glibc

/// One line on the terminal that shows how far a transfer is.
package struct ProgressBar {
  private let total: UInt64?
  /// How many bytes were there before: they do not count for the rate.
  private let offset: UInt64
  private let start = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?

  package init(total: UInt64?, offset: UInt64 = 0) {
    self.total = total
    self.offset = offset
  }

  /// Redraws at most ten times a second.
  mutating func update(received: UInt64) {
    let now = ContinuousClock.now
    if let lastDrawn, lastDrawn.duration(to: now) < .milliseconds(100) { return }
    lastDrawn = now
    draw(received: received, at: now)
  }

  /// Draws the last state and leaves the line.
  mutating func finish(received: UInt64) {
    guard lastDrawn != nil else { return }
    draw(received: received, at: .now)
    Console.write("\n")
  }

  private func draw(received: UInt64, at now: ContinuousClock.Instant) {
    let text = Self.line(
      received: received, offset: offset, total: total, elapsed: start.duration(to: now), width: Self.terminalWidth)
    Console.write("\r\(text)\u{1B}[K")
  }

  /// The width at this moment; asking each time is how a change of the window is noticed.
  private static var terminalWidth: Int {
    var size = winsize()
    return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// The text for a state, never wider than `width` - 1 columns.
  package static func line(
    received: UInt64, offset: UInt64 = 0, total: UInt64?, elapsed: Duration, width: Int
  ) -> String {
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let speed = seconds > 0 ? Double(received - min(offset, received)) / seconds : 0
    var left = ""
    var right = " \(size(received))"
    var fraction: Double?
    if let total, total > 0 {
      let part = min(1, Double(received) / Double(total))
      fraction = part
      let percent = "\(Int(part * 100))%"
      left = String(repeating: " ", count: max(0, 4 - percent.count)) + percent + " "
      right += " of \(size(total))"
    }
    right += "  \(size(UInt64(min(speed, 1e18))))/s"
    if let total, speed > 0, received < total {
      right += "  \(time(Double(total - received) / speed)) left"
    } else {
      right += "  \(time(seconds))"
    }
    let room = width - 1 - left.count - right.count - 2
    var bar = ""
    if let fraction, room >= 5 {
      let room = min(room, 40)
      let done = Int(fraction * Double(room))
      bar = "[\(String(repeating: "=", count: done))\(String(repeating: " ", count: room - done))]"
    }
    return String((left + bar + right).prefix(max(0, width - 1)))
  }

  /// Bytes in binary units.
  static func size(_ bytes: UInt64) -> String {
    var value = Double(bytes)
    for unit in ["B", "KiB", "MiB", "GiB", "TiB"] {
      if value < 1024 || unit == "TiB" { return unit == "B" ? "\(bytes) B" : "\(fixed(value, digits: 1)) \(unit)" }
      value /= 1024
    }
    return "\(bytes) B"
  }

  private static func time(_ seconds: Double) -> String {
    let whole = Int(min(max(0, seconds), 359_999))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return whole < 3600
      ? "\(whole / 60):\(two(whole % 60))" : "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
  }
}

/// A number with that many digits behind the point, independent of the locale.
func fixed(_ value: Double, digits: Int) -> String {
  let scale = (0..<digits).reduce(1.0) { factor, _ in factor * 10 }
  let scaled = Int64(min((max(0, value) * scale).rounded(), 9e18))
  let fraction = String(scaled % Int64(scale))
  return "\(scaled / Int64(scale)).\(String(repeating: "0", count: max(0, digits - fraction.count)))\(fraction)"
}
