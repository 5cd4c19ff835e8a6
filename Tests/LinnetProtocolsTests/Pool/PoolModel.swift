import LinnetBytes
import LinnetProtocols

/// A second, naive statement of the pool's rules, for comparison with ``PoolMachine`` under random scripts: flat arrays,
/// linear searches, no lists, heaps or slots. It predicts the whole action of each event.
struct PoolModel {
  typealias ConnectionID = PoolMachine.ConnectionID
  typealias WaiterID = PoolMachine.WaiterID

  enum Stage { case dialling, open, draining }

  struct Connection {
    var id: ConnectionID
    var stage: Stage
    var begun: Int
    var streams = 0
    var isMultiplexed = false
    /// Its place in the order of all things that happened.
    var established = 0
    var leased = 0
    var idleUntil = Instant.distantFuture
    var agesAt = Instant.distantFuture
    /// When it joined the group (idle, or partly used) that it is in.
    var joined = 0

    var group: Int { stage != .open ? 0 : leased == 0 ? 1 : leased < streams ? 2 : 0 }
  }

  struct Waiter {
    var id: WaiterID
    var deadline: Instant
    var since: Instant
    var order: Int
  }

  struct Expected {
    var closes: Set<ConnectionID> = []
    var dials: [ConnectionID] = []
    var leases: [(waiter: WaiterID, connection: ConnectionID)] = []
    var failures: [WaiterID: PoolFailure] = [:]
    var isDrained = false
  }

  let limits: PoolLimits
  var connections: [Connection] = []
  var waiters: [Waiter] = []
  var sequence = 0
  var perDial: Int
  /// What the latest news said.
  var isMultiplexed = false
  /// Pauses since the peer last proved that it has recovered.
  var pauses = 0
  var pausedUntil = Instant(nanoseconds: 0)
  var latestPause = 0
  var latestDial = Instant(nanoseconds: 0)
  var latestNow = Instant(nanoseconds: 0)
  var isDown = false
  var wasDrained = false
  /// The ids that the machine gave to its dials in this event; the model takes one for each dial that it wants.
  var supply: [ConnectionID] = []
  var expected = Expected()

  init(limits: PoolLimits) {
    self.limits = limits
    perDial = limits.assumeMultiplexed ? .max : 1
  }

  // MARK: Events

  mutating func leaseIdle(now: Instant) -> ConnectionID? {
    guard waiters.isEmpty, !isDown, let best = best(now: now) else { return nil }
    change(best) { $0.leased += 1 }
    return best
  }

  mutating func event(dials: [ConnectionID], now: Instant, _ body: (inout PoolModel, Instant) -> Void) -> Expected {
    supply = dials
    expected = Expected()
    latestNow = max(latestNow, now)
    body(&self, latestNow)
    if isDown, !wasDrained, connections.isEmpty {
      wasDrained = true
      expected.isDrained = true
    }
    return expected
  }

  mutating func enqueue(_ id: WaiterID, deadline: Instant, now: Instant) {
    guard !waiters.contains(where: { $0.id == id }) else { return }
    guard !isDown else {
      expected.failures[id] = .shutDown
      return
    }
    expire(now: now)
    if let lease = leaseIdle(now: now) {
      expected.leases.append((id, lease))
    } else if deadline <= now {
      expected.failures[id] = timeout(position: waiters.count + 1, waited: .zero)
    } else if !mayDial, !isCovered(waiters.count + 1), uncovered >= Double(limits.maximumWaiters) {
      expected.failures[id] = .queueFull
    } else {
      waiters.append(Waiter(id: id, deadline: deadline, since: now, order: next()))
      let stale = latestDial.duration(to: now) > limits.maximumSharedDialAge
      if dialling >= wanted, perDial == 1, stale, mayDial { beginDial(now) }
    }
    dialAsNeeded(now)
  }

  mutating func cancelled(_ id: WaiterID) { waiters.removeAll { $0.id == id } }

