package import LinnetBytes

/// Decides which address of a host is tried when: Happy Eyeballs version 2 (RFC 8305) over opaque address indices.
///
/// For the connector only. It opens the sockets; this machine says `connect` and `cancel` by index, and the owner
/// reports what became of each attempt.
///
/// Theory of operation
///
/// - *Order* (§4). Addresses keep the order of the resolver within their family, and the families alternate, beginning
///   with the family of the first address. Alternation looks at the family that was tried last, not at a list that was
///   sorted once; so addresses of a later answer slot in where §5 wants them.
/// - *Stagger* (§5). The first attempt starts at once, each next one when ``Limits/attemptDelay`` has passed since the
///   latest start. A failed attempt starts the next one at once: a host without an IPv6 route answers ENETUNREACH within
///   microseconds, and waiting would only add the delay to each request.
/// - *Bound.* At most ``Limits/maximumConcurrentAttempts`` run in parallel. When all of them hang and addresses are left,
///   the oldest attempt gives way after ``Limits/attemptPatience``, so that a good address behind many dead ones is
///   still reached. The last addresses are never cut short: nothing waits for their place.
/// - *End.* The first success wins, and every other running attempt is cancelled. All failed, with no more addresses to
///   come, is failure. After the end every event gives an empty action, but for a connection that was established too
///   late: it is named in `cancels`, so that its descriptor is closed.
///
/// The resolver may answer in parts: `moreExpected` keeps the race open until ``addressesEnded(now:)``.
package struct HappyEyeballsMachine: ~Copyable, Sendable {
  package enum Family: Sendable, Hashable { case ipv4, ipv6 }

  package struct Limits: Sendable {
    /// Time between the starts of two attempts: 250 ms, the recommendation of RFC 8305 §8. Less than 10 ms counts as
    /// 10 ms (§5: "MUST NOT be less").
    package var attemptDelay: Duration = .milliseconds(250)
    /// 8: with the default delay the ninth address would start after two seconds. Every attempt holds a descriptor.
    package var maximumConcurrentAttempts = 8
    /// How long an attempt may hold its place while other addresses wait for one. Go gives each address at least 2 s
    /// (`net.partialDeadline`); that is one retransmission of a SYN.
    package var attemptPatience: Duration = .seconds(2)
    /// Addresses beyond this many are ignored; an answer of DNS over TCP can hold thousands.
    package var maximumAddresses = 64

    package init() {}
  }

  package enum Outcome: Sendable, Hashable {
    /// This attempt won; its socket is the connection.
    case succeeded(Int)
    /// Every address failed, or there was none.
    case failed
  }

  /// What the owner must do, in this order: cancel, connect, arm the timer, report the outcome.
  package struct Action: Sendable, Equatable {
    /// Stop these attempts and close their sockets. Naming an attempt that is gone is harmless.
    package var cancels: SmallList<Int> = .none
    /// Start these attempts now.
    package var connects: SmallList<Int> = .none
    /// When to call ``HappyEyeballsMachine/timerFired(now:)`` next; replaces any earlier wish.
    package var waitUntil: Instant?
    /// Present once: the race is over.
    package var outcome: Outcome?

    package init() {}
  }

  private enum Attempt: Sendable {
    /// Not started. *Exits:* running.
    case pending
    /// *Exits:* failed, abandoned, won.
    case running(since: Instant)
    case failed
    /// Cancelled by us, at the end of the race or to make room; a success that crosses the cancellation is closed.
    case abandoned
    case won
  }

  private enum Phase: Sendable {
    /// *Exits:* racing (``start(now:)``), ended.
    case created
    /// *Exits:* ended.
    case racing
    case ended
  }

  private let limits: Limits
  private let attemptDelay: Duration
  private var phase = Phase.created
  private var moreExpected: Bool
  private var families: [Family] = []
  private var attempts: [Attempt] = []
  private var pendingIPv4 = RingDeque<Int>()
  private var pendingIPv6 = RingDeque<Int>()
  /// Running attempts, oldest first.
  private var running: [Int] = []
  private var lastFamily: Family?
  private var lastStart: Instant?

  /// - Parameters:
  ///   - families: the family of each address, in the order of the resolver; an address is named by its index.
  ///   - moreExpected: more addresses may be appended, so running out of these is not yet a failure.
  package init(families: [Family], moreExpected: Bool = false, limits: Limits = Limits()) {
    self.limits = limits
    attemptDelay = max(limits.attemptDelay, .milliseconds(10))
    self.moreExpected = moreExpected
    store(families)
  }

  // MARK: Events

  package mutating func start(now: Instant) -> Action {
    guard case .created = phase else { return Action() }
    phase = .racing
    return proceed(now: now, startAtOnce: true)
  }

  /// A later answer of the resolver. The indices go on where the addresses known so far end.
  package mutating func addressesAppended(_ families: [Family], now: Instant) -> Action {
    if case .ended = phase { return Action() }
    store(families)
    guard case .racing = phase else { return Action() }
    return proceed(now: now, startAtOnce: false)
  }

  /// The resolver has no more addresses.
  package mutating func addressesEnded(now: Instant) -> Action {
    moreExpected = false
    guard case .racing = phase else { return Action() }
    return proceed(now: now, startAtOnce: false)
  }

  package mutating func attemptSucceeded(_ index: Int, now: Instant) -> Action {
    guard attempts.indices.contains(index) else { return Action() }
    var action = Action()
    switch attempts[index] {
    case .running:
      attempts[index] = .won
      running.removeAll { $0 == index }
      end(&action)
      action.outcome = .succeeded(index)
    case .abandoned:
      attempts[index] = .failed
      action.cancels.append(index)
      if case .racing = phase { action.waitUntil = nextStart }
    case .pending, .failed, .won:
      if case .racing = phase { action.waitUntil = nextStart }
    }
    return action
  }

  package mutating func attemptFailed(_ index: Int, now: Instant) -> Action {
    guard attempts.indices.contains(index) else { return Action() }
    switch attempts[index] {
    case .running:
      attempts[index] = .failed
      running.removeAll { $0 == index }
      return proceed(now: now, startAtOnce: true)
    case .abandoned:
      attempts[index] = .failed
    case .pending, .failed, .won:
      break
    }
    var action = Action()
    if case .racing = phase { action.waitUntil = nextStart }
    return action
  }

  /// An early or late timer is harmless.
  package mutating func timerFired(now: Instant) -> Action {
    guard case .racing = phase else { return Action() }
    return proceed(now: now, startAtOnce: false)
  }

  /// The caller gave up: every running attempt is cancelled, and there will be no outcome.
  package mutating func cancel() -> Action {
    var action = Action()
    if case .ended = phase { return action }
    end(&action)
    return action
  }

  // MARK: Decisions

  private var hasPending: Bool { !pendingIPv4.isEmpty || !pendingIPv6.isEmpty }

  /// When the stagger (and, with all places taken, the patience with the oldest attempt) allows the next start.
  private var nextStart: Instant? {
    guard hasPending, let lastStart else { return nil }
    let staggered = lastStart.advanced(by: attemptDelay)
    guard running.count >= max(1, limits.maximumConcurrentAttempts), let oldest = running.first,
      case .running(let since) = attempts[oldest]
    else { return staggered }
    return max(staggered, since.advanced(by: limits.attemptPatience))
  }

  /// Starts at most one attempt: at once, or when its time has come.
  private mutating func proceed(now: Instant, startAtOnce: Bool) -> Action {
    var action = Action()
    if hasPending {
      let hasRoom = running.count < max(1, limits.maximumConcurrentAttempts)
      // Nothing runs: nothing to wait for. A failure that just left a free place starts the next one at once too.
      let isImmediate = running.isEmpty || (startAtOnce && hasRoom)
      if isImmediate || (nextStart ?? now) <= now {
        if !hasRoom, let oldest = running.first {
          running.removeFirst()
          attempts[oldest] = .abandoned
          action.cancels.append(oldest)
        }
        startNext(now: now, &action)
      }
      action.waitUntil = nextStart
    } else if running.isEmpty, !moreExpected {
      end(&action)
      action.outcome = .failed
    }
    return action
  }

  private mutating func startNext(now: Instant, _ action: inout Action) {
    guard let index = takeNextPending() else { return }
    attempts[index] = .running(since: now)
    running.append(index)
    lastFamily = families[index]
    lastStart = now
    action.connects.append(index)
  }

  /// RFC 8305 §4: alternate the families; the first address of the resolver goes first.
  private mutating func takeNextPending() -> Int? {
    let wanted: Family =
      switch lastFamily {
      case .ipv4?: .ipv6
      case .ipv6?: .ipv4
      case nil: families.first ?? .ipv6
      }
    switch wanted {
    case .ipv4: return pendingIPv4.popFirst() ?? pendingIPv6.popFirst()
    case .ipv6: return pendingIPv6.popFirst() ?? pendingIPv4.popFirst()
    }
  }

  private mutating func store(_ more: [Family]) {
    for family in more.prefix(max(0, limits.maximumAddresses - families.count)) {
      let index = families.count
      families.append(family)
      attempts.append(.pending)
      switch family {
      case .ipv4: pendingIPv4.append(index)
      case .ipv6: pendingIPv6.append(index)
      }
    }
  }

  private mutating func end(_ action: inout Action) {
    phase = .ended
    for index in running {
      attempts[index] = .abandoned
      action.cancels.append(index)
    }
    running = []
    pendingIPv4 = RingDeque()
    pendingIPv6 = RingDeque()
  }
}
