internal import LinnetBytes
package import LinnetHTTPTypes

/// The cookies of a jar, and the rules by which they come and go (RFC 6265bis §5.7, §5.8).
package struct CookieStore: Sendable {
  /// How many cookies are kept.
  package struct Limits: Sendable {
    /// For one domain: 180, as in Chromium; the RFC asks for at least 50.
    package var perDomain = 180
    /// In all: 3,300, as in Chromium; with the largest cookies these are 20 MB. When there are more, the number goes down
    /// by an eleventh, to the 3,000 that the RFC asks for at least, so that a flood is not sorted for each cookie.
    package var total = 3300

    package init() {}
  }

  private let limits: Limits
  private var byDomain: [String: [CookieRecord]] = [:]
  /// How many cookies there are, expired ones included that nobody has looked at since.
  package private(set) var count = 0
  /// Counts events, for the order of creation and use: the clock may jump, and has no two times for two cookies of one
  /// response.
  private var events: UInt64 = 0

  package init(limits: Limits = Limits()) { self.limits = limits }

  // MARK: Coming

  /// Keeps a cookie that a server has set, or says why not.
  ///
  /// - Parameter isPublicSuffix: Whether unrelated sites share a domain; asked for domains of more than the host.
  package mutating func receive(
    _ cookie: SetCookie, from origin: CookieOrigin, now: HTTPDate, isPublicSuffix: (String) -> Bool
  ) throws(CookieProblem) {
    let domain = try Self.domain(of: cookie, from: origin, isPublicSuffix)
    let identity = CookieRecord.Identity(
      name: cookie.name, domain: domain ?? origin.host, isHostOnly: domain == nil,
      path: cookie.path ?? CookieMatching.defaultPath(of: origin.path))
    var record = CookieRecord(identity: identity, value: cookie.value)
    record.isSecure = cookie.isSecure
    record.isHTTPOnly = cookie.isHTTPOnly
    record.sameSite = cookie.sameSite
    record.expires = cookie.expires
    if !origin.isSecure {
      if record.isSecure { throw .secureFromInsecureOrigin }
      if hidesSecureCookie(record) { throw .hidesSecureCookie }
    }
    try record.check()
    // "/" by default is not enough: the attribute must say it (§5.7 step 21).
    if CookieRecord.hasPrefix(cookie.name, "__host-") && cookie.path == nil { throw .prefix }
    insert(record, now: now)
  }

  /// The domain of a cookie that goes to more than its host; nil for a host-only one.
  private static func domain(
    of cookie: SetCookie, from origin: CookieOrigin, _ isPublicSuffix: (String) -> Bool
  ) throws(CookieProblem) -> String? {
    if cookie.domain.isEmpty { return nil }
    guard cookie.domain.allSatisfy({ $0 < 0x80 }) else { throw .domainNotASCII }
    let domain = String(decoding: cookie.domain, as: UTF8.self)
    guard CookieMatching.domainMatches(host: origin.host, isAddress: origin.isAddress, domain: domain) else {
      throw .foreignDomain
    }
    // An address has no sub-domains, so it is its host's alone in any case.
    if origin.isAddress { return nil }
    guard isPublicSuffix(domain) else { return domain }
    // What is hosted at a public suffix itself, such as `localhost`, has cookies of its own.
    guard domain == origin.host else { throw .publicSuffix }
    return nil
  }

  /// Whether a cookie from an insecure connection would take the place of a secure one or stand before it ("leave secure
  /// cookies alone", §5.7 step 16).
  private func hidesSecureCookie(_ new: CookieRecord) -> Bool {
    let domain = new.identity.domain
    for (other, cookies) in byDomain {
      for cookie in cookies where cookie.isSecure && cookie.identity.name == new.identity.name {
        if CookieMatching.pathMatches(new.identity.path, cookiePath: cookie.identity.path),
          CookieMatching.domainMatches(host: domain, domain: other)
            || CookieMatching.domainMatches(host: other, domain: domain)
        {
          return true
        }
      }
    }
    return false
  }

  /// Puts a cookie in the place of the same one. An expired one only removes that.
  package mutating func insert(_ cookie: CookieRecord, now: HTTPDate) {
    var cookie = cookie
    let domain = cookie.identity.domain
    var cookies = byDomain[domain] ?? []
    count -= cookies.count
    cookies.removeAll { $0.isExpired(at: now) }
    events += 1
    cookie.created = events
    cookie.used = events
    if let index = cookies.firstIndex(where: { $0.identity == cookie.identity }) {
      cookie.created = cookies[index].created
      cookies.remove(at: index)
    }
    if !cookie.isExpired(at: now) { cookies.append(cookie) }
    while cookies.count > max(1, limits.perDomain) { Self.evictOne(from: &cookies) }
    count += cookies.count
    byDomain[domain] = cookies.isEmpty ? nil : cookies
    if count > limits.total { shrink(now: now) }
  }

  /// Of one domain those without `Secure` go first, and of them the one that was not used for longest (§5.7).
  private static func evictOne(from cookies: inout [CookieRecord]) {
    let victim = cookies.indices.min { left, right in
      (cookies[left].isSecure ? 1 : 0, cookies[left].used) < (cookies[right].isSecure ? 1 : 0, cookies[right].used)
    }
    if let victim { cookies.remove(at: victim) }
  }

  /// Of all, the expired ones go first, then those that were not used for longest.
  private mutating func shrink(now: HTTPDate) {
    keep { !$0.isExpired(at: now) }
    guard count > limits.total else { return }
    let excess = count - max(1, limits.total - limits.total / 11)
    let uses = byDomain.values.flatMap { $0.map(\.used) }.sorted()
    let limit = uses[min(excess, uses.count) - 1]
    keep { $0.used > limit }
  }

  // MARK: Going out

  /// The cookies for a request, in the order in which they are sent. Counts as a use of them.
  package mutating func take(for origin: CookieOrigin, now: HTTPDate) -> [CookieRecord] {
    var found: [CookieRecord] = []
    for domain in CookieMatching.candidateDomains(for: origin) {
      guard var cookies = byDomain[domain] else { continue }
      for index in cookies.indices
      where !cookies[index].isExpired(at: now) && CookieMatching.isSent(cookies[index], to: origin) {
        events += 1
        cookies[index].used = events
        found.append(cookies[index])
      }
      byDomain[domain] = cookies
    }
    found.sort(by: CookieMatching.isSentBefore)
    return found
  }

  /// All cookies that are not expired, in the order in which they were made.
  package func all(now: HTTPDate) -> [CookieRecord] {
    byDomain.values.flatMap { $0 }.filter { !$0.isExpired(at: now) }.sorted { $0.created < $1.created }
  }

  // MARK: Removing

  /// Removes a cookie.
  package mutating func remove(_ identity: CookieRecord.Identity) {
    guard var cookies = byDomain[identity.domain] else { return }
    count -= cookies.count
    cookies.removeAll { $0.identity == identity }
    count += cookies.count
    byDomain[identity.domain] = cookies.isEmpty ? nil : cookies
  }

  package mutating func removeAll() {
    byDomain = [:]
    count = 0
  }

  /// Ends the session: removes the cookies without an expiry.
  package mutating func removeSessionCookies() { keep { $0.expires != nil } }

  private mutating func keep(where isKept: (CookieRecord) -> Bool) {
    byDomain = byDomain.compactMapValues { cookies in
      let kept = cookies.filter(isKept)
      return kept.isEmpty ? nil : kept
    }
    count = byDomain.values.reduce(0) { $0 + $1.count }
  }
}
