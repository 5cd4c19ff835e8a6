import LinnetBytes
import LinnetProtocols

/// What went wrong in a random script, with what led to it.
struct ScriptFailure: Error, CustomStringConvertible {
  var description: String
}

/// Drives one ``PoolMachine`` with random events, as the racing callers, peers and timers of a real pool would, and checks
/// every action twice: against ``PoolModel``, and against invariants that follow from the outside only.
struct PoolScript: ~Copyable {
  typealias ConnectionID = PoolMachine.ConnectionID
  typealias WaiterID = PoolMachine.WaiterID

  private var random: ScriptRandom
  private let limits: PoolLimits
  private let isMultiplexed: Bool
  private var machine: PoolMachine
  private var model: PoolModel
  private var now = Instant(nanoseconds: 1_000)
  private var nextWaiter: UInt64 = 0
  private let isLogged: Bool
  private var log: [String] = []

  // The world as an owner sees it.
  private var waiting: [WaiterID] = []
  private var ended: Set<WaiterID> = []
  private var alive: [ConnectionID] = []
  private var everDialled: Set<ConnectionID> = []
  private var unusable: Set<ConnectionID> = []
  private var streams: [ConnectionID: Int] = [:]
  private var leases: [ConnectionID] = []
  private var drained = 0
  private var isDown = false

  /// - Parameter isLogged: text for each event is slow; a failing seed is run again with it.
  init(seed: UInt64, isLogged: Bool) {
    self.isLogged = isLogged
    random = ScriptRandom(seed: seed)
    var limits = PoolLimits()
    limits.maximumConnections = 1 + Int(random.below(5))
    limits.maximumIdleConnections = Int(random.below(5))
    limits.maximumWaiters = random.chance(80) ? 1_000 : Int(random.below(6))
    limits.maximumConcurrentDials = 1 + Int(random.below(5))
    limits.idleTime = .nanoseconds(Int64(random.below(400)))
    if random.chance(40) { limits.maximumAge = .nanoseconds(Int64(50 + random.below(800))) }
    limits.maximumSharedDialAge = .nanoseconds(Int64(random.below(200)))
    let isMultiplexed = random.chance(40)
    if isMultiplexed { limits.assumeMultiplexed = random.chance(50) }
    self.isMultiplexed = isMultiplexed
    self.limits = limits
    machine = PoolMachine(limits: limits)
    model = PoolModel(limits: limits)
  }

  mutating func run(events: Int) throws(ScriptFailure) {
    for _ in 0..<events { try step() }
    try finish()
  }

  private mutating func step() throws(ScriptFailure) {
    now = now.advanced(by: .nanoseconds(Int64(random.below(30))))
    switch random.below(100) {
    case 0..<32: try request()
    case 32..<40: try cancel()
    case 40..<55: try establish()
    case 55..<61: try fail()
    case 61..<83: try release()
    case 83..<87: try close()
    case 87..<89: try willClose()
    case 89..<91: try changeStreams()
    case 91..<99: try fireTimer()
    default: if random.chance(30) { try shutDown() }
    }
  }

  // MARK: Events

  private mutating func request() throws(ScriptFailure) {
    let waiter = WaiterID(rawValue: nextWaiter)
    nextWaiter += 1
    // A caller's clock may be a little behind that of the event before.
    let clock = Instant(nanoseconds: now.nanoseconds - random.below(10))
    if random.chance(80) {
      let (got, wanted) = (machine.leaseIdle(now: clock), model.leaseIdle(now: clock))
      if isLogged { log.append("leaseIdle → \(String(describing: got))") }
      guard got == wanted else { throw failure("leaseIdle should be \(String(describing: wanted))") }
      if let got { return try lease(got) }
    }
    let deadline = random.chance(20) ? .distantFuture : now.advanced(by: .nanoseconds(Int64(random.below(300))))
    waiting.append(waiter)
    let action = machine.enqueue(waiter, deadline: deadline, now: clock)
    try check("enqueue \(waiter.rawValue)", action, now: clock, isRequest: true) {
      $0.enqueue(waiter, deadline: deadline, now: $1)
    }
    // The same waiter twice changes nothing.
    if waiting.contains(waiter), random.chance(5) {
      guard machine.enqueue(waiter, deadline: deadline, now: clock).isEmpty else { throw failure("queued twice") }
    }
  }

