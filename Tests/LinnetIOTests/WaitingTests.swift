import Dispatch
import LinnetBytes
import LinnetIO
import Testing

@Suite struct OneShotTests {
  @Test("A value that comes before the waiter is kept; the first value counts")
  func early() async {
    let shot = OneShot<Int>()
    #expect(shot.fulfil(1))
    #expect(!shot.fulfil(2))
    #expect(await shot.wait { -1 } == 1)
    #expect(!shot.fulfil(3))
  }

  @Test("A cancelled waiter gets the value for that, once")
  func cancelled() async {
    for _ in 0..<100 {
      let shot = OneShot<Int>()
      let task = Task { await shot.wait { -1 } }
      task.cancel()
      #expect(await task.value == -1)
      #expect(!shot.fulfil(1))
    }
  }
}

@Suite struct BlockingPoolTests {
  @Test("Work runs on at most the given number of threads, and none is left")
  func bounded() async throws {
    let pool = BlockingPool(maximumThreads: 3)
    let running = Lock((now: 0, most: 0))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await pool.run {
            running.withLock {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            running.withLock { $0.now -= 1 }
            return number
          }
        }
      }
      var sum = 0
      for try await number in group { sum += number }
      #expect(sum == 199 * 100)
    }
    #expect(running.withLock { $0.most } <= 3)
    // A thread counts itself out a moment after its last result.
    while pool.threadCount > 0 { await Task.yield() }
  }

  @Test("Cancelling returns at once while the call blocks; work that did not begin is skipped")
  func cancellation() async throws {
    let pool = BlockingPool(maximumThreads: 1)
    let gate = DispatchSemaphore(value: 0)
    let entered = Mailbox<Void>()
    let blocked = Task {
      try await pool.run {
        entered.post(())
        gate.wait()
      }
    }
    await entered.next()
    let didRun = Lock(false)
    let queued = Task { try await pool.run { didRun.withLock { $0 = true } } }
    queued.cancel()
    blocked.cancel()
    await #expect(throws: BlockingPoolError.cancelled) { try await queued.value }
    await #expect(throws: BlockingPoolError.cancelled) { try await blocked.value }
    gate.signal()
    try await pool.run {}
    #expect(!didRun.withLock { $0 })
  }
}

@Suite struct ReadinessWaiterTests {
  private let shard = ShardGroup.shared.next()

  @Test("Readiness told before the wait is remembered, and taken by it")
  func remembered() async throws {
    let (left, right) = try Socket.pair()
    let waiter = ReadinessWaiter(shard: shard)
    let slot = try shard.register(left, receiver: waiter)
    try await waiter.waitWritable(deadline: .distantFuture)
    for round in 0..<200 {
      _ = try send(right, [UInt8(round)])
      var received = try receive(left)
      while received == nil {
        try await waiter.waitReadable(deadline: .distantFuture)
        received = try receive(left)
      }
      #expect(received == [UInt8(round)])
    }
    shard.deregister(slot)
    closeRaw(left)
    closeRaw(right)
  }

  @Test("Waiting ends with the deadline, and a later wait works")
  func deadline() async throws {
    let (left, right) = try Socket.pair()
    let waiter = ReadinessWaiter(shard: shard)
    let slot = try shard.register(left, receiver: waiter)
    let deadline = shard.now.advanced(by: .milliseconds(3))
    await #expect(throws: ReadinessWaitError.timedOut) { try await waiter.waitReadable(deadline: deadline) }
    #expect(shard.now >= deadline)
    _ = try send(right, [1])
    try await waiter.waitReadable(deadline: shard.now.advanced(by: .seconds(20)))
    shard.deregister(slot)
    closeRaw(left)
    closeRaw(right)
  }

  @Test("Cancelling ends the wait, also when it comes first")
  func cancellation() async throws {
    let (left, right) = try Socket.pair()
    let waiter = ReadinessWaiter(shard: shard)
    let slot = try shard.register(left, receiver: waiter)
    for round in 0..<50 {
      let task = Task { try await waiter.waitReadable(deadline: .distantFuture) }
      for _ in 0..<(round % 5) { await Task.yield() }
      task.cancel()
      await #expect(throws: ReadinessWaitError.cancelled) { try await task.value }
    }
    shard.deregister(slot)
    closeRaw(left)
    closeRaw(right)
  }
}

@Suite struct DeadlineTests {
  private struct Late: Error, Equatable { var cancelled = false }

  @Test("The result, the error, the deadline and cancellation each end the call")
  func endings() async throws {
    let shard = ShardGroup.shared.next()
    let value = try await withDeadline(.distantFuture, on: shard, timedOut: Late(), cancelled: Late(cancelled: true)) {
      () async throws(Late) in 7
    }
    #expect(value == 7)
    let forever = OneShot<Int>()
    let gaveUp = Mailbox<Void>()
    await #expect(throws: Late()) {
      try await withDeadline(
        shard.now.advanced(by: .milliseconds(2)), on: shard, timedOut: Late(), cancelled: Late(cancelled: true)
      ) { () async throws(Late) in
        let value = await forever.wait { -1 }
        gaveUp.post(())
        return value
      }
    }
    await gaveUp.next()
    let task = Task {
      try await withDeadline(.distantFuture, on: shard, timedOut: Late(), cancelled: Late(cancelled: true)) {
        // The call itself hears of the cancellation too, and may be the first.
        () async throws(Late) in
        guard await OneShot<Int>().wait(valueWhenCancelled: { -1 }) != -1 else { throw Late(cancelled: true) }
      }
    }
    task.cancel()
    await #expect(throws: Late(cancelled: true)) { try await task.value }
  }
}
