import LinnetBytes
import LinnetProtocols
import LinnetTestRandom
import Testing

@Suite struct PoolMachineTests {
  // MARK: Leasing

  @Test("the idle connection that was used last is leased first")
  func mostRecentlyUsed() throws {
    let pool = Pool()
    let (a, b) = (try pool.connect(), try pool.connect())
    #expect(pool.release(a).isEmpty)
    #expect(pool.release(b).isEmpty)
    #expect(pool.machine.leaseIdle(now: pool.now) == b)
    #expect(pool.machine.leaseIdle(now: pool.now) == a)
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
  }

  @Test("a connection that idled too long is not leased, and closes at its deadline or with the next request")
  func idleTime() throws {
    let pool = Pool { $0.idleTime = .seconds(90) }
    let a = try pool.connect()
    pool.pass(1_000)
    _ = pool.release(a)
    #expect(pool.machine.nextDeadline == Instant(nanoseconds: 91_000_000_000))
    pool.pass(89_999)
    #expect(pool.machine.timerFired(now: pool.now).isEmpty)
    pool.pass(1)
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
    let action = pool.enqueue().action
    #expect(Array(action.closes) == [a])
    #expect(action.dials.count == 1)
  }

  @Test("a connection that is too old takes no new request, even when it is in use all the time")
  func maximumAge() throws {
    let pool = Pool { $0.maximumAge = .seconds(10) }
    let (a, b) = (try pool.connect(), try pool.connect())
    pool.pass(9_000)
    _ = pool.release(b)
    pool.pass(1_000)
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
    #expect(Array(pool.machine.timerFired(now: pool.now).closes) == [b])
    #expect(Array(pool.release(a).closes) == [a])
  }

  @Test("a connection that is not reusable closes when it is released")
  func notReusable() throws {
    let pool = Pool()
    let a = try pool.connect()
    #expect(Array(pool.release(a, reusable: false).closes) == [a])
    #expect(pool.machine.counts == PoolMachine.Counts())
  }

  @Test("idle connections beyond their limit close, the longest idle one first")
  func maximumIdle() throws {
    let pool = Pool { $0.maximumIdleConnections = 2 }
    let ids = [try pool.connect(), try pool.connect(), try pool.connect()]
    #expect(pool.release(ids[0]).isEmpty)
    #expect(pool.release(ids[1]).isEmpty)
    #expect(Array(pool.release(ids[2]).closes) == [ids[0]])
  }

  // MARK: Queue and dials

  @Test("each waiting request starts a dial, up to the number of connections or of dials", arguments: [(3, 9), (9, 3)])
  func oneDialEach(connections: Int, dials: Int) {
    let pool = Pool {
      $0.maximumConnections = connections
      $0.maximumConcurrentDials = dials
    }
    var begun: [PoolMachine.ConnectionID] = []
    for _ in 0..<5 { begun += Array(pool.enqueue().action.dials) }
    #expect(begun.count == 3)
    let action = pool.machine.connectionEstablished(begun[2], streams: 1, now: pool.now)
    #expect(action.dials.count == (connections == 9 ? 1 : 0))
  }

  @Test("the oldest waiter takes whichever connection is ready first; a new connection that nobody wants goes idle")
  func lateBinding() throws {
    let pool = Pool()
    let a = try pool.connect()
    let (first, queued) = pool.enqueue()
    let b = try #require(queued.dials.first)
    #expect(pool.release(a).served == [first])
    #expect(pool.machine.connectionEstablished(b, streams: 1, now: pool.now).isEmpty)
    #expect(pool.machine.counts.idle == 1)
    #expect(pool.machine.leaseIdle(now: pool.now) == b)
  }

  @Test("waiters are served in the order in which they came, and nobody overtakes them")
  func firstComeFirstServed() throws {
    let pool = Pool { $0.maximumConnections = 1 }
    let a = try pool.connect()
    let waiters = (0..<5).map { _ in pool.enqueue().waiter }
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
    for waiter in waiters {
      #expect(pool.release(a).served == [waiter])
      #expect(pool.machine.leaseIdle(now: pool.now) == nil)
    }
  }

