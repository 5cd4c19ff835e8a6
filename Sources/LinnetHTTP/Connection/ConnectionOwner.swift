internal import LinnetBytes
internal import LinnetProtocols
internal import LinnetTLS

/// Whom a connection tells about its end and its finds, without owning them: the pool may be gone first.
struct ConnectionOwner: Sendable {
  private final class WeakPool: Sendable {
    // Weak references are immutable to everybody but the runtime.
    weak let pool: OriginPool?
    init(_ pool: OriginPool) { self.pool = pool }
  }

  private let pool: WeakPool
  private let security: ConnectionSecurity?
  private let sessionKey: String

  init(pool: OriginPool, security: ConnectionSecurity?, sessionKey: String) {
    self.pool = WeakPool(pool)
    self.security = security
    self.sessionKey = sessionKey
  }

  /// Returns false when the pool is gone: nobody can use the connection again.
  func connectionReleased(_ id: PoolMachine.ConnectionID, streams: Int = 1) -> Bool {
    guard let pool = pool.pool else { return false }
    pool.released(id, streams: streams)
    return true
  }

  func connectionClosed(_ id: PoolMachine.ConnectionID) { pool.pool?.closed(id) }

  /// The peer changed how many streams it allows.
  func streamLimitChanged(_ id: PoolMachine.ConnectionID, to limit: Int) {
    pool.pool?.streamLimitChanged(id, to: limit)
  }

  /// The peer asks for less (ENHANCE_YOUR_CALM).
  func peerIsOverloaded() { pool.pool?.peerIsOverloaded() }

  /// The connection takes no new streams.
  func connectionWillClose(_ id: PoolMachine.ConnectionID) { pool.pool?.willClose(id) }

  func store(_ sessions: SmallList<TLSSession>) { security?.store(sessions, key: sessionKey) }

  func log(_ lines: [String]) { security?.log(lines) }
}
