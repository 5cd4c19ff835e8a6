package import LinnetBytes

/// The connection pool of one origin as a pure machine: who gets which connection, when to dial, what to close.
///
/// For the pool's owner only, which keeps it in a lock, executes the actions and keeps one timer armed for
/// ``nextDeadline``. The machine knows connections and waiters by id, and time as an argument.
///
/// Theory of operation
///
/// *Streams.* Every connection has n streams: HTTP/1 has 1, HTTP/2 what SETTINGS allows. The only other difference is a
/// limit of its own, below. A connection is dialling, open, draining (takes no new streams) or gone; see
/// ``ConnectionSlot``. Idle means that no stream is leased; too old means no new stream, and closed with the last one.
///
/// *Common path.* ``leaseIdle(now:)`` gives the connection that was used last, so that the longest idle ones expire, and
/// ``streamReleased(_:reusable:now:)`` takes it back. Neither allocates.
///
/// *Late binding*, as in Go. A request that finds nothing queues, and a dial starts, unless there is a young dial in
/// progress for each waiter already. The dial is not for that request: the oldest waiter takes whichever connection is
/// ready first, a released or a new one, and a new connection that nobody wants any more goes idle. So a cancelled
/// request never wastes a handshake, and its dial, bounded by the limits, helps the next request.
///
/// *Many streams.* What the latest news of a peer said (a new connection, a changed number of streams) is what the next
/// dial is expected to bring, for the life of the pool: one dial serves so many waiters. Before any news,
/// ``PoolLimits/assumeMultiplexed`` lets one dial serve all; if it brings HTTP/1, the missing dials start then. A peer may
/// change its mind in both directions; connections of both kinds can exist together. When every stream is in use,
/// another connection is dialled, up to ``PoolLimits/maximumMultiplexedConnections`` that take streams; then requests
/// queue. New streams go to one connection until it is full (``ConnectionTable/shared``), so that the others can go idle.
/// A connection whose peer allows no stream (SETTINGS may say 0) serves nobody: another is dialled, and it expires like
/// an idle one.
///
/// *Suspicion.* An owner that no longer trusts a connection (no answer to a PING, a request that timed out) reports
/// ``connectionWillClose(_:)``: requests go elsewhere, and waiters get a new dial at once.
///
/// *Back-off.* A peer that says that it is overloaded (ENHANCE_YOUR_CALM; GOAWAY on one fresh connection after the other)
/// must not be answered with the next handshake. ``peerIsOverloaded(_:now:)`` holds back every dial for
/// ``PoolLimits/firstBackoff``, and twice as long with each further sign, up to ``PoolLimits/maximumBackoff``. Meanwhile
/// requests queue within their deadlines, dials that began before go on, and open connections are leased. The end of the
/// pause is in ``nextDeadline`` when somebody waits for it. The pool forgets the overload when a connection that was
/// established after the latest sign has served a stream and remained usable.
///
/// *Fairness.* First come, first served. While anyone waits, no usable stream is free (each event that frees one serves
/// the queue), and `leaseIdle` refuses, so that no request overtakes.
///
/// *A failed dial.* Three wishes collide: one lost dial must not fail requests that others can serve; a thousand
/// requests for a dead host must fail soon; and no request may fail with an attempt that began before it existed (it
/// would inherit a time-out of somebody else). AsyncHTTPClient redials with back-off until each request's own deadline,
/// which hides a refused connection for seconds; Go binds each dial's error to one request, which needs a thousand dials
/// for a thousand requests. Here:
///   1. If the remaining dials suffice for all waiters, the dial was surplus and nobody fails.
///   2. Otherwise waiters that queued before the dial began fail with it, oldest first: one, if any open connection
///      takes streams (the host is alive, and the others may get what is released); all that the remaining dials do not
///      cover, if none does. The dials of a cold burst began with their own waiter, so each fails one; a dial of the second round
///      began when everybody queued already, and its failure ends the matter.
///   3. For those that remain uncovered a new dial starts.
/// The rules are the same when one dial serves many: the first dial of a cold burst fails the one request that it began
/// for, the second all others that queued by then.
///
/// No endless redialling: a dial that fails nobody was surplus or older than every waiter, and its replacement is younger
/// than all of them; so each waiter costs at most two failing dials.
///
/// *Ends.* Each waiter ends exactly once: in `leases`, in `failures`, or by ``waiterCancelled(_:now:)``. Each connection
/// ends once: in `closes`, or because the owner reported that it failed or closed. Every event is legal in every state;
/// what comes too late gives an empty action.
package struct PoolMachine: ~Copyable, Sendable {
  /// Given by the machine; never used again for another connection of the same pool.
  package struct ConnectionID: Sendable, Hashable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
  }

  /// Chosen by the owner; must not queue already.
  package struct WaiterID: Sendable, Hashable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
  }

  /// What the owner must do, in this order: close, then dial (so that the limit holds on the wire too), then resume
  /// waiters. The parts are independent.
  package struct Action: Sendable {
    /// These connections are forgotten: close them, or abandon the dial. No report is expected.
    package var closes: SmallList<ConnectionID> = .none
    /// Connect; ends in ``PoolMachine/connectionEstablished(_:streams:now:)`` or ``PoolMachine/connectionFailed(_:now:)``.
    package var dials: SmallList<ConnectionID> = .none
    /// The waiter owns one stream; ends in ``PoolMachine/streamReleased(_:reusable:now:)``.
    package var leases: SmallList<(waiter: WaiterID, connection: ConnectionID)> = .none
    package var failures: SmallList<(waiter: WaiterID, failure: PoolFailure)> = .none
    /// The pool is shut down and its last connection is gone.
    package var isDrained = false

    package init() {}

    package var isEmpty: Bool {
      closes.isEmpty && dials.isEmpty && leases.isEmpty && failures.isEmpty && !isDrained
    }
  }

  /// A snapshot for errors, metrics and tests.
  package struct Counts: Sendable, Hashable {
    /// Connections without a request.
    package var idle = 0
    /// Connections with requests, draining ones included.
    package var inUse = 0
    package var dialling = 0
    package var leasedStreams = 0
    package var waiting = 0

    package init() {}
  }

  enum Phase: Sendable {
    /// *Exits:* draining.
    case running
    /// Shut down, leased connections remain. *Exits:* drained.
    case draining
    case drained
  }

  package let limits: PoolLimits
  var phase = Phase.running
  var table = ConnectionTable()
  var waiters = WaiterQueue()
  /// Maximum ages; empty without such a limit.
  var ages = DeadlineHeap<ConnectionID>()
  /// Waiters that one dial is expected to serve: the streams of the connection that was established last.
  var streamsPerDial: Int
  /// Whether the latest news was of a connection with many streams, even if it allows only one now. False without news.
  var isMultiplexed = false
  var backoff = DialBackoff()
  var latestDialAt = Instant(nanoseconds: 0)
  /// Callers read the clock before they get the lock; idle connections must be in the order of their times all the same.
  var latestNow = Instant(nanoseconds: 0)

  package init(limits: PoolLimits = PoolLimits()) {
    self.limits = limits
    streamsPerDial = limits.assumeMultiplexed ? .max : 1
  }

  // MARK: Queries

  /// When ``timerFired(now:)`` must be called. A timer that fires early is harmless, so the owner need only rearm when
  /// this is earlier than what is armed.
  package var nextDeadline: Instant? {
    var earliest = Instant.distantFuture
    if let deadline = waiters.nextDeadline { earliest = min(earliest, deadline) }
    if let deadline = ages.nextDeadline { earliest = min(earliest, deadline) }
    if let usage = table.usage(at: table.idle.tail) {
      earliest = min(earliest, usage.idleUntil)
    }
    if let end = backoff.until, isDialHeldBack { earliest = min(earliest, end) }
    return earliest < .distantFuture ? earliest : nil
  }

  /// How many streams a new connection will most likely allow; nil without news of a peer with many.
  package var expectedStreams: Int? { isMultiplexed && streamsPerDial < .max ? streamsPerDial : nil }

  package var counts: Counts {
    var counts = Counts()
    counts.idle = table.idle.count
    counts.inUse = inUse
    counts.dialling = table.dialling
    counts.leasedStreams = table.leasedStreams
    counts.waiting = waiters.count
    return counts
  }

  package var isShutDown: Bool {
    if case .running = phase { return false }
    return true
  }

  /// Whether the waiter queues, so that its cancellation is still the pool's business.
  package func isWaiting(_ waiter: WaiterID) -> Bool { waiters.contains(waiter) }

  /// Every connection and dial, for an owner that aborts instead of draining.
  package var connections: [ConnectionID] { table.indices.map { table.id(at: $0) } }

  // MARK: Requests

  /// The fast path: a stream of the connection that was used last, without queueing. Nil when none is usable, or when
  /// others wait already; then ``enqueue(_:deadline:now:)``.
  package mutating func leaseIdle(now: Instant) -> ConnectionID? {
    guard waiters.isEmpty, case .running = phase, let index = table.leasable(now: now) else { return nil }
    return lease(index)
  }

  /// Asks for a stream: leases one, or queues and perhaps dials, or refuses.
  ///
  /// - Parameters:
  ///   - deadline: When the wait for a connection that others use fails.
  ///   - dialDeadline: When it fails while a dial is under way for this waiter: a dial has a time limit of its own, which
  ///     may be longer. The same as `deadline` by default.
  package mutating func enqueue(
    _ waiter: WaiterID, deadline: Instant, dialDeadline: Instant? = nil, now: Instant
  ) -> Action {
    let now = observe(now)
    var action = Action()
    guard !waiters.contains(waiter) else { return action }
    guard case .running = phase else {
      action.failures.append((waiter, .shutDown))
      return action
    }
    // What idled or lived too long would only hold places that a dial needs.
    closeExpired(now: now, &action)
    backoff.pass(now: now)
    if waiters.isEmpty, let index = table.leasable(now: now) {
      action.leases.append((waiter, lease(index)))
    } else if deadline <= now {
      action.failures.append((waiter, bottleneck.timedOut(position: waiters.count + 1, waited: .zero)))
    } else if isQueueFull {
      action.failures.append((waiter, .queueFull))
    } else {
      waiters.append(waiter, deadline: deadline, dialDeadline: dialDeadline ?? deadline, now: now)
      if !needsDial { startUnsharedDial(now: now, &action) }
    }
    startDials(now: now, &action)
    return action
  }

  /// The request was cancelled. O(1). A waiter that has its lease already is not known here any more: its owner
  /// releases the stream instead.
  package mutating func waiterCancelled(_ waiter: WaiterID, now: Instant) -> Action {
    _ = waiters.remove(waiter)
    return Action()
  }

  /// A request gives its stream back.
  ///
  /// - Parameter reusable: whether the *connection* can take more requests. False closes it once its last stream is
  ///   released.
  ///
  /// A release that no lease belongs to changes nothing, unless other streams of the connection are leased: then it
  /// cannot be told from theirs.
  package mutating func streamReleased(_ id: ConnectionID, reusable: Bool, now: Instant) -> Action {
    let now = observe(now)
    var action = Action()
    guard let index = table.index(of: id) else { return action }
    switch table.state(at: index) {
    case .open(var usage) where usage.leased > 0:
      usage.leased -= 1
      usage.idleUntil = now.advanced(by: limits.idleTime)
      table.transition(index, to: .open(usage))
      if reusable { backoff.served(signsBefore: usage.signsBefore) }
      if reusable, now < usage.agesAt {
        serve(from: index, now: now, &action)
      } else {
        retire(index, &action)
      }
    case .draining(let leased):
      table.transition(index, to: .draining(leased: max(0, leased - 1)))
      if leased <= 1 { close(index, &action) }
    case .open, .dialling, .vacant:
      return action
    }
    settle(now: now, &action)
    return action
  }

  // MARK: Connections

  /// A dial ended well.
  ///
  /// - Parameters:
  ///   - streams: how many requests the connection carries at once, as ALPN (and SETTINGS) told; 1 for HTTP/1.
  ///   - isMultiplexed: whether its protocol has many streams, for a peer that allows one at first. By default every
  ///     number but 1 means that.
  ///
  /// A connection that the pool does not know is one whose dial was abandoned meanwhile: it is named in `closes`.
  package mutating func connectionEstablished(
    _ id: ConnectionID, streams: Int, isMultiplexed: Bool = false, now: Instant
  ) -> Action {
    let now = observe(now)
    var action = Action()
    guard let index = table.index(of: id) else {
      action.closes.append(id)
      return action
    }
    guard case .dialling = table.state(at: index) else { return action }
    let agesAt = limits.maximumAge.map { now.advanced(by: $0) } ?? .distantFuture
    if agesAt < .distantFuture { table.setAgeID(ages.insert(id, at: agesAt), at: index) }
    table.transition(
      index,
      to: .open(
        ConnectionSlot.Usage(
          maximumStreams: max(0, streams), isMultiplexed: isMultiplexed || streams != 1,
          idleUntil: now.advanced(by: limits.idleTime), agesAt: agesAt, signsBefore: backoff.signs)))
    learn(streams: streams, isMultiplexed: isMultiplexed || streams != 1)
    serve(from: index, now: now, &action)
    settle(now: now, &action)
    return action
  }

  /// A dial failed. The theory of operation tells who fails with it.
  package mutating func connectionFailed(_ id: ConnectionID, now: Instant) -> Action {
    let now = observe(now)
    var action = Action()
    guard let index = table.index(of: id) else { return action }
    let state = table.state(at: index)
    forget(index)
    if case .dialling(let ticket) = state { failWaiters(dial: id, ticket: ticket, &action) }
    settle(now: now, &action)
    return action
  }

  /// The connection is gone, whatever it was doing; streams that are leased on it need no release. For a dial this means
  /// that it failed.
  package mutating func connectionClosed(_ id: ConnectionID, now: Instant) -> Action {
    connectionFailed(id, now: now)
  }

  /// The peer takes no new streams (GOAWAY), or the owner wants none, because it suspects that the connection is dead.
  /// Streams that are leased go on; waiters for whom there is no other stream get a dial at once.
  package mutating func connectionWillClose(_ id: ConnectionID) -> Action {
    var action = Action()
    guard let index = table.index(of: id), case .open = table.state(at: index) else { return action }
    retire(index, &action)
    settle(now: latestNow, &action)
    return action
  }

  /// The peer said that it has too much to do: no dial starts for a while.
  ///
  /// - Parameter id: the connection on which it said so; if open, it takes no new streams. Nil when there is none (any
  ///   more).
  package mutating func peerIsOverloaded(_ id: ConnectionID?, now: Instant) -> Action {
    let now = observe(now)
    var action = Action()
    backoff.extend(limits: limits, now: now)
    if let id, let index = table.index(of: id) { retire(index, &action) }
    settle(now: now, &action)
    return action
  }

  /// The peer changed how many streams it allows. Streams above a lowered number go on. Only a protocol with many streams
  /// reports this.
  package mutating func maxStreamsChanged(_ id: ConnectionID, streams: Int, now: Instant) -> Action {
    let now = observe(now)
    var action = Action()
    guard let index = table.index(of: id), var usage = table.usage(at: index) else { return action }
    usage.maximumStreams = max(0, streams)
    usage.isMultiplexed = true
    table.transition(index, to: .open(usage))
    learn(streams: streams, isMultiplexed: true)
    serve(from: index, now: now, &action)
    settle(now: now, &action)
    return action
  }

  // MARK: Time and end

  /// Fails the waiters whose deadline has come, closes what idled or lived too long, dials what a back-off held back.
  package mutating func timerFired(now: Instant) -> Action {
    let now = observe(now)
    var action = Action()
    backoff.pass(now: now)
    let bottleneck = self.bottleneck
    waiters.removeExpired(now: now, dialled: dialledWaiters) { waiter, position in
      let failure = bottleneck.timedOut(position: position, waited: waiter.enqueuedAt.duration(to: now))
      action.failures.append((waiter.id, failure))
    }
    closeExpired(now: now, &action)
    settle(now: now, &action)
    return action
  }

  /// Fails every waiter, closes what is idle, abandons the dials, and closes the others when they are released. A second
  /// call changes nothing; it reports again whether the pool is drained.
  package mutating func shutDown(now: Instant) -> Action {
    var action = Action()
    if case .running = phase {
      phase = .draining
      while let waiter = waiters.popFirst() { action.failures.append((waiter.id, .shutDown)) }
      for index in table.indices {
        switch table.state(at: index) {
        case .dialling: close(index, &action)
        case .open: retire(index, &action)
        case .draining, .vacant: break
        }
      }
    }
    if table.count == 0 {
      phase = .drained
      action.isDrained = true
    }
    return action
  }
}
