package import LinnetIO
package import LinnetTLS

/// The outside world of a client: shards, name service, clock, variables, places of trusted certificates. Tests replace
/// parts of it.
package struct EngineEnvironment: Sendable {
  package var shards: ShardGroup
  package var resolver: any NameResolver
  package var clock: any MonotonicClock
  package var variables: [String: String]
  package var trustPlaces: TrustPlaces
  /// What servers and proxies have asked for; one for each client.
  let challenges = ChallengeResponder()

  package init(
    shards: ShardGroup = .shared, resolver: any NameResolver = SystemResolver.shared,
    clock: any MonotonicClock = SystemClock(), variables: [String: String] = ProcessEnvironment.variables,
    trustPlaces: TrustPlaces = .distributions
  ) {
    self.shards = shards
    self.resolver = resolver
    self.clock = clock
    self.variables = variables
    self.trustPlaces = trustPlaces
  }

  /// The system's resolver with a cache of its own when the times are not the usual ones; any other stays.
  package func resolver(for cache: DNSCacheConfiguration) -> any NameResolver {
    guard cache != DNSCacheConfiguration(), let system = resolver as? SystemResolver, system === SystemResolver.shared
    else { return resolver }
    return SystemResolver(limits: ResolverCache.Limits(cache), clock: clock)
  }
}

extension ResolverCache.Limits {
  package init(_ cache: DNSCacheConfiguration) {
    self.init()
    positive = cache.lifetime
    negative = cache.negativeLifetime
  }
}
