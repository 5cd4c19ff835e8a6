/// Every bound of one pool (one origin with one set of TLS and proxy settings), each with its precedent.
package struct PoolLimits: Sendable {
  /// Connections that exist at the same time: being dialled, leased, idle and draining ones together.
  ///
  /// 64. Go and reqwest have no bound and run out of descriptors when a server stalls; browsers keep 6 and
  /// AsyncHTTPClient 8 per host, which surprises programs that fan out (a bound of 8 with answers of one second is 8
  /// requests a second). httpx and aiohttp choose 100 for all hosts together. 64 per origin stays far below the usual
  /// 1,024 descriptors of a process with a dozen busy origins, and below the listen backlog of common servers.
  package var maximumConnections = 64

  /// Connections with many streams (HTTP/2) that are open or being dialled and take new streams, once the pool knows that
  /// its peer speaks so. A soft limit, looked at when a dial would start; at least 1.
  ///
  /// 8. RFC 9113 section 9.1 says that a client should not open more than one to the same host and port, and names the
  /// exception: more, when one is near its limits. So does Go, without a bound; so may OkHttp; AsyncHTTPClient has one
  /// and queues. A second connection begins only when every stream of the first is in use; a server that allows the 100
  /// streams of section 6.5.2 serves 800 requests at once on eight. Connections that drain (GOAWAY, too old) do not
  /// count here, only in ``maximumConnections``. Those whose peer allows no stream at all may hold one place more than
  /// this limit together with the others, so that one of them does not block the pool, and a peer that allows none
  /// anywhere is not dialled again and again.
  package var maximumMultiplexedConnections = 8

  /// Idle connections that are kept; the longest idle one closes first. A connection whose peer allows no stream is none
  /// that is kept for use, and does not count.
  ///
  /// As many as there may be connections: what a burst needed, the next burst needs too, and ``idleTime`` returns them.
  /// Go's two per host are the best-known trap of its client: with three parallel requests it redials all the time.
  package var maximumIdleConnections = 64

  /// How long a connection may stay idle: 90 s as in Go (AsyncHTTPClient 60 s, OkHttp 300 s).
  ///
  /// Servers often close first (nginx after 75 s, Node after 5 s). That costs nothing, because an idle connection stays
  /// registered and its end is seen at once. Middle boxes that forget connections silently do so after minutes (NAT of
  /// the large clouds: 240 and 350 s), so the pool must be well below that.
  package var idleTime: Duration = .seconds(90)

  /// How old a connection may become before it takes no new requests; nil, as in Go, means no bound. For services that
  /// move by DNS.
  package var maximumAge: Duration?

  /// Waiters that queue for what others use, not counting those for which dials are in progress; a request beyond that
  /// fails with ``PoolFailure/queueFull``. Others have no bound here; 65,536 waiters hold about 8 MiB, and a program that
  /// has more is better told than slowed down.
  package var maximumWaiters = 65_536

  /// Dials in progress at the same time: 64, so by default ``maximumConnections`` is the bound, as in Go and
  /// AsyncHTTPClient. With a larger number of connections, this keeps a cold burst below the listen backlog that was the
  /// kernel's default for a long time (128); a lost SYN costs a whole second.
  package var maximumConcurrentDials = 64

  /// Expect, until the first connection is established, that it carries many streams, so that a cold burst on an origin
  /// that may speak HTTP/2 makes one dial and not one for each request. When the answer is HTTP/1, the missing dials
  /// start then, one round of handshakes later.
  package var assumeMultiplexed = false

  /// How old the latest dial may be and still be shared by a request that comes later: 250 ms, the time after which
  /// RFC 8305 stops trusting a connection attempt. A request that finds only older dials starts its own, so that it
  /// does not inherit the time-out of a lost SYN.
  package var maximumSharedDialAge: Duration = .milliseconds(250)

  /// The pause before the next dial when the peer said for the first time that it is overloaded: 100 ms, about a round
  /// trip and a handshake across an ocean, so that one false alarm costs no more than a new connection does.
  package var firstBackoff: Duration = .milliseconds(100)

  /// The longest pause before a dial; each further sign of overload doubles it up to here. 10 s: gRPC goes up to 120 s,
  /// which outlives the deadline of most requests; a dial each ten seconds burdens nobody.
  package var maximumBackoff: Duration = .seconds(10)

  package init() {}
}
