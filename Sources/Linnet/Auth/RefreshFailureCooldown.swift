/// How long a failed refresh is not tried again: requests that need it fail with the same error meanwhile, so that a
/// token service in trouble is not asked once for each of them.
public struct RefreshFailureCooldown: Sendable, Hashable {
  /// After the first failure; nil when disabled.
  private let base: Duration?
  private let longest: Duration

  private init(base: Duration?, longest: Duration) {
    self.base = base
    self.longest = longest
  }

  /// `base` after the first failure, twice as long after each further one.
  ///
  /// - Parameters:
  ///   - base: The first wait. Default 1 s; negative counts as zero.
  ///   - max: The longest wait. Default 30 s; less than `base` counts as `base`.
  public static func exponentialBackoff(
    base: Duration = .seconds(1), max: Duration = .seconds(30)
  ) -> RefreshFailureCooldown {
    let base = Swift.max(.zero, base)
    return RefreshFailureCooldown(base: base, longest: Swift.max(base, max))
  }

  /// Every request that needs a token tries again.
  public static var disabled: RefreshFailureCooldown { RefreshFailureCooldown(base: nil, longest: .zero) }

  /// The wait after so many failures in a row.
  package func duration(afterFailures count: Int) -> Duration {
    guard var wait = base, count > 0, wait > .zero else { return .zero }
    for _ in 1..<count {
      // Compared before it is doubled: a Duration that overflows traps.
      if wait >= longest / 2 { return longest }
      wait *= 2
    }
    return min(wait, longest)
  }
}
