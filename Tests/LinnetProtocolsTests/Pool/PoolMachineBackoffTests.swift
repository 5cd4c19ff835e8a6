import LinnetBytes
import LinnetProtocols
import Testing

/// What the pool does when the peer says that it has too much to do.
@Suite struct PoolMachineBackoffTests {
  typealias ConnectionID = PoolMachine.ConnectionID

  private func overload(_ pool: Pool, _ id: ConnectionID? = nil) -> PoolMachine.Action {
    pool.machine.peerIsOverloaded(id, now: pool.now)
  }

  @Test("no dial starts before the end of the back-off; then the timer starts it")
  func held() throws {
    let pool = Pool()
    #expect(overload(pool).isEmpty)
    let (waiter, action) = pool.enqueue()
    #expect(action.isEmpty)
    #expect(pool.deadline == 100)
    pool.pass(99)
    #expect(pool.fire().isEmpty)
    #expect(pool.enqueue().action.isEmpty)
    #expect(pool.deadline == 100)
    pool.pass(1)
    let dials = pool.fire().dials
    #expect(dials.count == 2)
    #expect(pool.establish(try #require(dials.first), streams: 1).served == [waiter])
  }

  @Test("a request after the end of the back-off dials without a timer")
  func over() throws {
    let pool = Pool()
    _ = overload(pool)
    #expect(pool.deadline == nil)
    pool.pass(100)
    #expect(pool.dial() != nil)
  }

