internal import LinnetBytes
internal import LinnetIO
internal import LinnetTLS

/// One set of TLS settings in use: its OpenSSL context, made with the first connection, and the sessions made under it.
///
/// Sessions live here, per settings, so that one made under a laxer policy is never resumed under a stricter one.
final class ConnectionSecurity: Sendable {
  let id: Int
  let configuration: TLSConfiguration
  private let trustEnvironment: TrustEnvironment
  private let context = Lock<Result<TLSContext, TLSError>?>(nil)
  private let sessions = Lock(TLSSessionCache())
  private let keyLog: KeyLogFile?

  init(id: Int, configuration: TLSConfiguration, environment: EngineEnvironment) {
    self.id = id
    self.configuration = configuration
    var trust = TrustEnvironment(configuration.usesEnvironment ? environment.variables : [:])
    trust.places = environment.trustPlaces
    trustEnvironment = trust
    keyLog = configuration.keyLogFile.map { KeyLogFile(path: $0) }
  }

  /// The context; made once. A configuration that cannot be used fails every time with the same error.
  func makeContext() throws(TLSError) -> TLSContext {
    try context.withLock { cached in
      if let cached { return cached }
      let made: Result<TLSContext, TLSError>
      do throws(TLSError) {
        made = .success(try TLSContext(TLSSettings(configuration, trustEnvironment: trustEnvironment), role: .client))
      } catch {
        made = .failure(error)
      }
      cached = made
      return made
    }.get()
  }

  func takeSession(for key: String) -> TLSSession? {
    guard configuration.resumesSessions else { return nil }
    return sessions.withLock { $0.take(for: key) }
  }

  func store(_ new: SmallList<TLSSession>, key: String) {
    guard configuration.resumesSessions else { return }
    sessions.withLock { cache in
      for session in new { cache.store(session, for: key) }
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
