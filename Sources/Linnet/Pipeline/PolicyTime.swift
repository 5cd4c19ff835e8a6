internal import LinnetBytes

extension PolicyClock {
  /// ``now`` as the number that the pure machines count with.
  var instant: Instant {
    let (seconds, attoseconds) = (now - PolicyTime.reference).components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !nanoseconds.overflow else { return seconds < 0 ? Instant(nanoseconds: 0) : .distantFuture }
    let sum = nanoseconds.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000)
    let offset = sum.overflow ? (seconds < 0 ? Int64.min : .max) : sum.partialValue
    return Instant(nanoseconds: PolicyTime.origin.addingSaturating(offset))
  }
}

private enum PolicyTime {
  /// Instants of the clock have no number of their own, only distances.
  static let reference = ContinuousClock.now
  /// The number of the reference: large, so that a test's clock may show a time before it.
  static let origin: UInt64 = 1 << 62
}

extension UInt64 {
  fileprivate func addingSaturating(_ offset: Int64) -> UInt64 {
    if offset < 0 { return self > offset.magnitude ? self - offset.magnitude : 0 }
    let (sum, overflow) = addingReportingOverflow(UInt64(offset))
    return overflow ? .max : sum
  }
}

extension Duration {
  /// A wait of so many seconds; zero for what is negative or not a number, and at most a hundred years.
  init(clampingSeconds seconds: Double) {
    self = .seconds(seconds > 0 ? Swift.min(seconds, 3_155_760_000) : 0)
  }
}
