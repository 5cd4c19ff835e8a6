/// Looks after a transfer while it runs: redraws its progress when nothing arrives, and notices that it is too slow.
actor TransferMonitor {
  private var watch: SpeedWatch?
  private var bar: ProgressBar?
  private var passed: UInt64 = 0
  /// How far the bar is.
  private var shown: UInt64 = 0
  private(set) var isTooSlow = false
  private let start = ContinuousClock.now

  /// - Parameter speed: The limit and how long a transfer may stay below it; nil: none.
  init(speed: (bytesPerSecond: UInt64, allowed: Duration)?) {
    watch = speed.map { SpeedWatch(bytesPerSecond: $0.bytesPerSecond, allowed: $0.allowed, start: .zero) }
  }

  /// The limit of `-Y` and `-y`; each has a value when the other is given, as in curl.
  static func speed(_ options: CommandLineOptions) -> (bytesPerSecond: UInt64, allowed: Duration)? {
    let transfer = options.transfer
    guard transfer.speedLimit != nil || transfer.speedTime != nil else { return nil }
    return (transfer.speedLimit ?? 1, transfer.speedTime ?? .seconds(30))
  }

  // MARK: Progress

  /// Starts to draw the progress in one direction.
  ///
  /// - Parameters:
  ///   - total: The number of bytes of the whole file, when it is known.
  ///   - offset: How many of them were transferred before.
  func showProgress(total: UInt64?, offset: UInt64) {
    bar = ProgressBar(total: total, offset: offset)
    shown = offset
  }

  func endProgress() {
    bar?.finish(received: shown)
    bar = nil
  }

  // MARK: Bytes

  /// Counts bytes that were sent or received.
  func count(_ count: Int) {
    passed += UInt64(clamping: count)
    shown += UInt64(clamping: count)
    bar?.update(received: shown)
  }

  // MARK: Watching

  /// Returns when the transfer is too slow, or throws when it has ended.
  func run() async throws {
    while !isTooSlow {
      let second = start.duration(to: .now) + .seconds(1)
      let next = min(watch?.nextLook ?? second, second)
      try await Task.sleep(until: start.advanced(by: next), clock: .continuous)
      bar?.update(received: shown)
      isTooSlow = watch?.isTooSlow(total: passed, at: start.duration(to: .now)) ?? false
    }
  }
}
