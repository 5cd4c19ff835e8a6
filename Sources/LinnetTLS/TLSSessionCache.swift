/// Session tickets by key, bounded. A value: its owner keeps it in a `Lock`.
///
/// The key must name the origin **and** everything that decided on trust (roots, verification, identity, name): a session
/// made under a laxer policy must never be resumed under a stricter one.
package struct TLSSessionCache: Sendable {
  private struct Entry {
    /// The newest last.
    var sessions: [TLSSession]
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var clock: UInt64 = 0
  private let maximumKeys: Int
  private let maximumSessionsPerKey: Int

  /// - Parameters:
  ///   - maximumKeys: How many origins are remembered; the least recently used is forgotten. A session holds the peer's
  ///     chain, 4 to 10 KB.
  ///   - maximumSessionsPerKey: Servers send two tickets per handshake, Go's client keeps one, browsers keep two; four
  ///     lets a burst of four connections resume.
  package init(maximumKeys: Int = 256, maximumSessionsPerKey: Int = 4) {
    self.maximumKeys = max(0, maximumKeys)
    self.maximumSessionsPerKey = max(1, maximumSessionsPerKey)
  }

  /// The number of sessions of all keys.
  package var count: Int { entries.values.reduce(0) { $0 + $1.sessions.count } }

  package mutating func store(_ session: TLSSession, for key: String) {
    guard maximumKeys > 0, session.isResumable else { return }
    clock &+= 1
    var entry = entries[key] ?? Entry(sessions: [], lastUse: clock)
    // A TLS 1.2 session serves any number of connections: the newest replaces the older ones.
    if !session.isSingleUse { entry.sessions.removeAll() }
    entry.sessions.append(session)
    if entry.sessions.count > maximumSessionsPerKey { entry.sessions.removeFirst() }
    entry.lastUse = clock
    entries[key] = entry
    if entries.count > maximumKeys { evictLeastRecentlyUsed() }
  }

  /// The newest session; a single-use one is removed.
  package mutating func take(for key: String) -> TLSSession? {
    guard var entry = entries[key] else { return nil }
    clock &+= 1
    entry.lastUse = clock
    while let session = entry.sessions.popLast() {
      guard session.isResumable else { continue }
      if !session.isSingleUse { entry.sessions.append(session) }
      entries[key] = entry.sessions.isEmpty ? nil : entry
      return session
    }
    entries[key] = nil
    return nil
  }

  /// Forgets what is known under `key`, for example because a resumption failed.
  package mutating func remove(for key: String) { entries[key] = nil }

  /// A scan: it happens once per new origin beyond the bound, next to a handshake a thousand times as dear.
  private mutating func evictLeastRecentlyUsed() {
    if let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) { entries[oldest.key] = nil }
  }
}
