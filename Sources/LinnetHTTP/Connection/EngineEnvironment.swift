package import LinnetIO

/// The outside world of a client: shards, name service, clock, variables. Tests replace parts of it.
package struct EngineEnvironment: Sendable {
  package var shards: ShardGroup
  package var resolver: any NameResolver
  package var clock: any MonotonicClock
  package var variables: [String: String]

  package init(
    shards: ShardGroup = .shared, resolver: any NameResolver = SystemResolver.shared,
    clock: any MonotonicClock = SystemClock(), variables: [String: String] = ProcessEnvironment.variables
  ) {
    self.shards = shards
    self.resolver = resolver
    self.clock = clock
    self.variables = variables
  }
}
