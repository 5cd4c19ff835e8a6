public import LinnetHTTPTypes

/// Every setting of a client. A request overrides those that concern it through ``HTTPRequestOptions``.
public struct HTTPClientConfiguration: Sendable {
  /// How long each phase may take.
  public var timeouts = TimeoutConfiguration()
  /// How `https` connections are protected.
  public var tls = TLSConfiguration()
  /// Which versions of HTTP are used. Default: HTTP/2 over TLS when the server agrees, else HTTP/1.1.
  public var httpVersion = HTTPVersionPolicy.automatic
  /// Settings of HTTP/2 connections.
  public var http2 = HTTP2Configuration()
  /// What is done with redirections. Default: followed by the safe rules, at most 20 in a row.
  public var redirects = HTTPRedirectPolicy.follow
  /// Whether cookies are kept and sent. Default off.
  public var cookies = CookieHandling.off
  /// Credentials by origin; a request's own, and those in its URL, come first.
  public var credentials: [Origin: HTTPCredentials] = [:]
  /// Where credentials are looked up that neither a request nor ``credentials`` has. Default off.
  public var netrc = NetrcSource.off
  /// Which requests go through a proxy. Default none; ``ProxyConfiguration/environment`` does what curl does.
  public var proxy = ProxyConfiguration.direct
  /// How many connections are kept.
  public var pool = PoolConfiguration()
  /// Headers that are sent unless the request has one of that name, or omits it with
  /// ``HTTPRequestOptions/omittedDefaultHeaders``. Default: `User-Agent: linnet/VERSION` and `Accept: */*`.
  public var defaultHeaders: HTTPHeaders = HTTPClientConfiguration.standardHeaders
  /// Whether and how encoded bodies are decoded.
  public var decompression: Decompression = .automatic(DecompressionConfiguration())
  /// Addresses for names, in place of the name service; as `curl --resolve`. Keys are `host:port`, `host`, `*:port` for every
  /// host on a port, or `*`; the first of these that there is counts. Values are IP addresses; one that is none fails
  /// the request with `invalidConfiguration`. Host header, SNI and the certificate check keep the name.
  public var resolveOverrides: [String: [String]] = [:]
  /// Where to connect for certain hosts and ports, as `curl --connect-to`; the first that fits counts, and
  /// ``connectTarget`` comes before them. With a proxy, that one is asked for a tunnel to there, also for an `http` URL. Default
  /// none.
  public var connectOverrides: [ConnectOverride] = []
  /// How long answers of the name service are kept.
  public var dnsCache = DNSCacheConfiguration()
  /// Where to connect instead of the URL's host, such as a Unix-domain socket. Default: the URL's host.
  public var connectTarget: ConnectTarget?
  /// Socket settings.
  public var socket = SocketConfiguration()
  /// The cap of ``HTTPResponse/collect(upTo:)`` when the call names none. Default 64 MiB.
  public var maximumCollectedBytes = defaultMaximumCollectedBytes
  /// How long `Expect: 100-continue` waits before the body is sent all the same. Default 1 s, as curl and Go.
  public var expectContinueTimeout: Duration = .seconds(1)
  /// Limits for response heads.
  public var responseLimits = ResponseLimits()

  /// The defaults named at each property.
  public init() {}

  static let defaultMaximumCollectedBytes = 64 << 20

  /// `User-Agent: linnet/VERSION` and `Accept: */*`.
  public static var standardHeaders: HTTPHeaders {
    ["User-Agent": "linnet/\(LinnetLibrary.version)", "Accept": "*/*"]
  }
}

/// The library's identity.
public enum LinnetLibrary {
  /// The version, as in the default `User-Agent`.
  public static let version = "0.1.0"
}

/// What is done with a body that has a `Content-Encoding`.
public enum Decompression: Sendable, Hashable {
  /// `Accept-Encoding: gzip, deflate` is sent and such bodies are decoded. A request that has its own
  /// `Accept-Encoding` or a `Range` gets the body as it came.
  case automatic(DecompressionConfiguration)
  /// Nothing is sent and nothing is decoded.
  case disabled
}

/// Bounds for decoded bodies, against bodies that expand without end.
public struct DecompressionConfiguration: Sendable, Hashable {
  /// The most bytes a body may expand to. Default: no limit of its own; `collect` has one, and the ratio below applies.
  public var maximumExpandedBytes: UInt64?
  /// How many times larger than the encoded body the decoded one may become. Default 250: real JSON stays below 50,
  /// `gzip -1` packs zeros 229:1, a bomb goes up to 1,032.
  public var maximumRatio = 250
  /// The decoded size below which the ratio is not looked at. Default 16 MiB.
  public var ratioFloorBytes: UInt64 = 16 << 20

  /// The defaults named at each property.
  public init() {}
}

/// Where a connection goes when it does not go to the URL's host and port.
public enum ConnectTarget: Sendable, Hashable {
  /// A Unix-domain socket: an absolute path, or `@name` for Linux's abstract name space. At most 107 bytes.
  case unixSocket(String)
  /// Another host and port; Host header, SNI and the certificate check keep the URL's.
  case host(String, port: Int)
}

/// Settings of the sockets.
public struct SocketConfiguration: Sendable, Hashable {
  /// The delay between starts of connection attempts to several addresses. Default 250 ms (RFC 8305 §8).
  public var connectionAttemptDelay: Duration = .milliseconds(250)
  /// Whether small segments are sent at once (`TCP_NODELAY`). Default true.
  public var noDelay = true
  /// Which address family is used. Default both.
  public var addressFamily: AddressFamily = .any
  /// The local IP address to connect from. Default: the system's choice.
  public var localAddress: String?
  /// What to connect from, as `curl --interface`: the name of a network interface (bound by `SO_BINDTODEVICE`, which an
  /// ordinary user may since Linux 5.7), an IP address, or a host name of this machine; `if!name` is an interface
  /// only, `host!name` an address or a host name only. ``localAddress`` comes first. What does not exist fails the request
  /// with `invalidConfiguration`. Default: the system's choice. Unix-domain sockets are not concerned.
  public var localInterface: String?
  /// After how much silence the kernel asks whether the peer is still there (`SO_KEEPALIVE`, `TCP_KEEPIDLE`), and how often
  /// from then on (`TCP_KEEPINTVL`), in whole seconds from 1 to 32,767; a connection whose peer does not answer 9 times is
  /// lost. Default 60 s, as curl: it keeps the state of address translators alive during long waits, too. Nil: never.
  public var tcpKeepAlive: Duration? = .seconds(60)

  /// Which addresses of a name are used.
  public enum AddressFamily: Sendable, Hashable {
    /// Both, preferred by the resolver's order.
    case any
    /// Only IPv4.
    case ipv4
    /// Only IPv6.
    case ipv6
  }

  /// The defaults named at each property.
  public init() {}
}

/// Limits for response heads: a peer cannot make us buffer more.
public struct ResponseLimits: Sendable, Hashable {
  /// The most bytes of all header fields of a head, and of all trailer fields. Default 256 KiB, as curl's largest head
  /// (300 KiB) and Chromium's (256 KiB).
  public var maximumHeadBytes = 256 << 10
  /// The most header fields. Default 1,024.
  public var maximumHeaderFields = 1024

  /// The defaults named at each property.
  public init() {}
}
