internal import LinnetBytes
internal import LinnetIO
internal import LinnetTLS

/// One set of TLS settings in use: its OpenSSL context, made with the first connection, and the sessions made under it.
///
/// Sessions live here, per settings, so that one made under a laxer policy is never resumed under a stricter one.
final class ConnectionSecurity: Sendable {
  let id: Int
  let configuration: TLSConfiguration
  private let source: TLSContextSource
  private let sessions = Lock(Sessions())
  private let keyLog: KeyLogFile?

  /// Those made under the newest context: others may stand for authorities or a client certificate that were replaced.
  private struct Sessions {
    var cache = TLSSessionCache()
    var generation: UInt64 = 0

    /// Whether sessions of this generation are kept.
    mutating func admits(_ generation: UInt64) -> Bool {
      if generation > self.generation {
        self.generation = generation
        cache = TLSSessionCache()
      }
      return generation == self.generation
    }
  }

  init(id: Int, configuration: TLSConfiguration, environment: EngineEnvironment) {
    self.id = id
    self.configuration = configuration
    var trust = TrustEnvironment(configuration.usesEnvironment ? environment.variables : [:])
    trust.places = environment.trustPlaces
    source = TLSContextSource(TLSSettings(configuration, trustEnvironment: trust), clock: environment.clock)
    keyLog = configuration.keyLogFile.map { KeyLogFile(path: $0) }
  }

  /// The context for a new connection. A configuration that cannot be used fails every time with the same error.
  ///
  /// Reading files takes nothing of the time for connecting, which is the network's: the request's own limits apply.
  func context() async throws(TransportFailure) -> TLSContext {
    let context: TLSContext?
    do throws(TLSError) {
      if let ready = source.ready { return try ready.get() }
      context = try await source.context()
    } catch {
      throw TransportFailure(error, phase: .request)
    }
    guard let context else { throw TransportFailure.cancelled.at(.request) }
    return context
  }

  func takeSession(for key: String, under context: TLSContext) -> TLSSession? {
    guard configuration.resumesSessions else { return nil }
    return sessions.withLock { $0.admits(context.generation) ? $0.cache.take(for: key) : nil }
  }

  func store(_ new: SmallList<TLSSession>, key: String) {
    guard configuration.resumesSessions else { return }
    sessions.withLock { sessions in
      for session in new where sessions.admits(session.generation) { sessions.cache.store(session, for: key) }
    }
  }

  func log(_ lines: [String]) { keyLog?.append(lines) }
}

/// The TLS settings that a client has met: its own and those of single requests.
final class SecurityRegistry: Sendable {
  private struct State {
    var known: [TLSConfiguration: ConnectionSecurity] = [:]
    var nextID = 2
  }

  /// Under the client's own settings: found without hashing them, which may hold whole certificate bundles.
  private let standard: ConnectionSecurity

  private let state = Lock(State())
  private let environment: EngineEnvironment

  init(_ configuration: TLSConfiguration, environment: EngineEnvironment) {
    self.environment = environment
    standard = ConnectionSecurity(id: 1, configuration: configuration, environment: environment)
  }

  /// The settings of a request, or of the client (`nil`).
  func security(for configuration: TLSConfiguration?) -> ConnectionSecurity {
    guard let configuration, configuration != standard.configuration else { return standard }
    return state.withLock { state in
      if let known = state.known[configuration] { return known }
      // A program that makes new settings for every request must not grow without bound.
      if state.known.count >= 256 { state.known.removeAll() }
      let made = ConnectionSecurity(id: state.nextID, configuration: configuration, environment: environment)
      state.nextID += 1
      state.known[configuration] = made
      return made
    }
  }
}
