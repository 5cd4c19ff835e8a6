public import LinnetHTTPTypes

/// What one request wants otherwise than its client's configuration says. Everything is inherited unless set.
public struct HTTPRequestOptions: Sendable {
  /// Shared by copies, because a request passes through many hands. Nil: everything is inherited.
  private var storage: Storage?

  /// Everything inherited.
  public init() {}

  /// The request's timeouts; a value set here wins over the client's, longer or shorter.
  public var timeouts: TimeoutOverrides {
    get { storage?.values.timeouts ?? TimeoutOverrides() }
    set { change { $0.timeouts = newValue } }
  }

  /// Whether an encoded body is decoded.
  public var decompression: Decompression? {
    get { storage?.values.decompression }
    set { change { $0.decompression = newValue } }
  }

  /// TLS settings of this request. It then uses connections made under exactly these.
  public var tls: TLSConfiguration? {
    get { storage?.values.tls }
    set { change { $0.tls = newValue } }
  }

  /// Where to connect instead of the URL's host.
  public var connectTarget: ConnectTarget? {
    get { storage?.values.connectTarget }
    set { change { $0.connectTarget = newValue } }
  }

  /// Which versions of HTTP this request may use. It then uses connections made under the same policy.
  public var httpVersion: HTTPVersionPolicy? {
    get { storage?.values.httpVersion }
    set { change { $0.httpVersion = newValue } }
  }

  /// What is done with redirections of this request.
  public var redirects: HTTPRedirectPolicy? {
    get { storage?.values.redirects }
    set { change { $0.redirects = newValue } }
  }

  /// Whether cookies are kept and sent. `.privateJar` means the client's, as the jar of a single request would be useless.
  public var cookies: CookieHandling? {
    get { storage?.values.cookies }
    set { change { $0.cookies = newValue } }
  }

  /// Credentials for the origin of the request's URL; after a redirection to another origin they are not used again. An
  /// `Authorization` header of the request's own comes first.
  public var credentials: HTTPCredentials? {
    get { storage?.values.credentials }
    set { change { $0.credentials = newValue } }
  }

  /// Where credentials are looked up when there are no others.
  public var netrc: NetrcSource? {
    get { storage?.values.netrc }
    set { change { $0.netrc = newValue } }
  }

  /// Which proxy this request goes through, if any. `.direct` is without one.
  public var proxy: ProxyConfiguration? {
    get { storage?.values.proxy }
    set { change { $0.proxy = newValue } }
  }

  /// How urgent the response is: sent as the `Priority` field (RFC 9218) over every version of HTTP, unless the request
  /// has such a field. Default: not sent, which means urgency 3 and not incremental.
  public var priority: HTTPPriority? {
    get { storage?.values.priority }
    set { change { $0.priority = newValue } }
  }

  /// The cap of `collect` for this response.
  public var maximumCollectedBytes: Int? {
    get { storage?.values.maximumCollectedBytes }
    set { change { $0.maximumCollectedBytes = newValue } }
  }

  /// Whether `Expect: 100-continue` is sent and the body held back until the server agrees or the configured time is
  /// over. Default false.
  public var expectsContinue: Bool {
    get { storage?.values.expectsContinue ?? false }
    set { change { $0.expectsContinue = newValue } }
  }

  /// Names of default headers that are not sent with this request.
  public var omittedDefaultHeaders: [String] {
    get { storage?.values.omittedDefaultHeaders ?? [] }
    set { change { $0.omittedDefaultHeaders = newValue } }
  }

  /// Called for each step of the exchange: connection, request head, interim responses. It runs in the task that called
  /// `send`, never on an I/O shard, and should return soon.
  public var onEvent: (@Sendable (ExchangeEvent) -> Void)? {
    get { storage?.values.onEvent }
    set { change { $0.onEvent = newValue } }
  }
}

extension HTTPRequestOptions {
  /// Cookies that a client above this one has put on the request, with ``cookies`` off here. It keeps those of the response
  /// as well; what this client needs them for is to answer a challenge, whose cookies go along.
  package var hopCookies: HopCookies? {
    get { storage?.values.hopCookies }
    set { change { $0.hopCookies = newValue } }
  }

  /// How long a client above has worked on the request already, by this one's clock: it counts for the total timeout.
  package var timeSpent: Duration? {
    get { storage?.values.timeSpent }
    set { change { $0.timeSpent = newValue } }
  }

  /// Forgets what a client above has noted for one hop, so that it counts for no other: the request may be sent again, and
  /// elsewhere.
  package mutating func forgetHop() {
    if hopCookies != nil { hopCookies = nil }
    if timeSpent != nil { timeSpent = nil }
  }

  private struct Values: Sendable {
    var timeouts = TimeoutOverrides()
    var decompression: Decompression?
    var tls: TLSConfiguration?
    var connectTarget: ConnectTarget?
    var httpVersion: HTTPVersionPolicy?
    var redirects: HTTPRedirectPolicy?
    var cookies: CookieHandling?
    var hopCookies: HopCookies?
    var timeSpent: Duration?
    var credentials: HTTPCredentials?
    var netrc: NetrcSource?
    var proxy: ProxyConfiguration?
    var priority: HTTPPriority?
    var maximumCollectedBytes: Int?
    var expectsContinue = false
    var omittedDefaultHeaders: [String] = []
    var onEvent: (@Sendable (ExchangeEvent) -> Void)?
  }

  /// Immutable: a change makes a new one.
  private final class Storage: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  private mutating func change(_ body: (inout Values) -> Void) {
    var values = values
    body(&values)
    store(values)
  }

  // Apart, so that the setters do not have a copy each.
  private var values: Values {
    @inline(never) get { storage?.values ?? Values() }
  }

  @inline(never)
  private mutating func store(_ values: Values) { storage = Storage(values) }
}

/// A step of an exchange, for verbose output and tests.
public enum ExchangeEvent: Sendable {
  /// A connection was chosen.
  case connection(ConnectionInfo)
  /// The request's head was sent on it. When its version is HTTP/2, names went out in lower case, `Host` as `:authority`,
  /// and fields that belong to a connection not at all (RFC 9113 §8.2.2, §8.3.1).
  case requestHead(RequestHead)
  /// A 1xx response other than 101 came (RFC 9110 §15.2).
  case interim(ResponseHead)
  /// A redirection came, with this head, and is followed.
  case redirected(ResponseHead, HTTPRedirectHop)
  /// The server or a proxy asked for credentials, with this head, and the request is sent again with them.
  case challenged(ResponseHead)
  /// The connection turned out to be stale, or the server did not process the request (REFUSED_STREAM, GOAWAY): it is sent
  /// again on another stream.
  case resent(reason: String)
}
