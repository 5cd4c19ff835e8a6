import LinnetBytes
import LinnetProtocols
import LinnetTestRandom

/// A simulated network in which each address answers, refuses or hangs after a time of its own; plays one race of
/// ``HappyEyeballsMachine`` on it and checks what may be seen from outside.
struct NetworkScript: ~Copyable {
  private struct Address {
    var family: HappyEyeballsMachine.Family
    /// When the attempt ends after its start, in milliseconds; nil hangs for ever.
    var answersAfter: Int?
    var isReachable: Bool
    var startedAt: Int?
    var endedAt: Int?
    var wasCancelled = false
  }

  private var random: SeededGenerator
  private var limits = HappyEyeballsMachine.Limits()
  private var addresses: [Address] = []
  /// Addresses that the resolver gives later: from `arrival` on.
  private var known: Int
  private let arrival: Int
  private var resolverEnded: Bool
  private let cancelAt: Int?
  private var outcome: HappyEyeballsMachine.Outcome?
  private var timer: Int?
  private var starts: [(index: Int, time: Int)] = []
  private var lastFailure = -1
  private var log: [(time: Int, action: HappyEyeballsMachine.Action)] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    limits.maximumConcurrentAttempts = 1 + Int(random.below(5))
    limits.attemptDelay = .milliseconds(100)
    limits.attemptPatience = .milliseconds(350)
    for _ in 0..<random.below(9) {
      addresses.append(
        Address(
          family: random.chance(50) ? .ipv4 : .ipv6,
          answersAfter: random.chance(30) ? nil : random.chance(40) ? 0 : Int(random.below(600)),
          isReachable: random.chance(40)))
    }
    known = random.chance(60) ? addresses.count : Int(random.below(UInt64(addresses.count + 1)))
    arrival = Int(random.below(400))
    resolverEnded = known == addresses.count
    cancelAt = random.chance(10) ? Int(random.below(800)) : nil
  }

  mutating func run() throws(ScriptFailure) {
    var machine = HappyEyeballsMachine(
      families: addresses.prefix(known).map(\.family), moreExpected: !resolverEnded, limits: limits)
    try perform(machine.start(now: at(0)), time: 0)
    var cancelled = false
    var next: Int? = 0
    while let time = next {
      if !resolverEnded, time == arrival {
        resolverEnded = true
        let more = addresses.suffix(from: known).map(\.family)
        known = addresses.count
        try perform(machine.addressesAppended(more, now: at(time)), time: time)
        try perform(machine.addressesEnded(now: at(time)), time: time)
      }
      if time == cancelAt {
        cancelled = true
        try perform(machine.cancel(), time: time)
      }
      if let timer, timer <= time {
        self.timer = nil
        try perform(machine.timerFired(now: at(time)), time: time)
        if let next = self.timer, next <= time { throw failure("the timer is due again") }
      }
      // Answers of attempts that start at this very time count too.
      while let index = nextAnswer(time: time) {
        addresses[index].endedAt = time
        let isReachable = addresses[index].isReachable
        if !isReachable { lastFailure = time }
        let action =
          isReachable
          ? machine.attemptSucceeded(index, now: at(time)) : machine.attemptFailed(index, now: at(time))
        if addresses[index].wasCancelled {
          // It crossed its cancellation: an established connection has to be closed.
          guard Array(action.cancels) == (isReachable ? [index] : []), action.connects.isEmpty, action.outcome == nil
          else { throw failure("late answer of \(index)") }
          continue
        }
        let wasOver = outcome != nil || cancelled
        try perform(action, time: time)
        if isReachable, !wasOver, outcome != .succeeded(index) { throw failure("\(index) should have won") }
      }
      try checkBounds(time: time)
      next = nextTime(after: time)
    }
    try checkEnd(cancelled: cancelled)
  }

  private func at(_ time: Int) -> Instant { Instant(nanoseconds: UInt64(time) * 1_000_000) }

  /// When anything happens next: the resolver, the caller, the timer or an attempt.
  private func nextTime(after time: Int) -> Int? {
    var times = addresses.compactMap { address -> Int? in
      guard let started = address.startedAt, let after = address.answersAfter, address.endedAt == nil else {
        return nil
      }
      return started + after
    }
    if !resolverEnded { times.append(arrival) }
    if let cancelAt { times.append(cancelAt) }
    if let timer { times.append(timer) }
    return times.filter { $0 > time }.min()
  }

  private func nextAnswer(time: Int) -> Int? {
    addresses.firstIndex {
      guard let started = $0.startedAt, let after = $0.answersAfter, $0.endedAt == nil else { return false }
      return started + after <= time
    }
  }

  private mutating func perform(_ action: HappyEyeballsMachine.Action, time: Int) throws(ScriptFailure) {
    log.append((time, action))
    for index in action.cancels {
      guard addresses[index].startedAt != nil, addresses[index].endedAt == nil || outcome != nil,
        !addresses[index].wasCancelled
      else { throw failure("cancelled \(index)") }
      addresses[index].wasCancelled = true
    }
    for index in action.connects {
      guard outcome == nil, index < known, addresses[index].startedAt == nil else { throw failure("started \(index)") }
      // The stagger, unless nothing ran or an attempt had just failed.
      if let last = starts.last, time < last.time + 100, lastFailure != time, runningCount > 0 {
        throw failure("\(index) started too early")
      }
      try checkOrder(index)
      addresses[index].startedAt = time
      starts.append((index, time))
    }
    timer = action.waitUntil.map { Int(($0.nanoseconds + 999_999) / 1_000_000) }
    if let result = action.outcome {
      guard outcome == nil else { throw failure("two outcomes") }
      outcome = result
    }
  }

  /// The other family's turn, if it has an address left; the resolver's order within the family.
  private func checkOrder(_ index: Int) throws(ScriptFailure) {
    let left = addresses.indices.prefix(known).filter { addresses[$0].startedAt == nil }
    let family = addresses[index].family
    guard left.first(where: { addresses[$0].family == family }) == index else { throw failure("order in a family") }
    if let last = starts.last, addresses[last.index].family == family,
      left.contains(where: { addresses[$0].family != family })
    {
      throw failure("families do not alternate")
    }
  }

  private var runningCount: Int {
    addresses.count { $0.startedAt != nil && $0.endedAt == nil && !$0.wasCancelled }
  }

  private func checkBounds(time: Int) throws(ScriptFailure) {
    guard runningCount <= limits.maximumConcurrentAttempts else { throw failure("too many attempts") }
    let isIdle = runningCount == 0 && outcome == nil && cancelAt.map { $0 > time } ?? true
    if isIdle, resolverEnded { throw failure("nothing runs and the race is not over") }
    if isIdle, addresses.prefix(known).contains(where: { $0.startedAt == nil }) { throw failure("an address waits") }
  }

  private func checkEnd(cancelled: Bool) throws(ScriptFailure) {
    switch outcome {
    case .succeeded(let winner):
      guard runningCount == 0, addresses[winner].isReachable, !addresses[winner].wasCancelled else {
        throw failure("winner \(winner)")
      }
    case .failed:
      guard addresses.allSatisfy({ $0.startedAt != nil }), runningCount == 0 else { throw failure("gave up early") }
    case nil:
      // Without an outcome: the caller gave up, or the last attempts hang and the connect deadline is the owner's.
      let hangs = addresses.contains { $0.answersAfter == nil && $0.startedAt != nil && !$0.wasCancelled }
      guard cancelled ? runningCount == 0 : hangs else { throw failure("no outcome") }
    }
  }

  private func failure(_ text: String) -> ScriptFailure {
    ScriptFailure(
      description: "\(text)\n" + log.map { "\($0.time): \($0.action)" }.joined(separator: "\n")
        + "\n" + addresses.map { "\($0)" }.joined(separator: "\n"))
  }
}