  @Test("each further sign of overload doubles the back-off, up to ten seconds")
  func doubled() throws {
    let pool = Pool { $0.maximumConnections = 1 }
    _ = pool.enqueue(within: .max / 2_000_000)
    var pauses: [Int] = []
    for _ in 0..<10 {
      let dial = try #require(pool.machine.connections.first)
      #expect(overload(pool).isEmpty)
      // A waiter that is younger than the dial, so that it outlives its failure.
      let (waiter, _) = pool.enqueue(within: 1_000_000)
      _ = pool.machine.connectionFailed(dial, now: pool.now)
      #expect(pool.machine.isWaiting(waiter) == true)
      let start = Int(pool.now.nanoseconds / 1_000_000)
      pauses.append(try #require(pool.deadline) - start)
      pool.pass(pauses.last ?? 0)
      #expect(pool.fire().dials.count == 1)
    }
    #expect(pauses == [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000])
  }

  @Test("signs within a back-off do not lengthen it: a server tells all its connections at once")
  func oneBackoffForOneMoment() {
    let pool = Pool()
    for _ in 0..<8 { #expect(overload(pool).isEmpty) }
    _ = pool.enqueue()
    #expect(pool.deadline == 100)
  }

  @Test("the deadline of a request holds during the back-off, and its failure names it")
  func deadlineHolds() throws {
    let pool = Pool { $0.firstBackoff = .seconds(1) }
    _ = overload(pool)
    _ = pool.enqueue(within: 300)
    #expect(pool.deadline == 300)
    pool.pass(300)
    #expect(
      pool.fire().failures.first?.failure
        == .waitTimedOut(inUse: 0, limit: 64, bound: .backoff, position: 1, waited: .milliseconds(300)))
    // Nobody waits for its end any more.
    #expect(pool.deadline == nil)
  }

  @Test("the connection that said so drains; idle ones are leased during the back-off")
  func connections() throws {
    let pool = Pool()
    let (a, b, c) = (try pool.connect(), try pool.connect(), try pool.connect())
    _ = pool.release(b)
    _ = pool.release(c)
    #expect(overload(pool, a).isEmpty)
    #expect(Array(overload(pool, b).closes) == [b])
    #expect(pool.lease() == c)
    #expect(pool.enqueue().action.isEmpty)
    // Released streams serve the queue, too.
    #expect(pool.release(c).served.count == 1)
    #expect(Array(pool.release(a).closes) == [a])
  }

  @Test("a dial that began before the back-off goes on, and serves")
  func dialGoesOn() throws {
    let pool = Pool()
    let (waiter, action) = pool.enqueue()
    let dial = try #require(action.dials.first)
    #expect(overload(pool, dial).isEmpty)
    #expect(pool.establish(dial, streams: 10).served == [waiter])
  }

  @Test("a served stream on a connection from after the latest sign ends the back-off, and the next one is short again")
  func recovered() throws {
    let pool = Pool { $0.maximumConnections = 2 }
    let old = try pool.connect()
    for pause in [100, 200, 0] {
      _ = overload(pool)
      pool.pass(pause)
    }
    // An old connection proves nothing.
    _ = pool.release(old)
    #expect(pool.lease() == old)
    let (first, _) = pool.enqueue()
    #expect(pool.deadline == 700)
    pool.pass(400)
    let fresh = try #require(pool.fire().dials.first)
    #expect(pool.establish(fresh, streams: 1).served == [first])
    _ = overload(pool)
    #expect(pool.release(fresh).isEmpty)
    #expect(pool.lease() == fresh)
    _ = pool.release(fresh, reusable: false)
    let (second, _) = pool.enqueue()
    #expect(pool.deadline == 1_500)
    pool.pass(800)
    let fresher = try #require(pool.fire().dials.first)
    #expect(pool.establish(fresher, streams: 1).served == [second])
    _ = pool.release(fresher)
    #expect(pool.lease() == fresher)
    _ = overload(pool, fresher)
    _ = pool.release(fresher)
    _ = pool.enqueue()
    #expect(pool.deadline == 1_600)
  }

  @Test("a stream after which the connection cannot be used proves nothing")
  func notRecovered() throws {
    let pool = Pool()
    let a = try #require(pool.dial())
    _ = overload(pool)
    _ = pool.establish(a, streams: 1)
    _ = pool.enqueue()
    let action = pool.release(a, reusable: false)
    #expect(Array(action.closes) == [a])
    #expect(action.dials.isEmpty)
    #expect(pool.deadline == 100)
  }

  @Test("the proof of recovery starts the dials that were held back")
  func recoveredEarly() throws {
    let pool = Pool()
    let dial = try #require(pool.dial())
    _ = overload(pool)
    _ = pool.establish(dial, streams: 1)
    let (first, second) = (pool.enqueue(), pool.enqueue())
    #expect(first.action.isEmpty && second.action.isEmpty)
    let action = pool.release(dial)
    #expect(action.served == [first.waiter])
    #expect(action.dials.count == 1)
  }

  @Test("an event that changes nothing does not lose the end of the back-off")
  func lateEvents() throws {
    let pool = Pool()
    _ = overload(pool)
    _ = pool.enqueue()
    pool.pass(500)
    let unknown = ConnectionID(rawValue: 77)
    #expect(pool.release(unknown).isEmpty)
    #expect(pool.machine.connectionClosed(unknown, now: pool.now).isEmpty)
    #expect(pool.deadline == 100)
    #expect(pool.fire().dials.count == 1)
  }

  @Test("overload is reported in any state without harm")
  func anyState() throws {
    let pool = Pool()
    let a = try pool.connect(streams: 5)
    _ = overload(pool, a)
    _ = overload(pool, a)
    #expect(overload(pool, ConnectionID(rawValue: .max)).isEmpty)
    #expect(!pool.machine.shutDown(now: pool.now).isDrained)
    #expect(overload(pool, a).isEmpty)
    let last = pool.release(a)
    #expect(Array(last.closes) == [a])
    #expect(last.isDrained)
    #expect(overload(pool).isEmpty)
    #expect(pool.deadline == nil)
  }

  @Test(
    "any configured pause is harmless",
    arguments: [
      (Duration.zero, Duration.zero), (.seconds(-1), .seconds(5)), (.seconds(5), .seconds(-1)),
      (.seconds(Int64.max), .seconds(Int64.max)),
    ])
  func anyPause(first: Duration, longest: Duration) throws {
    let pool = Pool {
      $0.firstBackoff = first
      $0.maximumBackoff = longest
    }
    for _ in 0..<100 { _ = overload(pool) }
    let (_, action) = pool.enqueue()
    #expect(action.dials.isEmpty == (longest > .seconds(5)))
  }
}
