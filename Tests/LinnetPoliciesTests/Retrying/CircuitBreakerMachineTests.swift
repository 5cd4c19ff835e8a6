import LinnetBytes
import LinnetPolicies
import LinnetTestRandom
import Testing

@Suite struct CircuitBreakerMachineTests {
  typealias Outcome = CircuitBreakerMachine.Outcome

  static let start = Instant(nanoseconds: 1_000_000_000_000)

  private static func limits(
    threshold: Int = 3, window: Int = 5, reset: Duration = .seconds(30), longest: Duration = .seconds(100),
    probes: Int = 1
  ) -> CircuitBreakerMachine.Limits {
    CircuitBreakerMachine.Limits(
      failureThreshold: threshold, windowSize: window, resetAfter: reset, maximumResetAfter: longest,
      probesToClose: probes)
  }

  /// Sends one request to its end; nil when it is rejected.
  @discardableResult
  private func run(_ outcome: Outcome, _ breaker: inout CircuitBreakerMachine, at now: Instant) -> Duration? {
    switch breaker.requestArrived(now: now) {
    case .admitted(let permit):
      breaker.exchangeEnded(permit, outcome, now: now)
      return nil
    case .rejected(let retryAfter): return retryAfter
    }
  }

  private func opened(_ limits: CircuitBreakerMachine.Limits = limits()) -> CircuitBreakerMachine {
    var breaker = CircuitBreakerMachine(limits: limits)
    for _ in 0..<limits.failureThreshold { run(.failure, &breaker, at: Self.start) }
    return breaker
  }

  @Test("the threshold opens it, and what is left of the wait is told")
  func opens() {
    var breaker = opened()
    #expect(run(.success, &breaker, at: Self.start) == .seconds(30))
    #expect(run(.success, &breaker, at: Self.start.advanced(by: .seconds(10))) == .seconds(20))
  }

  @Test("successes push failures out of the window, one by one")
  func window() {
    var breaker = CircuitBreakerMachine(limits: Self.limits())
    for outcome in [Outcome.failure, .failure, .success, .success, .success, .success, .failure, .failure] {
      run(outcome, &breaker, at: Self.start)
    }
    #expect(breaker.isClosed)
    run(.failure, &breaker, at: Self.start)
    #expect(!breaker.isClosed)
  }

  @Test("rejections and unknown outcomes do not enter the window", arguments: [Outcome.rejection, .unknown])
  func ignored(outcome: Outcome) {
    var breaker = CircuitBreakerMachine(limits: Self.limits())
    run(.failure, &breaker, at: Self.start)
    run(.failure, &breaker, at: Self.start)
    for _ in 0..<20 { run(outcome, &breaker, at: Self.start) }
    #expect(breaker.isClosed)
    run(.failure, &breaker, at: Self.start)
    #expect(!breaker.isClosed)
  }

  @Test("after the wait one probe passes, and others are told the wait", arguments: [Outcome.success, .rejection])
  func probe(outcome: Outcome) {
    var breaker = opened()
    let now = Self.start.advanced(by: .seconds(30))
    guard case .admitted(let permit) = breaker.requestArrived(now: now) else {
      Issue.record("no probe")
      return
    }
    #expect(breaker.requestArrived(now: now) == .rejected(retryAfter: .seconds(30)))
    breaker.exchangeEnded(permit, outcome, now: now)
    #expect(breaker.isClosed)
    // The window is empty: the old failures are forgotten.
    run(.failure, &breaker, at: now)
    run(.failure, &breaker, at: now)
    #expect(breaker.isClosed)
  }

  @Test("failed probes double the wait up to the longest; a close starts over")
  func doubling() {
    var breaker = opened()
    var now = Self.start
    for wait in [30, 60, 100, 100] {
      #expect(run(.success, &breaker, at: now) == .seconds(wait))
      now = now.advanced(by: .seconds(wait))
      #expect(run(.failure, &breaker, at: now) == nil)
    }
    now = now.advanced(by: .seconds(100))
    #expect(run(.success, &breaker, at: now) == nil)
    for _ in 0..<3 { run(.failure, &breaker, at: now) }
    #expect(run(.success, &breaker, at: now) == .seconds(30))
  }

  @Test("a cancelled probe frees its place and keeps the successes before it")
  func cancelledProbe() {
    var breaker = opened(Self.limits(probes: 2))
    let now = Self.start.advanced(by: .seconds(30))
    run(.success, &breaker, at: now)
    run(.unknown, &breaker, at: now)
    #expect(!breaker.isClosed)
    run(.success, &breaker, at: now)
    #expect(breaker.isClosed)
  }

