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

  @Test("the validating initialiser names the first value that makes no sense")
  func validates() throws {
    typealias Problem = CircuitBreakerPolicy.ConfigurationError
    func problem(_ make: () throws(Problem) -> CircuitBreakerPolicy) -> Problem? {
      do throws(Problem) {
        _ = try make()
        return nil
      } catch {
        return error
      }
    }
    #expect(problem { () throws(Problem) in try .init(validatedFailureThreshold: 5) } == nil)
    #expect(
      problem { () throws(Problem) in try .init(validatedFailureThreshold: 0) }
        == .nonPositive(field: "failureThreshold", value: 0))
    #expect(
      problem { () throws(Problem) in try .init(validatedFailureThreshold: 1, windowSize: -1) }
        == .nonPositive(field: "windowSize", value: -1))
    #expect(
      problem { () throws(Problem) in try .init(validatedFailureThreshold: 1, numberOfProbesRequiredToClose: 0) }
        == .nonPositive(field: "numberOfProbesRequiredToClose", value: 0))
    #expect(
      problem { () throws(Problem) in try .init(validatedFailureThreshold: 11) }
        == .thresholdExceedsWindow(threshold: 11, window: 10))
    #expect(
      problem { () throws(Problem) in try .init(validatedFailureThreshold: 1, resetAfter: .seconds(-1)) }
        == .negativeDuration(field: "resetAfter"))
    #expect(
      problem { () throws(Problem) in try .init(validatedFailureThreshold: 1, maxResetAfter: .seconds(1)) }
        == .maxResetSmallerThanReset)
  }
}
