package import LinnetBytes

/// The circuit breaker of one server: stops asking a server that keeps failing, and finds out when it works again.
///
/// For ``CircuitBreakerTable`` only, which has one for each server.
///
/// Theory of operation
///
/// - *Closed.* The last ``Limits/windowSize`` outcomes are kept. When ``Limits/failureThreshold`` of them are failures,
///   the breaker opens. A success pushes old failures out; it does not forgive them at once.
/// - *Open.* Nothing passes until the wait is over. The first wait is ``Limits/resetAfter``.
/// - *Half-open.* One request at a time passes as a probe. Enough successes close the breaker with an empty window, and
///   the next opening starts with the first wait again. A failed probe opens it with twice the wait, up to
///   ``Limits/maximumResetAfter``. A probe without a verdict (cancelled) frees its place, and the successes before it count.
///
/// A permit belongs to the state that gave it: what was let through before a change of state says nothing about the
/// server after it, so its outcome is ignored.
package struct CircuitBreakerMachine: Sendable {
  package struct Limits: Sendable, Hashable {
    package var failureThreshold: Int
    package var windowSize: Int
    package var resetAfter: Duration
    package var maximumResetAfter: Duration
    package var probesToClose: Int

    package init(
      failureThreshold: Int, windowSize: Int, resetAfter: Duration, maximumResetAfter: Duration, probesToClose: Int
    ) {
      self.failureThreshold = failureThreshold
      self.windowSize = windowSize
      self.resetAfter = resetAfter
      self.maximumResetAfter = maximumResetAfter
      self.probesToClose = probesToClose
    }
  }

  /// What became of an exchange.
  package enum Outcome: Sendable, Hashable {
    /// The server answered, and not with an error of its own.
    case success
    /// The server answered that the request is wrong (4xx): it works, but a probe aside that says nothing new.
    case rejection
    /// The server failed, or could not be reached.
    case failure
    /// Nothing was learned about the server: cancelled, or stopped before it.
    case unknown
  }

  /// Leave to send one request. It must be given back with its outcome.
  package struct Permit: Sendable, Hashable {
    /// The state that gave it.
    let generation: UInt64
  }

  package enum Admission: Sendable, Hashable {
    case admitted(Permit)
    /// Not before this time has passed.
    case rejected(retryAfter: Duration)
  }

  private enum State: Sendable {
    /// The window fills. *Exits:* open, at the threshold.
    case closed
    /// *Exits:* half-open, when `wait` is over at the next request.
    case open(since: Instant, wait: Duration)
    /// `successes` of `probesToClose` are there. *Exits:* closed, open.
    case halfOpen(wait: Duration, successes: Int, isProbing: Bool)
  }

  private let limits: Limits
  private var state = State.closed
  /// Whether each of the latest outcomes was a failure, oldest first; empty unless closed. It stands beside the state so
  /// that it is changed in place.
  private var window = RingDeque<Bool>()
  /// How many of ``window`` are failures.
  private var failures = 0
  private var generation: UInt64

  /// - Parameter generation: Where the numbers of permits start. One above ``latestGeneration`` of the machine that this
  ///   one replaces, so that the permits of that one are not taken for its own.
  package init(limits: Limits, generation: UInt64 = 0) {
    self.limits = limits
    self.generation = generation
  }

  package var latestGeneration: UInt64 { generation }

  /// Whether requests pass freely.
  package var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// A request wants to be sent.
  package mutating func requestArrived(now: Instant) -> Admission {
    switch state {
    case .closed:
      return .admitted(Permit(generation: generation))
    case .open(let since, let wait):
      let end = since.advanced(by: wait)
      // A clock that runs backwards would keep the breaker open for an unknown time; then a probe is better.
      guard now >= end || now < since else { return .rejected(retryAfter: now.duration(to: end)) }
      enter(.halfOpen(wait: wait, successes: 0, isProbing: true))
      return .admitted(Permit(generation: generation))
    case .halfOpen(let wait, let successes, let isProbing):
      guard !isProbing else { return .rejected(retryAfter: wait) }
      state = .halfOpen(wait: wait, successes: successes, isProbing: true)
      return .admitted(Permit(generation: generation))
    }
  }

  /// The exchange of a permit ended.
  package mutating func exchangeEnded(_ permit: Permit, _ outcome: Outcome, now: Instant) {
    guard permit.generation == generation else { return }
    switch state {
    case .closed: closedExchangeEnded(outcome, now: now)
    case .halfOpen(let wait, let successes, _): probeEnded(wait: wait, successes: successes, outcome, now: now)
    // No permit is given while it is open.
    case .open: break
    }
  }

  private mutating func closedExchangeEnded(_ outcome: Outcome, now: Instant) {
    guard outcome == .success || outcome == .failure else { return }
    window.append(outcome == .failure)
    if outcome == .failure { failures += 1 }
    while window.count > max(1, limits.windowSize) {
      if window.popFirst() == true { failures -= 1 }
    }
    if failures >= max(1, limits.failureThreshold) {
      enter(.open(since: now, wait: min(limits.resetAfter, limits.maximumResetAfter)))
    }
  }

  private mutating func probeEnded(wait: Duration, successes: Int, _ outcome: Outcome, now: Instant) {
    switch outcome {
    case .success, .rejection:
      if successes + 1 >= limits.probesToClose {
        enter(.closed)
      } else {
        state = .halfOpen(wait: wait, successes: successes + 1, isProbing: false)
      }
    case .failure:
      // Compared before it is doubled: a Duration that overflows traps.
      let longest = limits.maximumResetAfter
      enter(.open(since: now, wait: wait >= longest / 2 ? longest : wait * 2))
    case .unknown:
      state = .halfOpen(wait: wait, successes: successes, isProbing: false)
    }
  }

  private mutating func enter(_ next: State) {
    state = next
    generation &+= 1
    window = RingDeque()
    failures = 0
  }
}
