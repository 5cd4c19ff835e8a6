import Dispatch
import Glibc
import LinnetBytes
import LinnetIO
import Synchronization
import Testing

private actor Counter {
  let shard: IOShard
  private var values: [Int] = []
  nonisolated var unownedExecutor: UnownedSerialExecutor { shard.asUnownedSerialExecutor() }

  init(_ shard: IOShard) { self.shard = shard }

  func add(_ value: Int) { values.append(value) }
  func all() -> [Int] { values }
  func isOnShard() -> Bool { shard.isCurrent }
  nonisolated func checkFromShard() -> Int { assumeIsolated { $0.values.count } }
}

@Suite struct IOShardTests {
  private let shard = ShardGroup.shared.next()

  @Test("An actor on a shard runs there, and its jobs keep the order of one caller")
  func executorOrder() async {
    let counter = Counter(shard)
    #expect(await counter.isOnShard())
    #expect(!shard.isCurrent)
    for value in 0..<1000 { await counter.add(value) }
    #expect(await counter.all() == Array(0..<1000))
  }

  @Test("A task that prefers the shard runs there, also after calls to an actor on it")
  func taskPreference() async {
    let counter = Counter(shard)
    await withTaskExecutorPreference(shard) {
      for value in 0..<100 { await counter.add(value) }
      await Task.yield()
    }
    #expect(await counter.all().count == 100)
    let wasThere = await Task(executorPreference: shard) { shard.isCurrent }.value
    #expect(wasThere)
  }

  @Test("A readiness call counts as isolated to the actors of the shard")
  func assumedIsolation() async throws {
    let counter = Counter(shard)
    await counter.add(1)
    let counts = Mailbox<Int>()
    let (left, right) = try Socket.pair()
    let slot = try shard.register(left, receiver: ReadinessRecorder { _ in counts.post(counter.checkFromShard()) })
    #expect(await counts.next() == 1)
    shard.deregister(slot)
    closeRaw(left)
    closeRaw(right)
  }

  @Test("Readiness is told once for the present state and once for each new edge")
  func edges() async throws {
    let (left, right) = try Socket.pair()
    let recorder = ReadinessRecorder()
    let slot = try shard.register(left, receiver: recorder)
    #expect(await recorder.mailbox.next() == .writable)
    _ = try send(right, [1])
    #expect(await recorder.mailbox.next().contains(.readable))
    _ = try send(right, [2])
    #expect(await recorder.mailbox.next().contains(.readable))
    #expect(try receive(left) == [1, 2])
    closeRaw(right)
    await recorder.wait(for: [.readable, .peerClosed])
    #expect(try receive(left) == [])
    shard.deregister(slot)
    closeRaw(left)
  }

  @Test("A half-close of the peer is told as readable and peerClosed")
  func halfClose() async throws {
    let (left, right) = try Socket.pair()
    let recorder = ReadinessRecorder()
    let slot = try shard.register(left, receiver: recorder)
    try Syscalls.shutdownWrite(right)
    await recorder.wait(for: [.readable, .peerClosed])
    shard.deregister(slot)
    closeRaw(left)
    closeRaw(right)
  }

  @Test("After replaceReceiver only the new receiver is told")
  func replacedReceiver() async throws {
    let (left, right) = try Socket.pair()
    let first = ReadinessRecorder()
    let second = ReadinessRecorder()
    let slot = try shard.register(left, receiver: first)
    _ = await first.mailbox.next()
    shard.replaceReceiver(of: slot, with: second)
    _ = try send(right, [1])
    #expect(await second.mailbox.next().contains(.readable))
    #expect(first.mailbox.pending.isEmpty)
    shard.deregister(slot)
    closeRaw(left)
    closeRaw(right)
  }