  mutating func released(_ id: ConnectionID, reusable: Bool, now: Instant) {
    guard let connection = find(id), connection.leased > 0 else { return }
    let isTooOld = connection.agesAt <= now
    if reusable, connection.stage == .open, connection.established > latestPause { (pauses, pausedUntil) = (0, now) }
    change(id) { [limits] in
      $0.leased -= 1
      $0.idleUntil = now.advanced(by: limits.idleTime)
    }
    if connection.stage == .draining {
      if connection.leased == 1 { close(id) }
    } else if reusable, !isTooOld {
      serve(id, now: now)
    } else {
      retire(id)
    }
    dialAsNeeded(now)
  }

  mutating func established(_ id: ConnectionID, streams: Int, isMultiplexed: Bool, now: Instant) {
    guard let connection = find(id) else {
      expected.closes.insert(id)
      return
    }
    guard connection.stage == .dialling else { return }
    let order = next()
    change(id) { [limits] in
      $0.stage = .open
      $0.streams = max(0, streams)
      $0.isMultiplexed = isMultiplexed || streams != 1
      $0.established = order
      $0.idleUntil = now.advanced(by: limits.idleTime)
      if let age = limits.maximumAge { $0.agesAt = now.advanced(by: age) }
    }
    if streams > 0 { perDial = streams }
    self.isMultiplexed = isMultiplexed || streams != 1
    serve(id, now: now)
    dialAsNeeded(now)
  }

  mutating func gone(_ id: ConnectionID, now: Instant) {
    guard let connection = find(id) else { return }
    connections.removeAll { $0.id == id }
    if connection.stage == .dialling, waiters.count > 0 {
      var missing = 0
      for _ in waiters where missing < waiters.count && !isCovered(waiters.count - missing) { missing += 1 }
      if connections.contains(where: { $0.stage == .open && $0.streams > 0 }) { missing = min(1, missing) }
      for waiter in waiters.prefix(missing) where waiter.order < connection.begun {
        expected.failures[waiter.id] = .connectFailed(id)
      }
      let failed = expected.failures
      waiters.removeAll { failed[$0.id] != nil }
    }
    dialAsNeeded(now)
  }

  mutating func willClose(_ id: ConnectionID, now: Instant) {
    guard find(id)?.stage == .open else { return }
    retire(id)
    dialAsNeeded(now)
  }

  mutating func streamsChanged(_ id: ConnectionID, streams: Int, now: Instant) {
    guard find(id)?.stage == .open else { return }
    change(id) {
      $0.streams = max(0, streams)
      $0.isMultiplexed = true
    }
    if streams > 0 { perDial = streams }
    isMultiplexed = true
    serve(id, now: now)
    dialAsNeeded(now)
  }

  mutating func overloaded(_ id: ConnectionID?, now: Instant) {
    if pausedUntil <= now {
      var pause = min(limits.firstBackoff, limits.maximumBackoff)
      for _ in 0..<pauses { pause = min(limits.maximumBackoff, pause * 2) }
      pauses += 1
      pausedUntil = now.advanced(by: pause)
    }
    latestPause = next()
    if let id { retire(id) }
    dialAsNeeded(now)
  }

  mutating func timer(now: Instant) {
    let before = self
    for (place, waiter) in waiters.enumerated() where waiter.deadline <= now {
      expected.failures[waiter.id] = before.timeout(position: place + 1, waited: waiter.since.duration(to: now))
    }
    waiters.removeAll { $0.deadline <= now }
    expire(now: now)
    dialAsNeeded(now)
  }

  mutating func shutDown() {
    if wasDrained { expected.isDrained = true }
    guard !isDown else { return }
    isDown = true
    for waiter in waiters { expected.failures[waiter.id] = .shutDown }
    waiters = []
    for connection in connections {
      if connection.stage == .dialling { close(connection.id) } else { retire(connection.id) }
    }
  }

  // MARK: Rules

  var dialling: Int { connections.filter { $0.stage == .dialling }.count }
  var inUse: Int { connections.filter { $0.stage != .dialling && $0.group != 1 }.count }

  var nextDeadline: Instant? {
    var all = waiters.map(\.deadline)
    for connection in connections where connection.stage == .open {
      all.append(connection.agesAt)
      if connection.leased == 0 { all.append(connection.idleUntil) }
    }
    // With somebody to dial for and room for the dial, only a pause can hold it back.
    if dialling < wanted, hasRoom { all.append(pausedUntil) }
    return all.filter { $0 < .distantFuture }.min()
  }

