import Linnet
import LinnetPolicies
import Testing

@Suite struct ResponseCachePolicyTests {
  @Test("disabled and networkOnly have no rules, also inside the adapter")
  func withoutRules() {
    for policy in [ResponseCachePolicy.disabled, .networkOnly] {
      #expect(policy.rules == nil)
      #expect(ResponseCachePolicy.rfc9111Compliant(wrapping: policy).rules == nil)
    }
  }

  @Test("windows become rules, the adapter turns the directives on, and wrapping twice is wrapping once")
  func rules() {
    #expect(ResponseCachePolicy.cacheFirst(maxAge: .seconds(60)).rules == CachePolicy(window: .seconds(60)))
    let swr = ResponseCachePolicy.staleWhileRevalidate(maxAge: .seconds(60), staleWindow: .seconds(30))
    #expect(swr.rules == CachePolicy(window: .seconds(60), staleWindow: .seconds(30)))
    let adapted = ResponseCachePolicy.rfc9111Compliant(wrapping: swr)
    #expect(
      adapted.rules == CachePolicy(window: .seconds(60), staleWindow: .seconds(30), honoursDirectives: true))
    #expect(ResponseCachePolicy.rfc9111Compliant(wrapping: adapted).rules == adapted.rules)
  }

  @Test("the server alone decides, with a lifetime for responses that have none")
  func serverDirected() {
    #expect(
      ResponseCachePolicy.serverDirected(defaultTTL: .seconds(5)).rules
        == CachePolicy(window: nil, honoursDirectives: true, defaultLifetime: .seconds(5)))
    #expect(ResponseCachePolicy.serverDirected().rules?.defaultLifetime == nil)
  }
}
