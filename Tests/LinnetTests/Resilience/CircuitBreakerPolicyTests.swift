import Linnet
import Testing

@Suite struct CircuitBreakerPolicyTests {
  @Test("defaults, and the seed's example")
  func defaults() {
    let policy = CircuitBreakerPolicy(failureThreshold: 3)
    #expect(policy.failureThreshold == 3 && policy.windowSize == 10 && policy.numberOfProbesRequiredToClose == 1)
    #expect(policy.resetAfter == .seconds(30) && policy.maxResetAfter == .seconds(300))
    #expect(!policy.countsTransportSecurityFailures)
    #expect(CircuitBreakerPolicy().failureThreshold == 5)
  }

  @Test("the plain initialiser moves what makes no sense to the nearest value that does")
  func clamps() {
    let policy = CircuitBreakerPolicy(
      failureThreshold: 99, windowSize: 0, resetAfter: .seconds(-1), maxResetAfter: .seconds(-2),
      numberOfProbesRequiredToClose: 0)
    #expect(policy.failureThreshold == 1 && policy.windowSize == 1 && policy.numberOfProbesRequiredToClose == 1)
    #expect(policy.resetAfter == .zero && policy.maxResetAfter == .zero)
    #expect(CircuitBreakerPolicy(resetAfter: .seconds(60), maxResetAfter: .seconds(5)).maxResetAfter == .seconds(60))
  }

  typealias Problem = CircuitBreakerPolicy.ConfigurationError

  @Test("the validating initialiser takes what makes sense")
  func validates() throws {
    let policy = try CircuitBreakerPolicy(validatedFailureThreshold: 5)
    #expect(policy == CircuitBreakerPolicy())
  }

  @Test("the validating initialiser names the first value that makes no sense")
  func refuses() {
    #expect(throws: Problem.nonPositive(field: "failureThreshold", value: 0)) {
      try CircuitBreakerPolicy(validatedFailureThreshold: 0)
    }
    #expect(throws: Problem.nonPositive(field: "windowSize", value: -1)) {
      try CircuitBreakerPolicy(validatedFailureThreshold: 1, windowSize: -1)
    }
    #expect(throws: Problem.nonPositive(field: "numberOfProbesRequiredToClose", value: 0)) {
      try CircuitBreakerPolicy(validatedFailureThreshold: 1, numberOfProbesRequiredToClose: 0)
    }
    #expect(throws: Problem.thresholdExceedsWindow(threshold: 11, window: 10)) {
      try CircuitBreakerPolicy(validatedFailureThreshold: 11)
    }
    #expect(throws: Problem.negativeDuration(field: "resetAfter")) {
      try CircuitBreakerPolicy(validatedFailureThreshold: 1, resetAfter: .seconds(-1))
    }
    #expect(throws: Problem.negativeDuration(field: "maxResetAfter")) {
      try CircuitBreakerPolicy(validatedFailureThreshold: 1, maxResetAfter: .seconds(-1))
    }
    #expect(throws: Problem.maxResetSmallerThanReset) {
      try CircuitBreakerPolicy(validatedFailureThreshold: 1, maxResetAfter: .seconds(1))
    }
  }
}