  @Test("a request shares a dial that began a moment ago, but not an old one")
  func sharedDial() throws {
    let pool = Pool()
    let (gone, _) = pool.enqueue()
    _ = pool.machine.waiterCancelled(gone, now: pool.now)
    pool.pass(250)
    let (second, action) = pool.enqueue()
    #expect(action.dials.isEmpty)
    _ = pool.machine.waiterCancelled(second, now: pool.now)
    pool.pass(1)
    #expect(pool.enqueue().action.dials.count == 1)
  }

  @Test("a request beyond the maximum number of waiters is refused at once")
  func queueFull() throws {
    let pool = Pool {
      $0.maximumConnections = 1
      $0.maximumWaiters = 2
    }
    // The first is served by its dial, and two wait for it.
    for _ in 0..<3 { #expect(pool.enqueue().action.failures.isEmpty) }
    let action = pool.enqueue().action
    #expect(action.failures.first?.failure == .queueFull)
    #expect(action.dials.isEmpty)
  }

  @Test("with no waiters allowed a request gets a connection or is refused")
  func noQueue() throws {
    let pool = Pool {
      $0.maximumConnections = 2
      $0.maximumWaiters = 0
    }
    for _ in 0..<2 { #expect(pool.enqueue().action.dials.count == 1) }
    #expect(pool.enqueue().action.failures.first?.failure == .queueFull)
  }

  @Test("a request whose deadline has passed fails without a dial, but takes an idle connection")
  func lateRequest() throws {
    let pool = Pool()
    #expect(
      pool.enqueue(within: 0).action.failures.first?.failure
        == .waitTimedOut(inUse: 0, limit: 64, position: 1, waited: .zero))
    #expect(pool.machine.counts == PoolMachine.Counts())
    let a = try pool.connect()
    _ = pool.release(a)
    #expect(pool.enqueue(within: 0).action.leases.first?.connection == a)
  }

  @Test("a connection that closes makes room for the dial of a waiter")
  func closedMakesRoom() throws {
    let pool = Pool { $0.maximumConnections = 1 }
    let a = try pool.connect()
    #expect(pool.dial() == nil)
    #expect(pool.machine.connectionClosed(a, now: pool.now).dials.count == 1)
    #expect(pool.release(a).isEmpty)
  }

  @Test("user report POOL-08: a time-out in the queue tells what is in use, the limit, the place and the time")
  func pool08() throws {
    let pool = Pool { $0.maximumConnections = 2 }
    _ = (try pool.connect(), try pool.connect())
    let (third, _) = pool.enqueue(within: 300)
    let (fourth, _) = pool.enqueue(within: 300)
    #expect(pool.machine.nextDeadline == Instant(nanoseconds: 300_000_000))
    pool.pass(300)
    let failures = Array(pool.machine.timerFired(now: pool.now).failures)
    #expect(failures.map(\.waiter) == [third, fourth])
    #expect(
      failures.map(\.failure) == [
        .waitTimedOut(inUse: 2, limit: 2, position: 1, waited: .milliseconds(300)),
        .waitTimedOut(inUse: 2, limit: 2, position: 2, waited: .milliseconds(300)),
      ])
    #expect(pool.machine.counts.waiting == 0)
  }

