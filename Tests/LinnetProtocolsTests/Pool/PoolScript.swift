import LinnetBytes
import LinnetProtocols
import LinnetTestRandom

/// What went wrong in a random script, with what led to it.
struct ScriptFailure: Error, CustomStringConvertible {
  var description: String
}

/// Drives one ``PoolMachine`` with random events, as the racing callers, peers and timers of a real pool would, and checks
/// every action twice: against ``PoolModel``, and against invariants that follow from the outside only.
struct PoolScript: ~Copyable {
  typealias ConnectionID = PoolMachine.ConnectionID
  typealias WaiterID = PoolMachine.WaiterID

  private var random: SeededGenerator
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
  private var ended: [WaiterID] = []
  private var alive: [ConnectionID] = []
  private var everDialled: [ConnectionID] = []
  private var unusable: Set<ConnectionID> = []
  private var streams: [ConnectionID: Int] = [:]
  private var leases: [ConnectionID] = []
  private var drained = 0
  private var multiplexed: Set<ConnectionID> = []
  private var isMultiplexedNow = false
  private var latest = Instant(nanoseconds: 0)
  /// Until when no dial may start, and the connections established since that was last said.
  private var pausedUntil: Instant?
  private var longestPause: Instant?
  private var pause: Duration?
  private var fresh: Set<ConnectionID> = []
  private var isDown = false

  /// - Parameter isLogged: text for each event is slow; a failing seed is run again with it.
  init(seed: UInt64, isLogged: Bool) {
    self.isLogged = isLogged
    random = SeededGenerator(seed: seed)
    var limits = PoolLimits()
    limits.maximumConnections = 1 + Int(random.below(5))
    limits.maximumIdleConnections = Int(random.below(5))
    limits.maximumWaiters = random.chance(80) ? 1_000 : Int(random.below(6))
    limits.maximumConcurrentDials = 1 + Int(random.below(5))
    limits.idleTime = .nanoseconds(Int64(random.below(400)))
    if random.chance(40) { limits.maximumAge = .nanoseconds(Int64(50 + random.below(800))) }
    limits.maximumSharedDialAge = .nanoseconds(Int64(random.below(200)))
    limits.maximumMultiplexedConnections = 1 + Int(random.below(4))
    limits.firstBackoff = .nanoseconds(Int64(random.below(60)))
    limits.maximumBackoff = .nanoseconds(Int64(random.below(300)))
    let isMultiplexed = random.chance(60)
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
    case 89..<92: try changeStreams()
    case 92..<94: try overload()
    case 94..<99: try fireTimer()
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
    guard let waiter = isLate ? ended.randomElement(using: &random) : waiting.randomElement(using: &random) else {
      return
    }
    waiting.removeAll { $0 == waiter }
    ended.append(waiter)
    let action = machine.waiterCancelled(waiter, now: now)
    try check("cancel \(waiter.rawValue)", action, now: .init(nanoseconds: 0)) { model, _ in model.cancelled(waiter) }
  }

  private mutating func establish() throws(ScriptFailure) {
    guard let id = someConnection({ $0.streams[$1] == nil }) else { return }
    let count = isMultiplexed ? Int(random.below(5)) : 1
    let isNamedMultiplexed = isMultiplexed && random.chance(50)
    let wasDialling = alive.contains(id) && streams[id] == nil
    if wasDialling {
      streams[id] = count
      fresh.insert(id)
      isMultiplexedNow = isNamedMultiplexed || count != 1
      if isMultiplexedNow { multiplexed.insert(id) }
    }
    let action = machine.connectionEstablished(id, streams: count, isMultiplexed: isNamedMultiplexed, now: now)
    try check("established \(id.rawValue) \(count) \(isNamedMultiplexed)", action) {
      $0.established(id, streams: count, isMultiplexed: isNamedMultiplexed, now: $1)
    }
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
    guard let id = isSpurious ? everDialled.randomElement(using: &random) : leases.randomElement(using: &random) else {
      return
    }
    // A second release of a stream cannot be told from the release of another one.
    if isSpurious, leases.contains(id) { return }
    let reusable = random.chance(85)
    if let index = leases.firstIndex(of: id) {
      leases.remove(at: index)
      if reusable, alive.contains(id), fresh.contains(id), !unusable.contains(id) { (pause, pausedUntil) = (nil, nil) }
    }
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
    let count = random.chance(30) ? 0 : Int(random.below(6))
    if streams[id] != nil { streams[id] = count }
    if alive.contains(id), !unusable.contains(id), streams[id] != nil {
      multiplexed.insert(id)
      isMultiplexedNow = true
    }
    let action = machine.maxStreamsChanged(id, streams: count, now: now)
    try check("streams of \(id.rawValue): \(count)", action) { $0.streamsChanged(id, streams: count, now: $1) }
  }

