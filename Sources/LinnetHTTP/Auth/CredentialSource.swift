internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// Finds the credentials for a hop: see ``ChallengeAuthStage`` for the order.
struct CredentialSource: Sendable {
  private let byOrigin: [Origin: HTTPCredentials]
  private let netrc: NetrcSource
  private let isAlwaysAsked: Bool
  let hasDefaultAuthorization: Bool
  private let files: NetrcFiles
  private let timeouts: TimeoutConfiguration

  init(_ configuration: HTTPClientConfiguration, environment: EngineEnvironment) {
    byOrigin = configuration.credentials
    timeouts = configuration.timeouts
    netrc = configuration.netrc
    isAlwaysAsked = !configuration.credentials.isEmpty || configuration.netrc != .off
    hasDefaultAuthorization = configuration.defaultHeaders.contains("Authorization")
    files = NetrcFiles(variables: environment.variables, shards: environment.shards)
  }

  /// Whether there is anything to look for. The usual request has none of it, and pays for no more than this.
  func mayHaveCredentials(for hop: HopRequest) -> Bool {
    isAlwaysAsked || hop.url.hasUserinfo || hop.request.options.credentials != nil || hop.request.options.netrc != nil
  }

  /// Whether the hop is sent with the `Authorization` of the default headers.
  func addsDefaultAuthorization(to hop: HopRequest) -> Bool {
    hasDefaultAuthorization && !hop.request.headers.contains("Authorization")
      && !hop.request.options.omittedDefaultHeaders.contains {
        ASCII.equalIgnoringCase($0.utf8, "authorization".utf8)
      }
  }

  /// The credentials for a hop's origin, or nil: there are none, or the caller's own field says it all.
  ///
  /// - Throws: `invalidConfiguration` for a netrc file that cannot be used; `totalTimeout` while it is read; `cancelled`.
  func credentials(for hop: HopRequest, _ exchange: Exchange) async throws(TransportFailure) -> HTTPCredentials? {
    let options = hop.request.options
    if hop.request.headers.contains("Authorization") { return nil }
    if addsDefaultAuthorization(to: hop) { return nil }
    if !hop.isForeign, let own = options.credentials { return own }
    let userinfo = hop.isForeign ? nil : hop.url.decodedUserinfo
    let netrc = options.netrc ?? netrc
    if let userinfo {
      // A name alone asks netrc for the password, as with curl.
      if userinfo.password.isEmpty, netrc != .off,
        let entry = try await entry(in: netrc, for: hop, exchange, login: userinfo.username)
      {
        return HTTPCredentials(.octets(user: userinfo.username, password: entry.password ?? []))
      }
      return HTTPCredentials(.octets(user: userinfo.username, password: userinfo.password))
    }
    if let known = byOrigin[hop.url.origin] { return known }
    guard netrc != .off, let entry = try await entry(in: netrc, for: hop, exchange, login: nil) else { return nil }
    return HTTPCredentials(.octets(user: entry.login ?? [], password: entry.password ?? []))
  }

  /// Nothing more will be sent.
  func endReadings() { files.endReadings() }

  private func entry(
    in source: NetrcSource, for hop: HopRequest, _ exchange: Exchange, login: [UInt8]?
  ) async throws(TransportFailure) -> Netrc.Entry? {
    // A file names machines, not schemes: what was begun over TLS must not be told in the clear on its further way.
    if !hop.url.isSecure && exchange.history.contains(where: { $0.from.isSecure }) { return nil }
    let deadline = exchange.totalDeadline(hop.request.options, timeouts)
    guard let file = try await files.contents(of: source, until: deadline) else { return nil }
    // The entry for all others is for hosts that the caller names, not for those that a server sends him to.
    return file.entry(for: hop.url.host, login: login, includingDefault: !hop.isLedHere)
  }
}
