import LinnetBytes
import LinnetProtocols
import Testing

private func at(_ milliseconds: Int) -> Instant {
  Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
}

@Suite struct HappyEyeballsMachineTests {
  private typealias Family = HappyEyeballsMachine.Family

  /// Lets every attempt hang, and gives the order in which addresses are tried.
  private func order(_ families: [Family]) -> [Int] {
    var limits = HappyEyeballsMachine.Limits()
    limits.maximumConcurrentAttempts = .max
    var machine = HappyEyeballsMachine(families: families, limits: limits)
    var action = machine.start(now: at(0))
    var order = Array(action.connects)
    while let deadline = action.waitUntil {
      action = machine.timerFired(now: deadline)
      order += Array(action.connects)
    }
    return order
  }

  @Test(
    "families alternate, beginning with the resolver's first, in the resolver's order within a family",
    arguments: [
      ("", ""), ("4", "0"), ("66", "01"), ("6644", "0213"), ("4466", "0213"), ("66664", "04123"), ("646464", "012345"),
      ("44446", "04123"), ("466", "012"),
    ])
  func interleaving(families: String, expected: String) {
    let result = order(families.map { $0 == "6" ? .ipv6 : .ipv4 })
    #expect(result.map(String.init).joined() == expected)
  }

  @Test("the first attempt starts at once, each next one 250 ms after the latest start")
  func stagger() {
    var machine = HappyEyeballsMachine(families: [.ipv6, .ipv4, .ipv6])
    let first = machine.start(now: at(0))
    #expect(first.connects == [0] && first.waitUntil == at(250))
    let early = machine.timerFired(now: at(249))
    #expect(early.connects.isEmpty && early.waitUntil == at(250))
    let second = machine.timerFired(now: at(250))
    #expect(second.connects == [1] && second.waitUntil == at(500))
    let third = machine.timerFired(now: at(510))
    #expect(third.connects == [2] && third.waitUntil == nil)
  }

  @Test("user report DNS-02: a family that fails at once costs no time, the next address starts in the same instant")
  func dns02() {
    var machine = HappyEyeballsMachine(families: [.ipv6, .ipv4])
    #expect(machine.start(now: at(0)).connects == [0])
    let next = machine.attemptFailed(0, now: at(0))
    #expect(next.connects == [1] && next.outcome == nil)
    let won = machine.attemptSucceeded(1, now: at(1))
    #expect(won.outcome == .succeeded(1) && won.cancels.isEmpty)
  }

  @Test("a failure while another attempt runs starts the next one at once and begins the stagger anew")
  func failureInParallel() {
    var machine = HappyEyeballsMachine(families: [.ipv6, .ipv4, .ipv6, .ipv4])
    _ = machine.start(now: at(0))
    _ = machine.timerFired(now: at(250))
    let next = machine.attemptFailed(0, now: at(300))
    #expect(next.connects == [2] && next.waitUntil == at(550))
  }

  @Test("the first success wins; the others are cancelled, and what they report later changes nothing")
  func success() {
    var machine = HappyEyeballsMachine(families: [.ipv6, .ipv4, .ipv6])
    _ = machine.start(now: at(0))
    _ = machine.timerFired(now: at(250))
    let won = machine.attemptSucceeded(1, now: at(260))
    #expect(won.outcome == .succeeded(1) && won.cancels == [0] && won.waitUntil == nil)
    #expect(machine.timerFired(now: at(500)) == HappyEyeballsMachine.Action())
    #expect(machine.attemptFailed(0, now: at(501)) == HappyEyeballsMachine.Action())
    #expect(machine.attemptSucceeded(1, now: at(502)) == HappyEyeballsMachine.Action())
    #expect(machine.cancel() == HappyEyeballsMachine.Action())
  }

  @Test("a connection that was established after its cancellation is named once more, so that it is closed")
  func lateSuccess() {
    var machine = HappyEyeballsMachine(families: [.ipv6, .ipv4])
    _ = machine.start(now: at(0))
    _ = machine.timerFired(now: at(250))
    _ = machine.attemptSucceeded(1, now: at(260))
    let late = machine.attemptSucceeded(0, now: at(261))
    #expect(late.cancels == [0] && late.outcome == nil)
    #expect(machine.attemptSucceeded(0, now: at(262)) == HappyEyeballsMachine.Action())
  }