  private mutating func overload() throws(ScriptFailure) {
    let id = random.chance(30) ? nil : someConnection { $0.streams[$1] != nil }
    if let id, streams[id] != nil { unusable.insert(id) }
    if pausedUntil.map({ $0 <= now }) ?? true {
      pause = min(limits.maximumBackoff, pause.map { $0 * 2 } ?? limits.firstBackoff)
      pausedUntil = pause.map { now.advanced(by: $0) }
      longestPause = now.advanced(by: limits.maximumBackoff)
    }
    fresh = []
    let action = machine.peerIsOverloaded(id, now: now)
    try check("overloaded \(id.map { String($0.rawValue) } ?? "")", action) { $0.overloaded(id, now: $1) }
  }

  private mutating func fireTimer() throws(ScriptFailure) {
    if random.chance(60), let deadline = machine.nextDeadline { now = max(now, deadline) }
    let isDue = machine.nextDeadline.map { $0 <= now } ?? false
    let action = machine.timerFired(now: now)
    try check("timer", action) { $0.timer(now: $1) }
    // A connection that became too old may only be retired, of which the owner learns nothing.
    if isDue, action.isEmpty, limits.maximumAge == nil { throw failure("a timer was armed for nothing") }
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
    latest = max(latest, now ?? self.now)
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
      guard !everDialled.contains(id) else { throw failure("an id was used twice") }
      everDialled.append(id)
      alive.append(id)
    }
    if !dials.isEmpty { try checkDials() }
    for (waiter, connection) in leased {
      guard let index = waiting.firstIndex(of: waiter) else { throw failure("lease for nobody") }
      guard index == 0 || isRequest && waiting.count == 1 else { throw failure("overtaken") }
      waiting.remove(at: index)
      ended.append(waiter)
      try lease(connection)
    }
    for (waiter, _) in failed {
      guard let index = waiting.firstIndex(of: waiter) else { throw failure("failure for nobody") }
      waiting.remove(at: index)
      ended.append(waiter)
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

  /// Dials have just begun.
  private func checkDials() throws(ScriptFailure) {
    if let pausedUntil, latest < pausedUntil { throw failure("a dial during the back-off") }
    // Which connections are too old, and so drain, is not seen from here.
    guard isMultiplexedNow, limits.maximumAge == nil else { return }
    let useful = alive.count { id in
      guard let count = streams[id] else { return true }
      return multiplexed.contains(id) && !unusable.contains(id) && count > 0
    }
    guard useful <= limits.maximumMultiplexedConnections else { throw failure("more multiplexed ones than allowed") }
    let useless = alive.count { multiplexed.contains($0) && !unusable.contains($0) && streams[$0] == 0 }
    guard useful + useless <= limits.maximumMultiplexedConnections + 1 else { throw failure("dials without end") }
  }

  private mutating func checkInvariants() throws(ScriptFailure) {
    guard alive.count <= limits.maximumConnections else { throw failure("more connections than allowed") }
    let counts = machine.counts
    guard counts.dialling <= limits.maximumConcurrentDials else { throw failure("more dials than allowed") }
    guard counts.dialling + counts.idle + counts.inUse == alive.count else { throw failure("counts \(counts)") }
    let useless = alive.count { id in streams[id] == 0 && !leases.contains(id) }
    guard counts.idle - useless <= limits.maximumIdleConnections else { throw failure("more idle than allowed") }
    guard counts.waiting == waiting.count else { throw failure("counts \(counts)") }
    guard waiting.allSatisfy({ machine.isWaiting($0) }) else { throw failure("a waiter was forgotten") }
    guard counts.leasedStreams == leases.count(where: { alive.contains($0) }) else { throw failure("counts \(counts)") }
    // Somebody waits: then there must be something to hope for.
    if !waiting.isEmpty, alive.isEmpty {
      // What a connection proves that became too old is not seen from here.
      let end = limits.maximumAge == nil ? pausedUntil : longestPause
      guard let end, let deadline = machine.nextDeadline, deadline <= end else { throw failure("waiters without hope") }
    }
  }

  private mutating func forget(_ id: ConnectionID) { alive.removeAll { $0 == id } }

  /// Mostly a living connection that fits, sometimes any that ever was, or none that ever was.
  private mutating func someConnection(_ fits: (borrowing PoolScript, ConnectionID) -> Bool) -> ConnectionID? {
    if random.chance(4) { return everDialled.randomElement(using: &random) }
    if random.chance(2) { return ConnectionID(rawValue: random.next()) }
    var candidates: [ConnectionID] = []
    for id in alive where fits(self, id) { candidates.append(id) }
    return candidates.randomElement(using: &random)
  }

  private func failure(_ text: String) -> ScriptFailure {
    ScriptFailure(description: "\(text)\n" + log.suffix(30).joined(separator: "\n") + "\n\(limits)")
  }
}