  private mutating func cancel() throws(ScriptFailure) {
    let isLate = random.chance(20)
    guard let waiter = isLate ? ended.first : waiting.randomElement(using: &random) else { return }
    waiting.removeAll { $0 == waiter }
    ended.insert(waiter)
    let action = machine.waiterCancelled(waiter, now: now)
    try check("cancel \(waiter.rawValue)", action, now: .init(nanoseconds: 0)) { model, _ in model.cancelled(waiter) }
  }

  private mutating func establish() throws(ScriptFailure) {
    guard let id = someConnection({ $0.streams[$1] == nil }) else { return }
    let count = isMultiplexed ? Int(random.below(5)) : 1
    let wasDialling = alive.contains(id) && streams[id] == nil
    if wasDialling { streams[id] = count }
    let action = machine.connectionEstablished(id, streams: count, now: now)
    try check("established \(id.rawValue) \(count)", action) { $0.established(id, streams: count, now: $1) }
  }

  private mutating func fail() throws(ScriptFailure) {
    guard let id = someConnection({ $0.streams[$1] == nil }) else { return }
    forget(id)
    let action = machine.connectionFailed(id, now: now)
    try check("failed \(id.rawValue)", action) { $0.gone(id, now: $1) }
  }

  private mutating func close() throws(ScriptFailure) {
    guard let id = someConnection({ _, _ in true }) else { return }
    forget(id)
    let action = machine.connectionClosed(id, now: now)
    try check("closed \(id.rawValue)", action) { $0.gone(id, now: $1) }
  }

  private mutating func release() throws(ScriptFailure) {
    let isSpurious = random.chance(3)
    guard let id = isSpurious ? everDialled.first : leases.randomElement(using: &random) else { return }
    // A second release of a stream cannot be told from the release of another one.
    if isSpurious, leases.contains(id) { return }
    if let index = leases.firstIndex(of: id) { leases.remove(at: index) }
    let reusable = random.chance(85)
    if !reusable, !isSpurious { unusable.insert(id) }
    let action = machine.streamReleased(id, reusable: reusable, now: now)
    try check("released \(id.rawValue) \(reusable)", action) { $0.released(id, reusable: reusable, now: $1) }
  }

  private mutating func willClose() throws(ScriptFailure) {
    guard let id = someConnection({ $0.streams[$1] != nil }) else { return }
    if streams[id] != nil { unusable.insert(id) }
    let action = machine.connectionWillClose(id)
    try check("will close \(id.rawValue)", action, now: .init(nanoseconds: 0)) { $0.willClose(id, now: $1) }
  }

  private mutating func changeStreams() throws(ScriptFailure) {
    guard isMultiplexed, let id = someConnection({ $0.streams[$1] != nil }) else { return }
    let count = Int(random.below(6))
    if streams[id] != nil { streams[id] = count }
    let action = machine.maxStreamsChanged(id, streams: count, now: now)
    try check("streams of \(id.rawValue): \(count)", action) { $0.streamsChanged(id, streams: count, now: $1) }
  }

  private mutating func fireTimer() throws(ScriptFailure) {
    if random.chance(60), let deadline = machine.nextDeadline { now = max(now, deadline) }
    let action = machine.timerFired(now: now)
    try check("timer", action) { $0.timer(now: $1) }
    if let deadline = machine.nextDeadline, deadline <= now { throw failure("a fired timer is due again") }
  }

  private mutating func shutDown() throws(ScriptFailure) {
    isDown = true
    let action = machine.shutDown(now: now)
    try check("shut down", action, now: .init(nanoseconds: 0)) { model, _ in model.shutDown() }
  }

  private mutating func finish() throws(ScriptFailure) {
    try shutDown()
    while let id = leases.popLast() {
      let action = machine.streamReleased(id, reusable: true, now: now)
      try check("released \(id.rawValue)", action) { $0.released(id, reusable: true, now: $1) }
    }
    guard waiting.isEmpty else { throw failure("lost waiters: \(waiting)") }
    guard alive.isEmpty, machine.counts == PoolMachine.Counts() else { throw failure("left: \(machine.counts)") }
    guard drained > 0, machine.nextDeadline == nil else { throw failure("not drained") }
  }

  // MARK: Checks