  @Test("a time-out while the dial is slow says so: fewer connections in use than allowed")
  func slowDial() throws {
    let pool = Pool { $0.maximumConnections = 2 }
    _ = pool.enqueue(within: 300)
    pool.pass(300)
    #expect(
      pool.machine.timerFired(now: pool.now).failures.first?.failure
        == .waitTimedOut(inUse: 0, limit: 2, position: 1, waited: .milliseconds(300)))
  }

  @Test("user report TIME-01: a request that a dial is under way for outlives the time for waiting in line")
  func dialOutlivesWait() throws {
    let pool = Pool { $0.maximumConnections = 1 }
    let later = Instant(nanoseconds: 900_000_000)
    func wait(_ number: UInt64, until dialDeadline: Instant) -> PoolMachine.WaiterID {
      let waiter = PoolMachine.WaiterID(rawValue: 1000 + number)
      _ = pool.machine.enqueue(
        waiter, deadline: pool.now.advanced(by: .milliseconds(300)), dialDeadline: dialDeadline, now: pool.now)
      return waiter
    }
    let (first, second) = (wait(1, until: later), wait(2, until: later))
    pool.pass(300)
    // One dial is for the first; the second only stands behind it.
    #expect(Array(pool.machine.timerFired(now: pool.now).failures).map(\.waiter) == [second])
    let isWaiting = pool.machine.isWaiting(first)
    #expect(isWaiting)
    #expect(pool.machine.nextDeadline == later)
    pool.pass(600)
    #expect(Array(pool.machine.timerFired(now: pool.now).failures).map(\.waiter) == [first])
    #expect(pool.machine.nextDeadline == nil)
  }

  @Test("user report POOL-04: cancelled requests leak no places, whatever stage they were in")
  func pool04() throws {
    let pool = Pool { $0.maximumConnections = 10 }
    var random = SeededGenerator(seed: 4)
    var waiting: [PoolMachine.WaiterID] = []
    var dials: [PoolMachine.ConnectionID] = []
    var leased: [PoolMachine.ConnectionID] = []
    func perform(_ action: PoolMachine.Action) {
      dials += Array(action.dials)
      dials.removeAll { Array(action.closes).contains($0) }
      for (waiter, connection) in action.leases {
        waiting.removeAll { $0 == waiter }
        leased.append(connection)
      }
    }
    for _ in 0..<5_000 {
      pool.pass(Int(random.below(3)))
      switch random.below(4) {
      case 0 where waiting.count + leased.count < 20:
        let (waiter, action) = pool.enqueue()
        waiting.append(waiter)
        perform(action)
      case 1 where !dials.isEmpty:
        let id = dials.removeFirst()
        perform(pool.machine.connectionEstablished(id, streams: 1, now: pool.now))
      case 2 where !leased.isEmpty:
        // Cancelled while sending or reading: the connection cannot be used again.
        perform(pool.release(leased.removeFirst(), reusable: random.chance(30)))
      default:
        // Cancelled while queued or connecting.
        guard let waiter = waiting.randomElement(using: &random) else { continue }
        waiting.removeAll { $0 == waiter }
        perform(pool.machine.waiterCancelled(waiter, now: pool.now))
      }
    }
    while let waiter = waiting.popLast() { perform(pool.machine.waiterCancelled(waiter, now: pool.now)) }
    while let id = leased.popLast() { perform(pool.release(id, reusable: false)) }
    while let id = dials.popLast() {
      perform(pool.machine.connectionEstablished(id, streams: 1, now: pool.now))
    }
    let counts = pool.machine.counts
    #expect(counts.inUse == 0 && counts.waiting == 0 && counts.dialling == 0 && counts.leasedStreams == 0)
    #expect(counts.idle <= 10)
    let (last, action) = pool.enqueue()
    if action.leases.isEmpty {
      let dial = try #require(action.dials.first)
      #expect(pool.machine.connectionEstablished(dial, streams: 1, now: pool.now).served == [last])
    }
  }

  // MARK: Failed dials

  @Test("a failed dial fails the one request it was begun for")
  func failedDial() throws {
    let pool = Pool()
    let (waiter, action) = pool.enqueue()
    let dial = try #require(action.dials.first)
    let failed = pool.machine.connectionFailed(dial, now: pool.now)
    #expect(failed.failed == [waiter])
    #expect(failed.failures.first?.failure == .connectFailed(dial))
    #expect(failed.dials.isEmpty)
  }

  @Test("a failed dial that nobody needs any more fails nobody")
  func surplusDial() throws {
    let pool = Pool()
    let a = try pool.connect()
    let b = try #require(pool.dial())
    _ = pool.release(a)
    #expect(pool.machine.connectionFailed(b, now: pool.now).isEmpty)
  }

  @Test("a request does not fail with a dial that began before it; it gets its own")
  func olderDial() throws {
    let pool = Pool()
    let (gone, action) = pool.enqueue()
    let old = try #require(action.dials.first)
    _ = pool.machine.waiterCancelled(gone, now: pool.now)
    let (waiter, shared) = pool.enqueue()
    #expect(shared.dials.isEmpty)
    let replaced = pool.machine.connectionFailed(old, now: pool.now)
    #expect(replaced.failures.isEmpty)
    let own = try #require(replaced.dials.first)
    #expect(pool.machine.connectionFailed(own, now: pool.now).failed == [waiter])
  }

  @Test("while another connection is open, a failed dial fails one waiter, and a new dial starts for the rest")
  func failedDialWithOpenConnection() throws {
    let pool = Pool { $0.maximumConnections = 2 }
    let a = try pool.connect()
    let first = pool.enqueue()
    let others = [pool.enqueue().waiter, pool.enqueue().waiter]
    let failed = pool.machine.connectionFailed(try #require(first.action.dials.first), now: pool.now)
    #expect(failed.failed == [first.waiter])
    let second = try #require(failed.dials.first)
    #expect(pool.machine.connectionFailed(second, now: pool.now).failed == [others[0]])
    #expect(pool.release(a).served == [others[1]])
  }

  @Test("a thousand requests for a dead host fail after two rounds of dials", arguments: [1, 8, 64])
  func deadHost(limit: Int) throws {
    let pool = Pool { $0.maximumConnections = limit }
    var dials: [PoolMachine.ConnectionID] = []
    var waiters: [PoolMachine.WaiterID] = []
    for _ in 0..<1_000 {
      let (waiter, action) = pool.enqueue()
      waiters.append(waiter)
      dials += Array(action.dials)
    }
    var begun = dials.count
    var failed: [PoolMachine.WaiterID] = []
    while !dials.isEmpty {
      let action = pool.machine.connectionFailed(dials.removeFirst(), now: pool.now)
      begun += action.dials.count
      dials += Array(action.dials)
      failed += action.failed
    }
    #expect(failed == waiters)
    #expect(begun == 2 * limit)
    #expect(pool.machine.counts == PoolMachine.Counts())
  }

  // MARK: Many streams

  @Test("a connection with n streams serves n requests, and is preferred to idle ones while it has free streams")
  func multiplexed() throws {
    let pool = Pool()
    let a = try #require(pool.dial())
    let others = [pool.enqueue(), pool.enqueue(), pool.enqueue()]
    let action = pool.machine.connectionEstablished(a, streams: 3, now: pool.now)
    #expect(action.leases.count == 3)
    #expect(pool.machine.counts.waiting == 1)
    #expect(pool.release(a).served == [others[2].waiter])
    // The dials of the burst end idle; a free stream of the busy connection goes first.
    let b = try #require(others[0].action.dials.first)
    _ = pool.machine.connectionEstablished(b, streams: 3, now: pool.now)
    _ = pool.release(a)
    #expect(pool.machine.leaseIdle(now: pool.now) == a)
    #expect(pool.machine.leaseIdle(now: pool.now) == b)
  }

  @Test("a cold burst makes one dial when many streams are assumed, and more once the answer is HTTP/1")
  func assumeMultiplexed() throws {
    let pool = Pool { $0.assumeMultiplexed = true }
    let a = try #require(pool.dial())
    for _ in 0..<9 { #expect(pool.dial() == nil) }
    #expect(pool.machine.connectionEstablished(a, streams: 1, now: pool.now).dials.count == 9)
  }

  @Test("an origin that turned out to have many streams gets one dial for a burst")
  func learnedStreams() throws {
    let pool = Pool()
    let a = try pool.connect(streams: 100)
    _ = pool.machine.connectionClosed(a, now: pool.now)
    var dials = 0
    for _ in 0..<150 { dials += pool.enqueue().action.dials.count }
    #expect(dials == 2)
  }

  @Test("GOAWAY: leased streams go on, no new ones start, and the last release closes")
  func goingAway() throws {
    let pool = Pool()
    let a = try pool.connect(streams: 10)
    #expect(pool.machine.leaseIdle(now: pool.now) == a)
    #expect(pool.machine.connectionWillClose(a).isEmpty)
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
    #expect(pool.release(a).isEmpty)
    #expect(Array(pool.release(a).closes) == [a])
  }

  @Test("GOAWAY on an idle connection closes it at once")
  func goingAwayIdle() throws {
    let pool = Pool()
    let a = try pool.connect()
    _ = pool.release(a)
    #expect(Array(pool.machine.connectionWillClose(a).closes) == [a])
  }

  @Test("more streams serve waiters; fewer streams end nothing; zero stops new requests")
  func streamsChanged() throws {
    let pool = Pool { $0.maximumConnections = 1 }
    let a = try pool.connect(streams: 1)
    let waiters = [pool.enqueue().waiter, pool.enqueue().waiter, pool.enqueue().waiter]
    #expect(pool.machine.maxStreamsChanged(a, streams: 3, now: pool.now).served == Array(waiters[0...1]))
    #expect(pool.machine.maxStreamsChanged(a, streams: 0, now: pool.now).isEmpty)
    for _ in 0..<3 { #expect(pool.release(a).isEmpty) }
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
    #expect(pool.machine.maxStreamsChanged(a, streams: 1, now: pool.now).served == [waiters[2]])
  }

  // MARK: Late events and the end

  @Test("late and unknown ids change nothing; a connection established too late is closed")
  func unknownIDs() throws {
    let pool = Pool()
    let a = try pool.connect()
    _ = pool.release(a, reusable: false)
    for id in [a, PoolMachine.ConnectionID(rawValue: .max), PoolMachine.ConnectionID(rawValue: 99)] {
      #expect(pool.release(id).isEmpty)
      #expect(pool.machine.connectionFailed(id, now: pool.now).isEmpty)
      #expect(pool.machine.connectionClosed(id, now: pool.now).isEmpty)
      #expect(pool.machine.connectionWillClose(id).isEmpty)
      #expect(pool.machine.maxStreamsChanged(id, streams: 5, now: pool.now).isEmpty)
      #expect(Array(pool.machine.connectionEstablished(id, streams: 1, now: pool.now).closes) == [id])
    }
    let unknown = PoolMachine.WaiterID(rawValue: 12_345)
    #expect(pool.machine.waiterCancelled(unknown, now: pool.now).isEmpty)
    #expect(pool.machine.counts == PoolMachine.Counts())
  }

  @Test("a stream that is released twice does not make an idle connection busy")
  func doubleRelease() throws {
    let pool = Pool()
    let a = try pool.connect()
    _ = pool.release(a)
    #expect(pool.release(a, reusable: false).isEmpty)
    #expect(pool.machine.leaseIdle(now: pool.now) == a)
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
  }

  @Test("shutdown fails waiters, closes idle connections and dials, and is drained with the last release")
  func shutDown() throws {
    let pool = Pool { $0.maximumConnections = 3 }
    let (a, b) = (try pool.connect(), try pool.connect())
    _ = pool.release(b)
    #expect(pool.machine.leaseIdle(now: pool.now) == b)
    let (waiter, queued) = pool.enqueue()
    let dial = try #require(queued.dials.first)
    let (second, _) = pool.enqueue()
    let action = pool.machine.shutDown(now: pool.now)
    #expect(action.failed == [waiter, second])
    #expect(action.failures.allSatisfy { $0.failure == .shutDown })
    #expect(Array(action.closes) == [dial])
    #expect(!action.isDrained)
    #expect(pool.machine.shutDown(now: pool.now).isEmpty)
    #expect(pool.enqueue().action.failures.first?.failure == .shutDown)
    #expect(pool.machine.leaseIdle(now: pool.now) == nil)
    #expect(!pool.release(a).isDrained)
    let last = pool.release(b)
    #expect(Array(last.closes) == [b])
    #expect(last.isDrained)
    #expect(pool.machine.shutDown(now: pool.now).isDrained)
    #expect(pool.machine.nextDeadline == nil)
  }

  @Test("an unused pool is drained at once, and one whose leased connection breaks is drained then")
  func drainedWithoutRelease() throws {
    let unused = Pool()
    #expect(unused.machine.shutDown(now: unused.now).isDrained)
    let pool = Pool()
    let a = try pool.connect()
    #expect(!pool.machine.shutDown(now: pool.now).isDrained)
    #expect(pool.machine.connectionClosed(a, now: pool.now).isDrained)
    #expect(pool.release(a).isEmpty)
  }
}
