internal import LinnetBytes

/// The decisions behind the events: whom to serve, when to dial, what to close, who fails.
extension PoolMachine {
  var inUse: Int { table.open - table.idle.count + table.draining }

  /// Time never goes back inside the machine.
  mutating func observe(_ now: Instant) -> Instant {
    latestNow = max(latestNow, now)
    return latestNow
  }

  /// Gives one stream of a connection that has a free one.
  mutating func lease(_ index: Int) -> ConnectionID {
    if var usage = table.usage(at: index) {
      usage.leased += 1
      table.transition(index, to: .open(usage))
    }
    return table.id(at: index)
  }

  /// Hands the free streams of one connection to the oldest waiters. What nobody wants goes idle; then the connection
  /// that idled longest makes room.
  mutating func serve(from index: Int, now: Instant, _ action: inout Action) {
    while let usage = table.usage(at: index), usage.hasFreeStream, now < usage.agesAt, let waiter = waiters.popFirst() {
      action.leases.append((waiter.id, lease(index)))
    }
    while table.idle.count - table.stalledIdle > max(0, limits.maximumIdleConnections) {
      close(table.idle.tail, &action)
    }
  }

  /// Every transition that may have freed a place ends here.
  mutating func settle(now: Instant, _ action: inout Action) {
    startDials(now: now, &action)
    if case .draining = phase, table.count == 0 {
      phase = .drained
      action.isDrained = true
    }
  }

  // MARK: Dialling

  /// A limit of zero would let every request wait for nothing.
  var maximumConnections: Int { max(1, limits.maximumConnections) }

  private var maximumMultiplexedConnections: Int { max(1, limits.maximumMultiplexedConnections) }

  private var mayDial: Bool { backoff.until == nil && hasRoom }

  /// Whether every limit allows another dial.
  private var hasRoom: Bool {
    guard case .running = phase else { return false }
    return table.dialling < max(1, limits.maximumConcurrentDials) && table.count < maximumConnections
      && hasMultiplexedRoom
  }

  /// Dials count, because they will most likely end as multiplexed connections. Stalled connections count only against
  /// one place beyond the limit.
  private var hasMultiplexedRoom: Bool {
    guard isMultiplexed else { return true }
    let taking = table.multiplexed - table.stalled + table.dialling
    return taking < maximumMultiplexedConnections && taking + table.stalled <= maximumMultiplexedConnections
  }

  /// Nothing but the back-off holds back a dial that somebody waits for.
  var isDialHeldBack: Bool { backoff.until != nil && needsDial && hasRoom }

  /// Another request would wait for what others use, and enough do so already. Those for which a connection is being
  /// made, or may be, are served by it and do not count: a limit of zero means "a connection or nothing".
  var isQueueFull: Bool {
    if mayDial { return false }
    let (supply, overflow) = table.dialling.multipliedReportingOverflow(by: streamsPerDial)
    if overflow || supply > waiters.count { return false }
    return waiters.count - supply >= limits.maximumWaiters
  }

  /// Fewer dials than waiters (or than the connections that these need) are in progress.
  var needsDial: Bool { !waiters.isEmpty && table.dialling <= (waiters.count - 1) / streamsPerDial }

  /// How many waiters the dials in progress will serve.
  var dialledWaiters: Int {
    let (product, overflow) = table.dialling.multipliedReportingOverflow(by: streamsPerDial)
    return overflow ? .max : product
  }

  /// The latest news of the peer; what the next dial is expected to bring.
  mutating func learn(streams: Int, isMultiplexed: Bool) {
    if streams > 0 { streamsPerDial = streams }
    self.isMultiplexed = isMultiplexed
  }

  /// One dial for each waiter (or for as many as one connection serves), as far as the limits allow.
  mutating func startDials(now: Instant, _ action: inout Action) {
    backoff.pass(now: now)
    while needsDial, mayDial { dial(now: now, &action) }
  }

  /// For a request that found enough dials in progress for all waiters: they may be about to time out. One that began a
  /// moment ago is shared, an old one is not. A multiplexed connection is shared by design, however old its dial.
  mutating func startUnsharedDial(now: Instant, _ action: inout Action) {
    guard streamsPerDial == 1, mayDial else { return }
    if latestDialAt.duration(to: now) > limits.maximumSharedDialAge { dial(now: now, &action) }
  }

  private mutating func dial(now: Instant, _ action: inout Action) {
    latestDialAt = now
    action.dials.append(table.beginDial(ticket: waiters.nextTicket))
  }

  /// Rules 1 and 2 of the theory of operation; the slot of the failed dial is vacant already.
  mutating func failWaiters(dial id: ConnectionID, ticket: UInt64, _ action: inout Action) {
    var uncovered = waiters.count - min(waiters.count, dialledWaiters)
    if table.taking > 0 { uncovered = min(1, uncovered) }
    while uncovered > 0, let oldest = waiters.first, oldest.ticket < ticket {
      _ = waiters.popFirst()
      action.failures.append((oldest.id, .connectFailed(id)))
      uncovered -= 1
    }
  }

  // MARK: Closing

  /// No new streams; closes at once when none is leased.
  mutating func retire(_ index: Int, _ action: inout Action) {
    guard let usage = table.usage(at: index) else { return }
    if usage.leased == 0 { return close(index, &action) }
    cancelAge(of: index)
    table.transition(index, to: .draining(leased: usage.leased))
  }

  mutating func close(_ index: Int, _ action: inout Action) {
    action.closes.append(table.id(at: index))
    forget(index)
  }

  mutating func forget(_ index: Int) {
    cancelAge(of: index)
    table.vacate(index)
  }

  private mutating func cancelAge(of index: Int) {
    guard let ageID = table.ageID(at: index) else { return }
    ages.cancel(ageID)
    table.setAgeID(nil, at: index)
  }

  mutating func closeExpired(now: Instant, _ action: inout Action) {
    while let usage = table.usage(at: table.idle.tail), usage.idleUntil <= now { close(table.idle.tail, &action) }
    while let id = ages.popExpired(now: now) {
      guard let index = table.index(of: id) else { continue }
      table.setAgeID(nil, at: index)
      retire(index, &action)
    }
  }

  // MARK: Errors

  /// What a waiter whose time is over waited for.
  var bottleneck: Bottleneck {
    if isDialHeldBack { return Bottleneck(inUse: inUse, limit: maximumConnections, bound: .backoff) }
    if isMultiplexed, table.count < maximumConnections, maximumMultiplexedConnections < maximumConnections {
      return Bottleneck(
        inUse: table.multiplexedInUse, limit: maximumMultiplexedConnections, bound: .multiplexedConnections)
    }
    return Bottleneck(inUse: inUse, limit: maximumConnections, bound: .connections)
  }

  struct Bottleneck {
    let inUse: Int
    let limit: Int
    let bound: PoolFailure.Bound

    func timedOut(position: Int, waited: Duration) -> PoolFailure {
      .waitTimedOut(inUse: inUse, limit: limit, bound: bound, position: position, waited: waited)
    }
  }
}