  @Test("An event of a freed slot does not reach the descriptor that took its slot")
  func recycledDescriptor() async throws {
    let shard = IOShard(label: "test.generation")
    let (gateLeft, gateRight) = try Socket.pair()
    let (firstLeft, firstRight) = try Socket.pair()
    let (staleLeft, staleRight) = try Socket.pair()
    let entered = Mailbox<Void>()
    let release = DispatchSemaphore(value: 0)
    let gate = ReadinessRecorder { readiness in
      guard readiness.contains(.readable) else { return }
      entered.post(())
      release.wait()
    }
    let stale = ReadinessRecorder()
    let fresh = ReadinessRecorder()
    let staleSlot = Lock<Slot?>(nil)
    let freshSlot = Lock<Slot?>(nil)
    let freshPair = Lock<[CInt]>([])
    // Comes first in the batch, and recycles the slot whose event is next.
    let first = ReadinessRecorder { readiness in
      guard readiness.contains(.readable), let slot = staleSlot.withLock({ $0.take() }) else { return }
      shard.deregister(slot)
      closeRaw(staleLeft)
      guard let pair = try? Socket.pair() else { return }
      // The number is taken again as well, unless another thread was faster.
      var renewed = try? shard.register(pair.0, receiver: fresh)
      freshPair.withLock { $0 = [pair.0, pair.1] }
      freshSlot.withLock { $0 = renewed.take() }
    }
    let gateSlot = try shard.register(gateLeft, receiver: gate)
    let firstSlot = try shard.register(firstLeft, receiver: first)
    var registered: Slot? = try shard.register(staleLeft, receiver: stale)
    staleSlot.withLock { $0 = registered.take() }
    for recorder in [gate, first, stale] { _ = await recorder.mailbox.next() }

    _ = try send(gateRight, [1])
    await entered.next()
    _ = try send(firstRight, [1])
    _ = try send(staleRight, [1])
    release.signal()

    #expect(await fresh.mailbox.next() == .writable)
    #expect(stale.mailbox.pending.isEmpty)
    shard.deregister(gateSlot)
    shard.deregister(firstSlot)
    await shard.shutDown()
    for fd in [gateLeft, gateRight, firstLeft, firstRight, staleRight] + freshPair.withLock({ $0 }) { closeRaw(fd) }
  }

  @Test("A descriptor that cannot be polled is refused with a typed error and leaves no slot")
  func refusedRegistration() throws {
    let path = temporaryPath("file")
    let file = try FileIO.create(path)
    defer { try? FileIO.remove(path) }
    #expect(throws: SystemError(number: EPERM, call: "epoll_ctl")) {
      let slot = try shard.register(file.raw, receiver: ReadinessRecorder())
      shard.deregister(slot)
    }
  }

  @Test("Work from other threads wakes an idle shard, a lingering one and one that runs")
  func wakeUps() async {
    let counter = Counter(shard)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for value in 0..<500 { await counter.add(task * 1000 + value) }
        }
      }
    }
    let all = await counter.all()
    #expect(all.count == 4000)
    for task in 0..<8 {
      #expect(all.filter { $0 / 1000 == task } == (0..<500).map { task * 1000 + $0 })
    }
  }

  @Test("20,000 rounds of socket pairs over 8 tasks: every edge arrives, nothing crashes")
  func churn() async throws {
    let rounds = getenv("LINNET_CHURN_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 20_000
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for round in 0..<(rounds / 8) {
            let shard = ShardGroup.shared.next()
            let (left, right) = try Socket.pair()
            let recorder = ReadinessRecorder()
            let slot = try shard.register(left, receiver: recorder)
            _ = try send(right, [UInt8(truncatingIfNeeded: round)])
            await recorder.wait(for: .readable)
            #expect(try receive(left) == [UInt8(truncatingIfNeeded: round)])
            shard.deregister(slot)
            closeRaw(left)
            closeRaw(right)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("A shard of a test can be shut down, twice, with jobs and timers left; registering then fails")
  func shutDown() async throws {
    for _ in 0..<20 {
      let shard = IOShard(label: "test.shutdown")
      let (left, right) = try Socket.pair()
      let recorder = ReadinessRecorder()
      let slot = try shard.register(left, receiver: recorder)
      _ = await recorder.mailbox.next()
      let timer = shard.schedule(TimerRecorder(), at: shard.now.advanced(by: .seconds(60)))
      await shard.shutDown()
      await shard.shutDown()
      shard.cancel(timer)
      shard.deregister(slot)
      #expect(throws: SystemError.self) {
        let slot = try shard.register(left, receiver: recorder)
        shard.deregister(slot)
      }
      #expect(await Counter(shard).isOnShard())
      closeRaw(left)
      closeRaw(right)
    }
  }

  @Test("Registrations are spread over the shards of a group")
  func placement() async throws {
    let group = ShardGroup(count: 3)
    var pairs: [(CInt, CInt)] = []
    var used: [ObjectIdentifier: Int] = [:]
    for _ in 0..<9 {
      let shard = group.next()
      used[ObjectIdentifier(shard), default: 0] += 1
      let pair = try Socket.pair()
      pairs.append(pair)
      // The slot is forgotten with the shard.
      _ = try shard.register(pair.0, receiver: ReadinessRecorder())
    }
    #expect(used.values.sorted() == [3, 3, 3])
    await group.shutDown()
    for (left, right) in pairs {
      closeRaw(left)
      closeRaw(right)
    }
  }
}
