internal import LinnetBytes

/// One connection as the pool sees it.
///
/// *Closing* is no state: a `close` action is the pool's last word on a connection, and its slot is vacant at once.
struct ConnectionSlot: Sendable {
  enum State: Sendable {
    /// A place in the table that no connection has. *Exits:* dialling.
    case vacant
    /// The owner is connecting. Holds the ticket of the waiter queue when the dial began: only waiters from before may
    /// fail with it. *Exits:* open (established), vacant (failed; shut down).
    case dialling(ticket: UInt64)
    /// Takes new streams while there are free ones. *Exits:* draining (told to end while streams are leased), vacant
    /// (closed; idle and told to end).
    case open(Usage)
    /// Takes no new streams: GOAWAY, `Connection: close`, too old, or shut down. *Exits:* vacant (closed, or the last
    /// stream was released).
    case draining(leased: Int)
  }

  struct Usage: Sendable {
    /// Streams that the peer allows now: 1 for HTTP/1, 0 for an HTTP/2 peer that has stopped new streams. Not negative.
    var maximumStreams: Int
    /// Whether the protocol has many streams, even if the peer allows only one at the moment.
    var isMultiplexed: Bool
    var leased = 0
    /// When this connection, if idle, has been idle for too long. Meaningless while streams are leased.
    var idleUntil: Instant
    /// From here on it is too old for new streams.
    var agesAt: Instant
    /// ``DialBackoff/signs`` when it was established.
    var signsBefore: UInt64 = 0

    var hasFreeStream: Bool { leased < maximumStreams }
    /// Open, but of no use for a new request until the peer changes its mind.
    var isStalled: Bool { maximumStreams <= 0 }
  }

  /// Which of the table's two lists a connection belongs to.
  enum Membership: Sendable {
    case unlisted
    /// No stream leased.
    case idle
    /// Some streams leased, some free.
    case shared
  }

  var generation: UInt32 = 0
  var state = State.vacant
  /// The entry of the age in the pool's heap; only with a maximum age.
  var ageID: DeadlineID?
  /// Links of the list that the connection is in.
  var previous = ConnectionTable.end
  var next = ConnectionTable.end

  var membership: Membership {
    guard case .open(let usage) = state else { return .unlisted }
    if usage.leased == 0 { return .idle }
    return usage.hasFreeStream ? .shared : .unlisted
  }
}
