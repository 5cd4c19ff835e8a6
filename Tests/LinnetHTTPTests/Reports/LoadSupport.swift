import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetProtocols
import LinnetTestSupport
import Testing

/// How much a test does: enough for every push, or, with `LINNET_LONG=1`, as much as the report asks for.
enum TestSize {
  static let isLong = ProcessEnvironment.variables["LINNET_LONG"] == "1"

  static func of(_ usual: Int, long: Int) -> Int { isLong ? long : usual }
}

/// Runs a body and records what it throws; in an exit test a thrown error would only show as a signal.
func recordingErrors(_ body: () async throws -> Void) async {
  do { try await body() } catch { Issue.record(error) }
}

extension HTTPClient {
  /// Waits until the pools are in a state. They do not announce it, so this looks every millisecond; for a state that
  /// never comes there is the time limit of the suite.
  func waitForPools(_ isReached: (PoolMachine.Counts) -> Bool) async {
    while true {
      if isReached(poolCounts) { return }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// How many requests hold or want a connection.
  var pendingCount: Int {
    let counts = poolCounts
    return counts.leasedStreams + counts.waiting
  }

  /// Sends a request in a task of its own.
  func start(_ request: HTTPRequest) -> Task<TransportError?, Never> {
    Task { await self.failure(of: request) }
  }
}

extension HTTPClientConfiguration {
  /// At most that many connections to one origin.
  static func limited(to connections: Int) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    configuration.pool.maximumConnectionsPerOrigin = connections
    return configuration
  }
}

extension HTTPRequest {
  func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var copy = self
    change(&copy)
    return copy
  }
}

/// A client that lives by a clock which the test moves, on one shard of its own.
struct ManualFixture {
  let clock = ManualClock()
  let shards: ShardGroup
  let client: HTTPClient

  init(
    _ configuration: HTTPClientConfiguration = HTTPClientConfiguration(),
    resolver: any NameResolver = SystemResolver.shared
  ) {
    shards = clock.makeGroup()
    var configuration = configuration
    // Time is moved until something happens, and the peer lives in real time: it would be late with every PING.
    configuration.http2.keepAliveInterval = nil
    client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: shards, resolver: resolver, clock: clock))
  }

  /// Ends the client; nothing of it may be left on the clock.
  func end() async throws {
    await client.shutdown(grace: .zero)
    try await clock.expectNoTimers()
    await shards.shutDown()
  }
}
