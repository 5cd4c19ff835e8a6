internal import LinnetHTTPTypes

/// The order in which a request passes through its stages, in one place:
///
/// redirects → cookies → credentials → transport
///
/// Redirects are outermost, so that each hop chooses its own cookies and credentials. What a later version adds has its
/// place in docs/ARCHITECTURE.md: retry and session tokens above redirects; cache, signers, breaker and coalescing between
/// credentials and transport.
struct Pipeline: Sendable {
  /// Where a request begins.
  let first: RedirectStage<CookieStage<ChallengeAuthStage<TransportStage>>>

  init(_ configuration: HTTPClientConfiguration, environment: EngineEnvironment, pools: ConnectionPools) {
    let shared = SharedConfiguration(configuration)
    let securities = SecurityRegistry(configuration.tls, environment: environment)
    let transport = TransportStage(
      pools: pools, securities: securities,
      proxies: ProxyRegistry(configuration, variables: environment.variables, securities: securities),
      configuration: shared)
    first = RedirectStage(
      configuration: shared,
      next: CookieStage(
        configuration: configuration, environment: environment,
        next: ChallengeAuthStage(configuration: configuration, environment: environment, next: transport)))
  }
}