  @Test("the race fails when the last attempt failed, and at once without addresses")
  func allFailed() {
    var machine = HappyEyeballsMachine(families: [.ipv6, .ipv4])
    _ = machine.start(now: at(0))
    _ = machine.timerFired(now: at(250))
    #expect(machine.attemptFailed(1, now: at(260)).outcome == nil)
    #expect(machine.attemptFailed(0, now: at(270)).outcome == .failed)
    var empty = HappyEyeballsMachine(families: [])
    #expect(empty.start(now: at(0)).outcome == .failed)
  }

  @Test("cancellation stops every running attempt and gives no outcome")
  func cancellation() {
    var machine = HappyEyeballsMachine(families: [.ipv6, .ipv4, .ipv4])
    _ = machine.start(now: at(0))
    _ = machine.timerFired(now: at(250))
    let action = machine.cancel()
    #expect(action.cancels == [0, 1] && action.outcome == nil && action.connects.isEmpty)
    #expect(machine.attemptFailed(0, now: at(251)) == HappyEyeballsMachine.Action())
  }

  @Test("addresses of a later answer join in: at once when nothing runs, else with the stagger")
  func laterAnswer() {
    var machine = HappyEyeballsMachine(families: [.ipv4], moreExpected: true)
    _ = machine.start(now: at(0))
    let joined = machine.addressesAppended([.ipv4, .ipv6], now: at(50))
    #expect(joined.connects.isEmpty && joined.waitUntil == at(250))
    #expect(machine.timerFired(now: at(250)).connects == [2])
    var waiting = HappyEyeballsMachine(families: [.ipv4], moreExpected: true)
    _ = waiting.start(now: at(0))
    #expect(waiting.attemptFailed(0, now: at(1)).outcome == nil)
    #expect(waiting.addressesAppended([.ipv6], now: at(40)).connects == [1])
    #expect(waiting.attemptFailed(1, now: at(41)).outcome == nil)
    #expect(waiting.addressesEnded(now: at(60)).outcome == .failed)
  }

  @Test("with all places taken, the oldest attempt gives way after two seconds, and only for an untried address")
  func bound() {
    var limits = HappyEyeballsMachine.Limits()
    limits.maximumConcurrentAttempts = 2
    var machine = HappyEyeballsMachine(families: [.ipv4, .ipv4, .ipv4], limits: limits)
    _ = machine.start(now: at(0))
    #expect(machine.timerFired(now: at(250)).waitUntil == at(2_000))
    #expect(machine.timerFired(now: at(500)).connects.isEmpty)
    let third = machine.timerFired(now: at(2_000))
    #expect(third.cancels == [0] && third.connects == [2] && third.waitUntil == nil)
    #expect(machine.attemptFailed(0, now: at(2_001)) == HappyEyeballsMachine.Action())
    #expect(machine.attemptFailed(1, now: at(9_000)).outcome == nil)
    #expect(machine.attemptSucceeded(2, now: at(9_001)).outcome == .succeeded(2))
  }

  @Test("indices that do not exist change nothing", arguments: [-1, 2, .max])
  func unknownIndex(index: Int) {
    var machine = HappyEyeballsMachine(families: [.ipv4, .ipv6])
    #expect(machine.attemptSucceeded(index, now: at(0)) == HappyEyeballsMachine.Action())
    #expect(machine.attemptFailed(index, now: at(0)) == HappyEyeballsMachine.Action())
    _ = machine.start(now: at(0))
    #expect(machine.attemptSucceeded(index, now: at(0)).outcome == nil)
    #expect(machine.start(now: at(0)) == HappyEyeballsMachine.Action())
  }

  @Test("addresses beyond the limit are ignored")
  func maximumAddresses() {
    #expect(order(Array(repeating: .ipv4, count: 5_000)).count == 64)
  }

  /// 20,000 networks in all.
  @Test(
    "against random networks: the first to answer wins, the times and bounds hold, every attempt ends once",
    arguments: 0..<20 as Range<UInt64>)
  func randomNetworks(block: UInt64) {
    for seed in (block * 1_000)..<((block + 1) * 1_000) {
      do throws(ScriptFailure) {
        var network = NetworkScript(seed: seed)
        try network.run()
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}