  /// - Parameter now: what the event told the machine about the time; zero if nothing.
  private mutating func check(
    _ event: @autoclosure () -> String, _ action: PoolMachine.Action, now: Instant? = nil, isRequest: Bool = false,
    _ body: (inout PoolModel, Instant) -> Void
  ) throws(ScriptFailure) {
    let (closes, dials) = (Array(action.closes), Array(action.dials))
    let (leased, failed) = (Array(action.leases), Array(action.failures))
    if isLogged {
      log.append(
        "\(self.now.nanoseconds) \(event()) → close \(closes.map(\.rawValue)) dial \(dials.map(\.rawValue)) "
          + "lease \(leased.map { ($0.waiter.rawValue, $0.connection.rawValue) }) fail \(failed)")
    }
    let expected = model.event(dials: dials, now: now ?? self.now, body)
    guard
      expected.dials == dials, closes.count == expected.closes.count, Set(closes) == expected.closes,
      leased.map(\.waiter) == expected.leases.map(\.waiter),
      leased.map(\.connection) == expected.leases.map(\.connection),
      failed.count == expected.failures.count, failed.allSatisfy({ expected.failures[$0.waiter] == $0.failure }),
      action.isDrained == expected.isDrained
    else { throw failure("the model expects \(expected)") }
    guard machine.nextDeadline == model.nextDeadline else {
      throw failure(
        "next deadline \(String(describing: machine.nextDeadline)), not \(String(describing: model.nextDeadline))")
    }
    if action.isDrained { drained += 1 }
    for id in closes { forget(id) }
    for id in dials {
      guard everDialled.insert(id).inserted else { throw failure("an id was used twice") }
      alive.append(id)
    }
    for (waiter, connection) in leased {
      guard let index = waiting.firstIndex(of: waiter) else { throw failure("lease for nobody") }
      guard index == 0 || isRequest && waiting.count == 1 else { throw failure("overtaken") }
      waiting.remove(at: index)
      ended.insert(waiter)
      try lease(connection)
    }
    for (waiter, _) in failed {
      guard let index = waiting.firstIndex(of: waiter) else { throw failure("failure for nobody") }
      waiting.remove(at: index)
      ended.insert(waiter)
    }
    try checkInvariants()
  }

  private mutating func lease(_ id: ConnectionID) throws(ScriptFailure) {
    leases.append(id)
    guard alive.contains(id), !unusable.contains(id) else { throw failure("leased a closed connection") }
    guard let maximum = streams[id] else { throw failure("leased a dial") }
    guard leases.count(where: { $0 == id }) <= maximum else { throw failure("leased a stream twice") }
    if isDown { throw failure("leased after shutdown") }
  }

  private mutating func checkInvariants() throws(ScriptFailure) {
    guard alive.count <= limits.maximumConnections else { throw failure("more connections than allowed") }
    let counts = machine.counts
    guard counts.dialling <= limits.maximumConcurrentDials else { throw failure("more dials than allowed") }
    guard counts.dialling + counts.idle + counts.inUse == alive.count else { throw failure("counts \(counts)") }
    guard counts.idle <= limits.maximumIdleConnections else { throw failure("more idle than allowed") }
    guard counts.waiting == waiting.count else { throw failure("counts \(counts)") }
    guard waiting.allSatisfy({ machine.isWaiting($0) }) else { throw failure("a waiter was forgotten") }
    guard counts.leasedStreams == leases.count(where: { alive.contains($0) }) else { throw failure("counts \(counts)") }
    // Somebody waits: then there must be something to hope for.
    if !waiting.isEmpty, alive.isEmpty { throw failure("waiters without hope") }
  }

  private mutating func forget(_ id: ConnectionID) { alive.removeAll { $0 == id } }

  /// Mostly a living connection that fits, sometimes any that ever was, or none that ever was.
  private mutating func someConnection(_ fits: (borrowing PoolScript, ConnectionID) -> Bool) -> ConnectionID? {
    if random.chance(4) { return everDialled.first }
    if random.chance(2) { return ConnectionID(rawValue: random.next()) }
    var candidates: [ConnectionID] = []
    for id in alive where fits(self, id) { candidates.append(id) }
    return candidates.randomElement(using: &random)
  }

  private func failure(_ text: String) -> ScriptFailure {
    ScriptFailure(description: "\(text)\n" + log.suffix(30).joined(separator: "\n") + "\n\(limits)")
  }
}