  /// Whether the dials in progress serve so many waiters.
  private func isCovered(_ count: Int) -> Bool {
    Double(dialling) * Double(perDial) >= Double(count)
  }

  private var wanted: Int { waiters.isEmpty ? 0 : (waiters.count - 1) / perDial + 1 }

  private var uncovered: Double { Double(waiters.count) - Double(dialling) * Double(perDial) }

  private var mayDial: Bool { hasRoom && latestNow >= pausedUntil }

  private var hasRoom: Bool {
    guard !isDown, dialling < max(1, limits.maximumConcurrentDials), connections.count < mostConnections else {
      return false
    }
    guard isMultiplexed else { return true }
    let open = connections.filter { $0.stage == .open && $0.isMultiplexed }
    let useful = open.filter { $0.streams > 0 }.count
    return useful + dialling < mostMultiplexed && open.count + dialling < mostMultiplexed + 1
  }

  private var mostConnections: Int { max(1, limits.maximumConnections) }
  private var mostMultiplexed: Int { max(1, limits.maximumMultiplexedConnections) }

  private func timeout(position: Int, waited: Duration) -> PoolFailure {
    var (used, limit, bound) = (inUse, mostConnections, PoolFailure.Bound.connections)
    if dialling < wanted, hasRoom, latestNow < pausedUntil {
      bound = .backoff
    } else if isMultiplexed, connections.count < mostConnections, mostMultiplexed < mostConnections {
      let isUsed = { (connection: Connection) in
        connection.stage == .open && connection.isMultiplexed && connection.streams > 0 && connection.leased > 0
      }
      (used, limit, bound) = (connections.filter(isUsed).count, mostMultiplexed, .multiplexedConnections)
    }
    return .waitTimedOut(inUse: used, limit: limit, bound: bound, position: position, waited: waited)
  }

  private mutating func dialAsNeeded(_ now: Instant) {
    while dialling < wanted, mayDial { beginDial(now) }
  }

  private mutating func beginDial(_ now: Instant) {
    latestDial = now
    let id = supply.isEmpty ? ConnectionID(rawValue: .max - UInt64(sequence)) : supply.removeFirst()
    connections.append(Connection(id: id, stage: .dialling, begun: next()))
    expected.dials.append(id)
  }

  private func find(_ id: ConnectionID) -> Connection? { connections.first { $0.id == id } }

  private mutating func next() -> Int {
    sequence += 1
    return sequence
  }

  private mutating func change(_ id: ConnectionID, _ body: (inout Connection) -> Void) {
    for index in connections.indices where connections[index].id == id {
      let group = connections[index].group
      body(&connections[index])
      if connections[index].group != group { connections[index].joined = next() }
    }
  }

  private func best(now: Instant) -> ConnectionID? {
    let usable = connections.filter { connection in
      connection.stage == .open && connection.leased < connection.streams && now < connection.agesAt
        && (connection.leased > 0 || now < connection.idleUntil)
    }
    return usable.max { ($0.group, $0.joined) < ($1.group, $1.joined) }?.id
  }

  private mutating func serve(_ id: ConnectionID, now: Instant) {
    while let connection = find(id), connection.leased < connection.streams, now < connection.agesAt,
      !waiters.isEmpty
    {
      change(id) { $0.leased += 1 }
      expected.leases.append((waiters.removeFirst().id, id))
    }
    var idle = connections.filter { $0.group == 1 }.sorted { $0.joined < $1.joined }
    while idle.filter({ $0.streams > 0 }).count > max(0, limits.maximumIdleConnections) { close(idle.removeFirst().id) }
  }

  private mutating func expire(now: Instant) {
    for connection in connections where connection.stage == .open {
      if connection.leased == 0, connection.idleUntil <= now { close(connection.id) }
      if connection.agesAt <= now { retire(connection.id) }
    }
  }

  private mutating func retire(_ id: ConnectionID) {
    guard let connection = find(id), connection.stage == .open else { return }
    if connection.leased == 0 { close(id) } else { change(id) { $0.stage = .draining } }
  }

  private mutating func close(_ id: ConnectionID) {
    connections.removeAll { $0.id == id }
    expected.closes.insert(id)
  }
}
