package import LinnetBytes
public import LinnetHTTPTypes
internal import LinnetIO
package import LinnetProtocols
internal import Synchronization

/// Keeps the cookies that servers set, and gives them to the requests that they belong to, by the rules of RFC 6265bis.
///
/// A client has one when its configuration says so:
///
/// ```swift
/// var configuration = HTTPClientConfiguration()
/// configuration.cookies = .privateJar          // or .jar(jar), for one that is read, saved or shared
/// let client = HTTPClient(configuration: configuration)
/// ```
///
/// From then on a session works as in a browser: what a login sets goes along with the requests that follow, and with no
/// request to anybody else. Several clients may share a jar; all of its methods may be called from anywhere.
///
/// **Which cookies are refused.** Those of a host that the `Domain` does not cover; those for a domain that unrelated sites
/// share, such as `com`, `co.uk` or `github.io`; `Secure` ones over a connection without TLS, unless it ends on the own
/// machine; those that would take the place of a secure cookie over such a connection; and those whose name begins with
/// `__Host-` or `__Secure-` and whose attributes do not keep that promise. A refused cookie is no error of the request.
///
/// **Public suffixes** are taken from `/usr/share/publicsuffix/public_suffix_list.dat` (Debian package `publicsuffix`), read
/// once when the first cookie with a `Domain` comes. Without that file a rule of thumb applies: a domain of one label is
/// shared, and `ac`, `co`, `com`, `edu`, `gov`, `mil`, `net` and `org` below the two letters of a country are. Suffixes of
/// hosting companies such as `github.io` are then not known.
///
/// **Limits.** 180 cookies for a domain and 3,300 in all; what was not used for longest goes first. 4,096 bytes for name and
/// value, 1,024 for an attribute. A server cannot have a cookie kept for more than 400 days.
///
/// **Files.** ``load(netscapeFile:)`` and ``save(netscapeFile:includingSessionCookies:)`` read and write the format of curl,
/// wget and browser extensions. Nothing is written by itself.
public final class CookieJar: Sendable {
  private let store: Lock<CookieStore>
  /// Whether there are any, as ``change(_:)`` left it: requests with an empty jar, which most are, take no lock and look at
  /// no clock.
  private let hasCookies = Atomic(false)
  private let now: @Sendable () -> HTTPDate
  /// Nil: the system's.
  private let suffixes: PublicSuffixes?

  /// An empty jar.
  public convenience init() { self.init(suffixes: nil) }

  /// - Parameters:
  ///   - suffixes: In place of the system's list.
  ///   - limits: How many cookies are kept.
  ///   - now: The clock that cookies expire by.
  package init(
    suffixes: PublicSuffixes? = nil, limits: CookieStore.Limits = CookieStore.Limits(),
    now: @escaping @Sendable () -> HTTPDate = { HTTPDate(secondsSince1970: SystemClock.wallSeconds) }
  ) {
    self.suffixes = suffixes
    self.now = now
    store = Lock(CookieStore(limits: limits))
  }

  // MARK: Responses and requests

  /// Keeps the cookies that a response sets. Those that its server may not set, or that are broken, are left out.
  ///
  /// Clients with a jar do this by themselves; it is for responses that come from elsewhere.
  ///
  /// - Parameters:
  ///   - headers: The fields of the response; each `Set-Cookie` counts.
  ///   - url: The URL of the request that it answers.
  public func store(_ headers: HTTPHeaders, from url: HTTPURL) async {
    await store(headers, from: url, until: nil)
  }

  /// - Parameter limit: Until when the list of public suffixes may be waited for.
  func store(_ headers: HTTPHeaders, from url: HTTPURL, until limit: Deadline?) async {
    guard headers.contains("Set-Cookie") else { return }
    let now = now()
    var cookies: [SetCookie] = []
    headers.forEachValue(of: "Set-Cookie") { value in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(value.count)
      for index in value.indices { bytes.append(value[index]) }
      if let cookie = try? SetCookie(parsing: bytes, now: now) { cookies.append(cookie) }
    }
    let suffixes = cookies.contains { !$0.domain.isEmpty } ? await currentSuffixes(until: limit) : nil
    let origin = CookieOrigin(url)
    change { store in
      for cookie in cookies {
        // Without a list, because the task was cancelled or out of time, no domain is known to be safe.
        try? store.receive(cookie, from: origin, now: now, isPublicSuffix: { suffixes?.contains($0) ?? true })
      }
    }
  }

  /// A point in time on the shards that have a client's clock.
  package struct Deadline: Sendable {
    package let at: Instant
    let shards: ShardGroup
  }

  /// Nil when the list could not be waited for.
  func currentSuffixes(until limit: Deadline? = nil) async -> PublicSuffixes? {
    if let known = suffixes ?? PublicSuffixes.known { return known }
    guard let limit, limit.at != .distantFuture else { return await PublicSuffixes.system() }
    return try? await withDeadline(
      limit.at, on: limit.shards.next(), timedOut: BlockingPoolError.cancelled, cancelled: .cancelled
    ) {
      () async throws(BlockingPoolError) in await PublicSuffixes.system()
    }
  }

  /// The cookies that a request for this URL is sent with, in their order: longer paths first, then older ones.
  public func cookies(for url: HTTPURL) -> [Cookie] { take(for: url).map { Cookie($0) } }

  func take(for url: HTTPURL) -> [CookieRecord] {
    guard hasCookies.load(ordering: .acquiring) else { return [] }
    let now = now()
    return change { $0.take(for: CookieOrigin(url), now: now) }
  }

  /// The only way to change the store.
  private func change<R>(_ body: (inout CookieStore) -> R) -> R {
    store.withLock { store in
      let result = body(&store)
      hasCookies.store(store.count > 0, ordering: .releasing)
      return result
    }
  }

  // MARK: By hand

  /// All cookies that have not expired, in the order in which they were made.
  public var cookies: [Cookie] {
    let now = now()
    return change { $0.all(now: now) }.map { Cookie($0) }
  }

  /// Puts a cookie in, in the place of the same one; one that has expired only removes that. Domains that unrelated sites
  /// share are not refused: the caller knows.
  ///
  /// - Throws: ``CookieError`` for what no server could have set.
  public func add(_ cookie: Cookie) throws(CookieError) {
    let record = try cookie.checked()
    let now = now()
    change { $0.insert(record, now: now) }
  }

  func insert(_ records: [CookieRecord]) {
    let now = now()
    change { store in
      for record in records { store.insert(record, now: now) }
    }
  }

  /// Removes the cookie with this name, domain, host-only mark and path.
  public func remove(_ cookie: Cookie) { change { $0.remove(cookie.record.identity) } }

  /// Removes all cookies.
  public func removeAll() { change { $0.removeAll() } }

  /// Ends the session: removes the cookies without an expiry, as a browser does when it is closed.
  public func removeSessionCookies() { change { $0.removeSessionCookies() } }
}

extension CookieJar: CustomReflectable {
  /// Nothing: cookies are credentials.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
