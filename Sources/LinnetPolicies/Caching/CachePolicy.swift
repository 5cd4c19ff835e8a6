package import LinnetHTTPTypes

/// Decides what may be stored and what a stored response may be used for: RFC 9111 §3 and §4 under the windows that a
/// caller allows. Pure; the owner of the store performs the decisions.
///
/// Two measures limit the use of a stored response. The *window* is the caller's and counts from the local storing. The
/// *lifetime* is the server's and counts from the age that the response had by then; it is only looked at when
/// ``honoursDirectives`` is set, and then both have to hold, so a server can shorten a window but never extend it.
package struct CachePolicy: Sendable, Hashable {
  /// How long a stored response is used without asking; nil when the server alone decides.
  package var window: Duration?
  /// How long beyond that it may be used while it is validated in the background.
  package var staleWindow: Duration
  /// Whether age and directives of responses and the time directives of requests count. `no-store` and `no-cache`
  /// always do.
  package var honoursDirectives: Bool
  /// The lifetime of a response that has none of its own; nil for none. Only with ``honoursDirectives``.
  package var defaultLifetime: Duration?
  /// Whether `private` responses are stored. The public promise is that they are not, also in a private cache.
  package var storesPrivate = false

  package init(
    window: Duration?, staleWindow: Duration = .zero, honoursDirectives: Bool = false, defaultLifetime: Duration? = nil
  ) {
    self.window = window.map(Self.clamped)
    self.staleWindow = Self.clamped(staleWindow)
    self.honoursDirectives = honoursDirectives
    self.defaultLifetime = defaultLifetime.map(Self.clamped)
  }

  /// A time that can be added to another without overflow.
  fileprivate static func clamped(_ duration: Duration) -> Duration {
    min(max(duration, .zero), CacheControl.longestTime)
  }

  /// What is stored, as far as decisions need it.
  package struct Entry: Sendable, Hashable {
    /// The fields of the response.
    package var headers: HTTPHeaders
    /// When it was stored or last confirmed.
    package var storedAt: WallTime
    /// How old it was then.
    package var initialAge: Duration
    /// Whether it must be validated before each use.
    package var requiresValidation: Bool

    package init(headers: HTTPHeaders, storedAt: WallTime, initialAge: Duration, requiresValidation: Bool) {
      self.headers = headers
      self.storedAt = storedAt
      self.initialAge = CachePolicy.clamped(initialAge)
      self.requiresValidation = requiresValidation
    }

    /// The age at `now` (§4.2.3).
    package func age(at now: WallTime) -> Duration { initialAge + max(.zero, now.since(storedAt)) }
  }

  /// What a stored response may be used for.
  package enum Use: Sendable, Hashable {
    /// It is the answer.
    case serve
    /// It is the answer, and a validation follows in the background.
    case serveWhileRevalidating
    /// It may become the answer when the server confirms it.
    case validate
    /// Nothing: the request goes out as it is.
    case fetch
  }
}

/// Using.
extension CachePolicy {
  /// What an entry that matches a request may be used for.
  ///
  /// - Parameters:
  ///   - entry: The stored response.
  ///   - request: The fields of the request.
  ///   - now: The present.
  package func use(of entry: Entry, for request: HTTPHeaders, now: WallTime) -> Use {
    let response = CacheControl(entry.headers)
    if response.hasNoStore { return .fetch }
    if entry.requiresValidation || response.hasNoCache || Self.demandsValidation(request) { return .validate }
    // An entry from the future was stored before the clock was put back: how old it is nobody knows.
    guard now >= entry.storedAt else { return .validate }
    let staleness = staleness(of: entry, now: now)
    guard honoursDirectives else {
      if staleness < .zero { return .serve }
      return staleness < staleWindow ? .serveWhileRevalidating : .validate
    }
    return use(response, CacheControl(request), age: entry.age(at: now), staleness: staleness)
  }

  /// Whether a stored response may stand in for an answer when the server failed or cannot be reached
  /// (`stale-if-error`, RFC 5861 §4).
  package func mayUseOnError(_ entry: Entry, for request: HTTPHeaders, now: WallTime) -> Bool {
    let response = CacheControl(entry.headers)
    guard honoursDirectives, now >= entry.storedAt, !entry.requiresValidation, !Self.demandsValidation(request),
      !response.hasNoCache, !response.hasMustRevalidate, !response.hasNoStore
    else { return false }
    let granted = response.seconds("stale-if-error").duration
    let accepted = CacheControl(request).seconds("stale-if-error").duration
    guard let limit = [granted, accepted].compactMap(\.self).max() else { return false }
    return staleness(of: entry, now: now) <= limit
  }

  /// Whether a request forbids an unvalidated answer (§5.2.1.4, §5.4).
  package static func demandsValidation(_ request: HTTPHeaders) -> Bool {
    CacheControl(request).hasNoCache
      || !request.contains("Cache-Control") && request.listContains("no-cache", in: "Pragma")
  }

