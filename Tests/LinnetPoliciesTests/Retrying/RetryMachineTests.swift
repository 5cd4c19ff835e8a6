import LinnetPolicies
import Testing

@Suite struct RetryMachineTests {
  private func machine(_ retries: Int = 3, cap: Double? = 60) -> RetryMachine {
    RetryMachine(limits: RetryMachine.Limits(maximumRetries: retries, maximumRequestedWait: cap))
  }

  @Test(
    "what must not be repeated ends the call whatever the policy says",
    arguments: [
      (RetryMachine.Cause.permanent, RetryMachine.Repeatability.harmless),
      (.transient(isUnsent: false), .harmful), (.transient(isUnsent: false), .impossible),
      (.transient(isUnsent: true), .impossible), (.breakerOpen(retryAfter: 1), .impossible),
    ])
  func never(cause: RetryMachine.Cause, repeatability: RetryMachine.Repeatability) {
    var machine = machine()
    for vote in [RetryMachine.Vote.repeat, .repeatAfter(1)] {
      #expect(machine.attemptFailed(cause, repeatability: repeatability, vote: vote, backoff: 1) == .end)
    }
    #expect(machine.retryIndex == 0)
  }

  @Test("a harmful repeat is allowed when no byte was sent")
  func unsent() {
    var machine = machine()
    #expect(
      machine.attemptFailed(.transient(isUnsent: true), repeatability: .harmful, vote: .repeat, backoff: 2)
        == .wait(seconds: 2))
  }

  @Test("the number of repeats is kept", arguments: [(-1, 0), (0, 0), (1, 1), (3, 3)])
  func limit(retries: Int, expected: Int) {
    var machine = machine(retries)
    var waits = 0
    while machine.attemptFailed(.transient(isUnsent: false), repeatability: .harmless, vote: .repeat, backoff: 0)
      != .end
    {
      waits += 1
    }
    #expect(waits == expected)
    #expect(!machine.hasRetriesLeft)
  }

  @Test(
    "the wait is the larger of the policy's and the server's, the latter clamped",
    arguments: [
      (5, 1, 60, 5), (5, 10, 60, 10), (500, 1, 60, 60), (500, 90, 60, 90), (500, 1, nil, 500), (-5, -1, 60, 0),
      (.nan, .nan, 60, 0),
    ] as [(Double, Double, Double?, Double)])
  func wait(hint: Double, backoff: Double, cap: Double?, expected: Double) {
    var machine = machine(cap: cap)
    #expect(
      machine.attemptFailed(
        .transient(isUnsent: false), repeatability: .harmless, vote: .repeatAfter(hint), backoff: backoff)
        == .wait(seconds: expected))
  }

  @Test(
    "an open breaker is waited for in full, or not at all",
    arguments: [(30, .wait(seconds: 30)), (60, .wait(seconds: 60)), (61, .end)] as [(Double, RetryMachine.Decision)])
  func breaker(retryAfter: Double, expected: RetryMachine.Decision) {
    var machine = machine()
    #expect(
      machine.attemptFailed(
        .breakerOpen(retryAfter: retryAfter), repeatability: .harmful, vote: .repeat, backoff: 1) == expected)
  }

  /// The rules once more as one expression, over every combination.
  @Test("every combination of events follows the rules")
  func model() {
    let causes: [RetryMachine.Cause] = [
      .permanent, .transient(isUnsent: true), .transient(isUnsent: false), .breakerOpen(retryAfter: 7),
      .breakerOpen(retryAfter: 700),
    ]
    for cause in causes {
      for repeatability in [RetryMachine.Repeatability.harmless, .harmful, .impossible] {
        for vote in [RetryMachine.Vote.end, .repeat, .repeatAfter(3), .repeatAfter(300)] {
          for retries in 0...1 {
            var machine = machine(retries)
            let decision = machine.attemptFailed(cause, repeatability: repeatability, vote: vote, backoff: 5)
            let isRefused =
              retries == 0 || vote == .end || repeatability == .impossible || cause == .permanent
              || (repeatability == .harmful && cause == .transient(isUnsent: false))
              || cause == .breakerOpen(retryAfter: 700)
            var expected = 5.0
            if vote == .repeatAfter(300) { expected = 60 }
            if cause == .breakerOpen(retryAfter: 7) { expected = max(expected, 7) }
            #expect(decision == (isRefused ? .end : .wait(seconds: expected)), "\(cause) \(repeatability) \(vote)")
            #expect(machine.retryIndex == (isRefused ? 0 : 1))
          }
        }
      }
    }
  }
}
