package import LinnetBytes

/// Counts what a peer sends without moving anything forward: one bucket for each kind, which fills with every frame and
/// empties with time.
///
/// So a connection that lives for days with a PING every few seconds never trips, and a burst of thousands does at once.
package struct AbuseMonitor: Sendable {
  /// Costs are nanoseconds: each frame adds the time in which it is forgotten.
  private struct Bucket: Sendable {
    var debt: UInt64 = 0
    var updated = Instant(nanoseconds: 0)

    /// - Returns: Whether the burst is exceeded.
    mutating func add(_ rate: AbuseLimits.Rate, _ now: Instant) -> Bool {
      let elapsed = updated.duration(to: now).saturatingNanoseconds
      if now > updated { updated = now }
      let cost = Bucket.cost(rate)
      debt = (debt > elapsed ? debt - elapsed : 0).saturatingSum(cost)
      return debt > cost.saturatingProduct(UInt64(max(0, rate.burst)))
    }

    mutating func credit(_ count: Int, _ rate: AbuseLimits.Rate) {
      let credit = Bucket.cost(rate).saturatingProduct(UInt64(max(0, count)))
      debt = debt > credit ? debt - credit : 0
    }

    private static func cost(_ rate: AbuseLimits.Rate) -> UInt64 {
      1_000_000_000 / UInt64(max(1, rate.perSecond))
    }
  }

  private let limits: AbuseLimits
  private var settings = Bucket()
  private var ping = Bucket()
  private var emptyData = Bucket()
  private var windowUpdate = Bucket()
  private var reset = Bucket()
  private var priority = Bucket()
  private var goAway = Bucket()
  private var stray = Bucket()
  private var continuations = 0

  package init(_ limits: AbuseLimits) { self.limits = limits }

  /// Counts one frame of this kind.
  ///
  /// - Returns: Whether that is one too many.
  package mutating func count(_ kind: HTTP2Error.Flood, now: Instant) -> Bool {
    switch kind {
    case .settings: return settings.add(limits.settings, now)
    case .ping: return ping.add(limits.ping, now)
    case .emptyData: return emptyData.add(limits.emptyData, now)
    case .windowUpdate: return windowUpdate.add(limits.windowUpdate, now)
    case .reset: return reset.add(limits.reset, now)
    case .priority: return priority.add(limits.priority, now)
    case .goAway: return goAway.add(limits.goAway, now)
    case .stray: return stray.add(limits.stray, now)
    case .continuation:
      continuations += 1
      return continuations > limits.continuations
    case .unreadReplies: return false
    }
  }

  /// A field section is complete.
  package mutating func fieldSectionEnded() { continuations = 0 }

  /// What we did allows the peer to answer with WINDOW_UPDATEs.
  package mutating func sent(dataFrames: Int, streams: Int) {
    let (perFrame, first) = limits.windowUpdatesPerDataFrame.multipliedReportingOverflow(by: dataFrames)
    let (perStream, second) = limits.windowUpdatesPerStream.multipliedReportingOverflow(by: streams)
    windowUpdate.credit(first ? .max : perFrame, limits.windowUpdate)
    windowUpdate.credit(second ? .max : perStream, limits.windowUpdate)
  }
}

extension UInt64 {
  fileprivate func saturatingSum(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  fileprivate func saturatingProduct(_ other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