  /// How long the entry has been beyond what its window and its lifetime allow; negative while it is fresh. An entry is
  /// fresh while its age is below its lifetime (§4.2).
  private func staleness(of entry: Entry, now: WallTime) -> Duration {
    let resident = max(.zero, now.since(entry.storedAt))
    let beyondWindow = window.map { resident - $0 }
    guard honoursDirectives else { return beyondWindow ?? .zero }
    let lifetime: Duration? =
      switch Freshness.lifetime(of: entry.headers, receivedAt: entry.storedAt) {
      case .explicit(let duration), .heuristic(let duration): duration
      case .unknown: defaultLifetime ?? (window == nil ? .zero : nil)
      }
    let beyondLifetime = lifetime.map { entry.age(at: now) - $0 }
    return [beyondWindow, beyondLifetime].compactMap(\.self).max() ?? .zero
  }

  /// The request's own limits (§5.2.1) come first; then the server's and the caller's permission to be stale.
  private func use(
    _ response: CacheControl, _ request: CacheControl, age: Duration, staleness: Duration
  ) -> Use {
    switch request.seconds("max-age") {
    case .invalid: return .validate
    case .valid(let limit) where age > limit: return .validate
    case .valid, .absent: break
    }
    switch request.seconds("min-fresh") {
    case .invalid: return .validate
    case .valid(let margin) where staleness + margin > .zero: return .validate
    case .valid, .absent: break
    }
    if staleness < .zero { return .serve }
    if response.hasMustRevalidate { return .validate }
    if acceptsStaleness(staleness, request) { return .serve }
    let window = max(staleWindow, response.seconds("stale-while-revalidate").duration ?? .zero)
    return staleness < window ? .serveWhileRevalidating : .validate
  }

  /// `max-stale` without an argument accepts any staleness (§5.2.1.2).
  private func acceptsStaleness(_ staleness: Duration, _ request: CacheControl) -> Bool {
    guard request.contains("max-stale") else { return false }
    if case .valid(let limit) = request.seconds("max-stale") { return staleness <= limit }
    return request.directives.allSatisfy { $0.name != "max-stale" || $0.argument == nil }
  }
}

/// Storing.
extension CachePolicy {
  /// What happens with a response.
  package enum Storage: Sendable, Hashable {
    /// It is stored; `requiresValidation` tells that it must be validated before each use.
    case store(requiresValidation: Bool)
    /// It is not stored, and what is stored stays.
    case skip
    /// It is not stored, and what is stored under its key must go.
    case remove
  }

  /// The statuses of responses that are stored: those that RFC 9110 §15.1 calls heuristically cacheable, without 206,
  /// whose body is a part.
  package static func isStorable(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }

  /// Whether a response is stored.
  ///
  /// - Parameters:
  ///   - status: Its status; for a 304, that of the confirmed response.
  ///   - response: Its fields; for a 304, the merged ones.
  ///   - method: The method of the request. Only GET is stored.
  ///   - request: The fields of the request.
  ///   - isAuthorized: Whether the request was sent with credentials that are not among its fields.
  package func storage(
    status: Int, response: HTTPHeaders, method: HTTPMethod, request: HTTPHeaders, isAuthorized: Bool = false
  ) -> Storage {
    guard method == .get, Self.isStorable(status), !CacheControl(request).hasNoStore else { return .skip }
    let control = CacheControl(response)
    if control.hasNoStore || control.hasPrivate && !storesPrivate { return .remove }
    if isAuthorized || request.contains("Authorization"), !Self.permitsAuthorized(control) { return .remove }
    if VaryKey.names(in: response) == nil { return .remove }
    return .store(requiresValidation: control.hasNoCache)
  }

  /// The server's permission to store the answer to a request with credentials (§3.5).
  private static func permitsAuthorized(_ response: CacheControl) -> Bool {
    response.hasPublic || response.hasMustRevalidate || response.contains("s-maxage")
  }

  /// Whether an answer makes what is stored for its target obsolete: a success or a redirection of a method that is not
  /// known to be safe (§4.4).
  package static func invalidates(method: HTTPMethod, status: Int) -> Bool {
    !method.isSafe && (200..<400).contains(status)
  }

  /// The URLs whose stored responses an answer makes obsolete: the target, and what `Location` and `Content-Location`
  /// name when it has the same origin (§4.4). Without fragments.
  package static func invalidatedTargets(of target: HTTPURL, response: HTTPHeaders) -> [HTTPURL] {
    var targets = [target.removingFragment()]
    for name in ["Location", "Content-Location"] {
      for value in response.values(for: name) {
        guard let url = try? target.resolve(value), url.isSameOrigin(as: target) else { continue }
        let key = url.removingFragment()
        if !targets.contains(key) { targets.append(key) }
      }
    }
    return targets
  }
}
