package import LinnetBytes

/// Answers of the resolver for a short time. A value; its owner guards it and gives the time.
///
/// `getaddrinfo` does not tell how long an answer may be kept, so the times are fixed and short: long enough that a burst
/// of new connections asks once, short enough that a fail-over by DNS is followed.
package struct ResolverCache: Sendable {
  package struct Limits: Sendable, Hashable {
    /// 30 s, as Java's default for positive answers (`networkaddress.cache.ttl`).
    package var positive: Duration = .seconds(30)
    /// 1 s: a name that was just created must be found soon.
    package var negative: Duration = .seconds(1)
    /// 256 hosts; beyond that the one whose use is the longest ago leaves.
    package var maximumHosts = 256

    package init() {}
  }

  private struct Entry {
    /// Empty when the name does not exist.
    var addresses: [SocketAddress]
    var expires: Instant
    var lastUse: UInt64
  }

  private let limits: Limits
  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0

  package init(limits: Limits = Limits()) { self.limits = limits }

  package var count: Int { entries.count }

  /// The addresses of `host`; empty for a name that is known not to exist; nil when nothing is known.
  package mutating func addresses(of host: String, now: Instant) -> [SocketAddress]? {
    guard let entry = entries[host] else { return nil }
    guard entry.expires > now else {
      entries[host] = nil
      return nil
    }
    uses &+= 1
    entries[host]?.lastUse = uses
    return entry.addresses
  }

  /// Keeps an answer; an empty one means that the name does not exist.
  package mutating func store(_ addresses: [SocketAddress], for host: String, now: Instant) {
    guard limits.maximumHosts > 0 else { return }
    let lifetime = addresses.isEmpty ? limits.negative : limits.positive
    guard lifetime > .zero else { return }
    if entries[host] == nil, entries.count >= limits.maximumHosts { evict(now: now) }
    uses &+= 1
    entries[host] = Entry(addresses: addresses, expires: now.advanced(by: lifetime), lastUse: uses)
  }

  /// Forgets a host, when none of its addresses could be reached.
  package mutating func remove(_ host: String) { entries[host] = nil }

  package mutating func removeAll() { entries = [:] }

  private mutating func evict(now: Instant) {
    entries = entries.filter { $0.value.expires > now }
    while entries.count >= limits.maximumHosts,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      entries[oldest] = nil
    }
  }
}