  @Test("an outcome of a state that is over changes nothing")
  func late() {
    var breaker = CircuitBreakerMachine(limits: Self.limits(threshold: 1, window: 1))
    guard case .admitted(let slow) = breaker.requestArrived(now: Self.start) else { return }
    run(.failure, &breaker, at: Self.start)
    breaker.exchangeEnded(slow, .success, now: Self.start)
    #expect(!breaker.isClosed)
    let now = Self.start.advanced(by: .seconds(30))
    guard case .admitted(let probe) = breaker.requestArrived(now: now) else { return }
    breaker.exchangeEnded(slow, .failure, now: now)
    breaker.exchangeEnded(probe, .success, now: now)
    #expect(breaker.isClosed)
  }

  @Test("a clock that runs backwards lets a probe through")
  func backwards() {
    var breaker = opened()
    #expect(run(.success, &breaker, at: Instant(nanoseconds: 5)) == nil)
    #expect(breaker.isClosed)
  }

  @Test("a wait that cannot be doubled is the longest")
  func hugeWaits() {
    let huge = Duration.seconds(Int64.max)
    var breaker = opened(Self.limits(reset: huge, longest: huge))
    #expect(run(.success, &breaker, at: Self.start) != nil)
    #expect(run(.failure, &breaker, at: .distantFuture) == nil)
    #expect(run(.success, &breaker, at: Self.start) == nil)
  }

  /// The rules once more over plain lists.
  private struct Model {
    var limits: CircuitBreakerMachine.Limits
    var history: [Bool] = []
    var openUntil: Instant?
    var wait: Duration
    var successes = 0
    var probe: Int?
    var epoch = 0

    init(_ limits: CircuitBreakerMachine.Limits) {
      self.limits = limits
      wait = limits.resetAfter
    }

    var isHalfOpen = false

    /// Nil when the request passes.
    mutating func arrive(_ id: Int, _ now: Instant) -> Duration? {
      if let until = openUntil {
        if now < until { return now.duration(to: until) }
        openUntil = nil
        isHalfOpen = true
        successes = 0
        epoch += 1
      } else if isHalfOpen, probe != nil {
        return wait
      }
      if isHalfOpen { probe = id }
      return nil
    }

    mutating func end(_ id: Int, epoch: Int, _ outcome: Outcome, _ now: Instant) {
      guard epoch == self.epoch else { return }
      if isHalfOpen {
        probe = nil
        if outcome == .failure {
          wait = min(wait * 2, limits.maximumResetAfter)
          reopen(now)
        } else if outcome != .unknown {
          successes += 1
          if successes == limits.probesToClose {
            isHalfOpen = false
            self.epoch += 1
          }
        }
      } else if outcome == .failure || outcome == .success {
        history = (history + [outcome == .failure]).suffix(limits.windowSize)
        if history.filter({ $0 }).count >= limits.failureThreshold {
          wait = limits.resetAfter
          reopen(now)
        }
      }
    }

    private mutating func reopen(_ now: Instant) {
      openUntil = now.advanced(by: wait)
      isHalfOpen = false
      history = []
      epoch += 1
    }
  }

  @Test("random scripts follow the model", arguments: 0..<10 as Range<UInt64>)
  func randomScripts(block: UInt64) {
    for seed in (block * 200)..<((block + 1) * 200) where !follows(seed: seed) {
      Issue.record("seed \(seed)")
      return
    }
  }

  private func follows(seed: UInt64) -> Bool {
    var random = SeededGenerator(seed: seed)
    let window = 1 + Int(random.below(6))
    let limits = Self.limits(
      threshold: 1 + Int(random.below(UInt64(window))), window: window, probes: 1 + Int(random.below(3)))
    var breaker = CircuitBreakerMachine(limits: limits)
    var model = Model(limits)
    var now = Self.start
    var running: [(id: Int, epoch: Int, permit: CircuitBreakerMachine.Permit)] = []
    for step in 0..<120 {
      now = now.advanced(by: .seconds(Int64(random.below(random.chance(10) ? 120 : 4))))
      if random.chance(50) || running.isEmpty {
        let expected = model.arrive(step, now)
        switch breaker.requestArrived(now: now) {
        case .admitted(let permit):
          guard expected == nil else { return false }
          running.append((step, model.epoch, permit))
        case .rejected(let retryAfter): guard expected == retryAfter else { return false }
        }
      } else {
        let ended = running.remove(at: Int(random.below(UInt64(running.count))))
        let outcome = [Outcome.success, .failure, .failure, .rejection, .unknown][Int(random.below(5))]
        model.end(ended.id, epoch: ended.epoch, outcome, now)
        breaker.exchangeEnded(ended.permit, outcome, now: now)
      }
    }
    return true
  }
}
