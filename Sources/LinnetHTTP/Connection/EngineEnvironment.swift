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
}
