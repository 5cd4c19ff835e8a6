import LinnetBytes
import LinnetProtocols
import Testing

/// What is different when a connection carries many streams.
@Suite struct PoolMachineMultiplexedTests {
  typealias ConnectionID = PoolMachine.ConnectionID

  /// A connection of which every stream is leased.
  private func fill(_ pool: Pool, streams: Int) throws -> ConnectionID {
    let id = try #require(pool.dial())
    #expect(pool.establish(id, streams: streams, isMultiplexed: true).leases.count == 1)
    for _ in 1..<streams { #expect(pool.lease() == id) }
    return id
  }

  // MARK: A cold burst

  @Test("a cold burst of a thousand requests makes one dial, which serves them all")
  func coldBurst() throws {
    let pool = Pool { $0.assumeMultiplexed = true }
    let dials = (0..<1_000).compactMap { _ in pool.dial() }
    #expect(dials.count == 1)
    let action = pool.establish(dials[0], streams: 1_000)
    #expect(action.served == (0..<1_000).map { PoolMachine.WaiterID(rawValue: $0) })
    #expect(action.dials.isEmpty)
  }

  @Test("when the answer is HTTP/1, the missing dials start at once, as many as the limits allow")
  func coldBurstHTTP1() throws {
    let pool = Pool { $0.assumeMultiplexed = true }
    let dial = try #require(pool.dial())
    for _ in 0..<99 { #expect(pool.dial() == nil) }
    let action = pool.establish(dial, streams: 1)
    #expect(action.served.count == 1)
    #expect(action.dials.count == 63)
  }

  @Test("a dead host fails a cold burst after two dials, and nobody with a dial that is older than the request")
  func coldBurstDeadHost() throws {
    let pool = Pool { $0.assumeMultiplexed = true }
    let requests = (0..<1_000).map { _ in pool.enqueue() }
    let first = try #require(requests[0].action.dials.first)
    let one = pool.machine.connectionFailed(first, now: pool.now)
    #expect(one.failed == [requests[0].waiter])
    let (late, _) = pool.enqueue()
    let second = try #require(one.dials.first)
    let others = pool.machine.connectionFailed(second, now: pool.now)
    #expect(others.failed == requests[1...].map(\.waiter))
    let third = try #require(others.dials.first)
    #expect(pool.machine.connectionFailed(third, now: pool.now).failed == [late])
  }

  @Test("a failed dial fails all that wait when the only open connection allows no stream")
  func failedDialBesideStalled() throws {
    let pool = Pool()
    let a = try fill(pool, streams: 10)
    _ = pool.machine.maxStreamsChanged(a, streams: 0, now: pool.now)
    let (first, action) = pool.enqueue()
    let b = try #require(action.dials.first)
    let others = (0..<5).map { _ in pool.enqueue().waiter }
    let failed = pool.machine.connectionFailed(b, now: pool.now)
    #expect(failed.failed == [first])
    let c = try #require(failed.dials.first)
    #expect(pool.machine.connectionFailed(c, now: pool.now).failed == others)
  }

  @Test("a failed dial fails one request when an open connection takes streams")
  func failedDialBesideFull() throws {
    let pool = Pool { $0.maximumConcurrentDials = 1 }
    let a = try fill(pool, streams: 1)
    let waiters = (0..<3).map { _ in pool.enqueue() }
    let b = try #require(waiters[0].action.dials.first)
    let failed = pool.machine.connectionFailed(b, now: pool.now)
    #expect(failed.failed == [waiters[0].waiter])
    let c = try #require(failed.dials.first)
    #expect(pool.machine.connectionFailed(c, now: pool.now).failed == [waiters[1].waiter])
    #expect(pool.release(a).served == [waiters[2].waiter])
  }

  @Test("a peer that changes its mind between HTTP/2 and HTTP/1 is dialled accordingly")
  func changedMind() throws {
    let pool = Pool()
    let a = try fill(pool, streams: 100)
    let b = try #require(pool.dial())
    for _ in 0..<9 { #expect(pool.dial() == nil) }
    // Ten wait for what turns out to be HTTP/1: nine more dials.
    let answer = pool.establish(b, streams: 1)
    #expect(answer.dials.count == 9)
    let c = try #require(answer.dials.first)
    let many = pool.establish(c, streams: 100)
    #expect(many.served.count == 9)
    #expect(many.dials.isEmpty)
    #expect(pool.machine.counts.dialling == 8)
    // And what was learned last stays: a burst needs one dial.
    for id in pool.machine.connections { _ = pool.machine.connectionClosed(id, now: pool.now) }
    #expect(pool.release(a).isEmpty)
    #expect((0..<100).compactMap { _ in pool.dial() }.count == 1)
  }

  // MARK: The limit of connections

  @Test("with every stream in use further connections are dialled up to their limit; then requests queue in order")
  func limit() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 2 }
    let (a, b) = (try fill(pool, streams: 2), try fill(pool, streams: 2))
    let requests = (0..<5).map { _ in pool.enqueue() }
    #expect(requests.allSatisfy { $0.action.isEmpty })
    #expect(pool.release(b).served == [requests[0].waiter])
    #expect(pool.release(a).served == [requests[1].waiter])
    #expect(pool.machine.maxStreamsChanged(a, streams: 4, now: pool.now).served == requests[2...3].map(\.waiter))
    #expect(pool.lease() == nil)
    #expect(pool.release(b).served == [requests[4].waiter])
  }

  @Test("dials count against the limit of multiplexed connections")
  func dialsCount() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 3 }
    _ = try fill(pool, streams: 1)
    #expect((0..<5).compactMap { _ in pool.dial() }.count == 2)
  }

  @Test("a connection counts as multiplexed once its peer changes the number of streams, whatever that is")
  func becomesMultiplexed() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 1 }
    let a = try pool.connect(streams: 1)
    #expect(pool.machine.maxStreamsChanged(a, streams: 1, now: pool.now).isEmpty)
    #expect(pool.dial() == nil)
  }

  @Test("a limit of zero or less still allows one connection", arguments: [0, -1, .min])
  func leastLimit(limit: Int) throws {
    let pool = Pool { $0.maximumMultiplexedConnections = limit }
    let a = try fill(pool, streams: 2)
    #expect(pool.dial() == nil)
    _ = pool.machine.connectionClosed(a, now: pool.now)
    #expect(pool.machine.counts.dialling == 1)
  }

  @Test("HTTP/1 connections are bound by the limit of all connections only")
  func limitHTTP1() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 1 }
    for _ in 0..<10 { _ = try pool.connect() }
  }

  @Test("draining connections do not count against the limit of multiplexed ones, but against that of all")
  func drainingCounts() throws {
    let pool = Pool {
      $0.maximumConnections = 2
      $0.maximumMultiplexedConnections = 1
    }
    let a = try fill(pool, streams: 2)
    let (first, queued) = pool.enqueue()
    #expect(queued.isEmpty)
    let b = try #require(pool.machine.connectionWillClose(a).dials.first)
    #expect(pool.establish(b, streams: 2).served == [first])
    #expect(pool.lease() == b)
    let (second, _) = pool.enqueue()
    // Both places are taken, by two draining connections.
    #expect(pool.machine.connectionWillClose(b).isEmpty)
    _ = pool.release(a)
    let last = pool.release(a)
    #expect(Array(last.closes) == [a])
    let c = try #require(last.dials.first)
    #expect(pool.establish(c, streams: 2).served == [second])
  }

  @Test("user report H2-11: one stream for each connection; a time-out in the queue names the limit of HTTP/2")
  func h211() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 2 }
    let ids = [try fill(pool, streams: 1), try fill(pool, streams: 1)]
    let waiting = [pool.enqueue(within: 300).waiter, pool.enqueue(within: 400).waiter, pool.enqueue().waiter]
    pool.pass(300)
    let failures = Array(pool.fire().failures)
    #expect(failures.map(\.waiter) == [waiting[0]])
    #expect(
      failures.map(\.failure) == [
        .waitTimedOut(inUse: 2, limit: 2, bound: .multiplexedConnections, position: 1, waited: .milliseconds(300))
      ])
    #expect(pool.release(ids[0]).served == [waiting[1]])
    #expect(pool.release(ids[1]).served == [waiting[2]])
  }

  @Test("a time-out names the limit of all connections when draining ones take every place")
  func drainingBound() throws {
    let pool = Pool {
      $0.maximumConnections = 2
      $0.maximumMultiplexedConnections = 1
    }
    let a = try fill(pool, streams: 1)
    _ = pool.machine.connectionWillClose(a)
    _ = try fill(pool, streams: 1)
    _ = pool.enqueue(within: 300)
    pool.pass(300)
    #expect(
      pool.fire().failures.first?.failure
        == .waitTimedOut(inUse: 2, limit: 2, bound: .connections, position: 1, waited: .milliseconds(300)))
  }

  @Test(
    "requests beyond the maximum number of waiters are refused when the limit of multiplexed connections is reached")
  func queueFull() throws {
    let pool = Pool {
      $0.maximumMultiplexedConnections = 1
      $0.maximumWaiters = 1
    }
    _ = try fill(pool, streams: 3)
    #expect(pool.enqueue().action.isEmpty)
    #expect(pool.enqueue().action.failures.first?.failure == .queueFull)
  }

  // MARK: Peers that allow no stream

  @Test("a connection whose peer allows no stream blocks nobody: another is dialled, and it expires by idle time")
  func stalled() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 1 }
    let (waiter, action) = pool.enqueue()
    let a = try #require(action.dials.first)
    let stalled = pool.establish(a, streams: 0)
    #expect(stalled.served.isEmpty)
    pool.pass(1_000)
    let b = try #require(stalled.dials.first)
    #expect(pool.establish(b, streams: 10).served == [waiter])
    #expect(pool.lease() == b)
    #expect(pool.deadline == 90_000)
    pool.pass(89_000)
    #expect(Array(pool.fire().closes) == [a])
    #expect(pool.deadline == nil)
  }

  @Test("a peer that allows no stream anywhere is dialled once more than the limit, and again when one has expired")
  func stalledEverywhere() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 2 }
    _ = pool.enqueue(within: 1_000_000)
    var ids: [ConnectionID] = []
    while let id = pool.machine.connections.first(where: { !ids.contains($0) }) {
      pool.pass(1)
      ids.append(id)
      _ = pool.establish(id, streams: 0)
    }
    #expect(ids.count == 3)
    #expect(pool.deadline == 90_001)
    pool.pass(89_998)
    let action = pool.fire()
    #expect(Array(action.closes) == [ids[0]])
    #expect(action.dials.count == 1)
  }

  @Test("with room for one connection, one that allows no stream is replaced when it has expired")
  func stalledAlone() throws {
    let pool = Pool { $0.maximumConnections = 1 }
    let (waiter, action) = pool.enqueue(within: 100_000)
    #expect(pool.establish(try #require(action.dials.first), streams: 0).isEmpty)
    #expect(pool.deadline == 90_000)
    pool.pass(90_000)
    let b = try #require(pool.fire().dials.first)
    #expect(pool.establish(b, streams: 1).served == [waiter])
  }

  @Test("no idle connections allowed: one that allows no stream is not closed to be dialled again")
  func stalledWithoutIdle() throws {
    let pool = Pool {
      $0.maximumIdleConnections = 0
      $0.maximumConnections = 1
    }
    let (waiter, action) = pool.enqueue()
    let a = try #require(action.dials.first)
    #expect(pool.establish(a, streams: 0).isEmpty)
    #expect(pool.machine.maxStreamsChanged(a, streams: 1, now: pool.now).served == [waiter])
    #expect(Array(pool.release(a).closes) == [a])
  }

  @Test("a peer that stops new streams, and allows them again, serves the queue then")
  func stalledForAWhile() throws {
    let pool = Pool { $0.maximumConnections = 1 }
    let a = try fill(pool, streams: 2)
    let waiters = [pool.enqueue().waiter, pool.enqueue().waiter]
    #expect(pool.machine.maxStreamsChanged(a, streams: 0, now: pool.now).isEmpty)
    #expect(pool.release(a).isEmpty)
    #expect(pool.machine.maxStreamsChanged(a, streams: 3, now: pool.now).served == waiters)
  }

  // MARK: Idle and old connections

  @Test("user report H2-12: a connection is idle from its last stream on, and closes after the idle time")
  func h212() throws {
    let pool = Pool { $0.idleTime = .milliseconds(500) }
    let a = try fill(pool, streams: 3)
    #expect(pool.deadline == nil)
    pool.pass(10_000)
    for _ in 0..<2 { #expect(pool.release(a).isEmpty) }
    #expect(pool.deadline == nil)
    pool.pass(1_000)
    #expect(pool.release(a).isEmpty)
    #expect(pool.deadline == 11_500)
    pool.pass(500)
    #expect(Array(pool.fire().closes) == [a])
  }

  @Test("a connection that is too old takes no new stream, is replaced for waiters, and closes with its last stream")
  func age() throws {
    let pool = Pool {
      $0.maximumAge = .milliseconds(1_000)
      $0.maximumMultiplexedConnections = 1
    }
    let a = try fill(pool, streams: 2)
    let (waiter, _) = pool.enqueue()
    #expect(pool.deadline == 1_000)
    pool.pass(1_000)
    let action = pool.fire()
    #expect(action.closes.isEmpty)
    let b = try #require(action.dials.first)
    #expect(pool.release(a).isEmpty)
    #expect(pool.establish(b, streams: 2).served == [waiter])
    #expect(Array(pool.release(a).closes) == [a])
    #expect(pool.lease() == b)
  }

  @Test("new streams go to one connection while it has free ones, so that the others go idle")
  func concentrated() throws {
    let pool = Pool { $0.idleTime = .milliseconds(1_000) }
    let ids = [try fill(pool, streams: 4), try fill(pool, streams: 4), try fill(pool, streams: 4)]
    // The peak is over: each stream but one of each ends. New requests come, never more than two at once.
    for id in ids { for _ in 0..<3 { #expect(pool.release(id).isEmpty) } }
    let preferred = try #require(pool.lease())
    for id in ids where id != preferred { #expect(pool.release(id).isEmpty) }
    for _ in 0..<10 {
      pool.pass(50)
      #expect(pool.lease() == preferred)
      #expect(pool.release(preferred).isEmpty)
    }
    pool.pass(500)
    #expect(Set(pool.fire().closes) == Set(ids).subtracting([preferred]))
  }

  @Test("the connection that was full most recently is filled first")
  func fullest() throws {
    let pool = Pool()
    let (a, b) = (try fill(pool, streams: 4), try fill(pool, streams: 4))
    for _ in 0..<3 { _ = pool.release(b) }
    _ = pool.release(a)
    #expect(pool.lease() == a)
    // Full again, so it is the other one's turn.
    #expect(pool.lease() == b)
    _ = pool.release(a)
    #expect(pool.lease() == a)
  }

  // MARK: Suspects

  @Test("user report H2-07: nobody waits for a suspect connection; requests get a new dial at once")
  func h207() throws {
    let pool = Pool { $0.maximumMultiplexedConnections = 1 }
    let a = try fill(pool, streams: 1)
    let waiters = [pool.enqueue().waiter, pool.enqueue().waiter]
    let suspected = pool.machine.connectionWillClose(a)
    #expect(suspected.closes.isEmpty)
    #expect(suspected.dials.count == 1)
    #expect(pool.machine.connectionWillClose(a).isEmpty)
    let b = try #require(suspected.dials.first)
    #expect(pool.establish(b, streams: 2).served == waiters)
    // The owner gives up on the dead one.
    #expect(pool.machine.connectionClosed(a, now: pool.now).isEmpty)
    #expect(pool.release(a).isEmpty)
  }

  @Test("a request after the suspicion dials, too, though the suspect connection has free streams")
  func suspectWithFreeStreams() throws {
    let pool = Pool()
    let a = try pool.connect(streams: 100)
    #expect(pool.machine.connectionWillClose(a).isEmpty)
    #expect(pool.lease() == nil)
    #expect(pool.enqueue().action.dials.count == 1)
  }

  // MARK: Late events

  @Test("more releases than leases are harmless")
  func overReleased() throws {
    let pool = Pool()
    let a = try fill(pool, streams: 2)
    for _ in 0..<5 { #expect(pool.release(a).isEmpty) }
    #expect(pool.release(a, reusable: false).isEmpty)
    #expect(pool.machine.counts.leasedStreams == 0)
    for _ in 0..<2 { #expect(pool.lease() == a) }
    #expect(pool.lease() == nil)
    #expect(pool.machine.connectionWillClose(a).isEmpty)
    #expect(pool.release(a).isEmpty)
    #expect(Array(pool.release(a).closes) == [a])
    for _ in 0..<3 { #expect(pool.release(a).isEmpty) }
    #expect(pool.machine.counts == PoolMachine.Counts())
  }

  @Test("numbers of streams out of any range are harmless", arguments: [.min, -1, 0, 1, .max])
  func anyNumber(streams: Int) throws {
    let pool = Pool()
    let a = try #require(pool.dial())
    let served = pool.establish(a, streams: streams).served.count
    #expect(served == (streams > 0 ? 1 : 0))
    for _ in 0..<3 { _ = pool.enqueue() }
    _ = pool.machine.maxStreamsChanged(a, streams: .max, now: pool.now)
    #expect(pool.machine.counts.leasedStreams == 4)
    _ = pool.machine.maxStreamsChanged(a, streams: .min, now: pool.now)
    #expect(pool.lease() == nil)
    #expect(pool.machine.counts.waiting == 0)
  }
}
