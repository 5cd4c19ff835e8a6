internal import CLinnetPOSIX
internal import Dispatch
package import LinnetBytes
internal import Synchronization

/// One event loop: readiness of descriptors, timers, and the jobs of actors and tasks that prefer it.
///
/// A shard is a serial `DispatchQueue`, a private epoll set, one read source on that set and one timer source; both
/// sources live as long as the shard. A source per socket would cost several system calls per event, and libdispatch on
/// Linux corrupts memory when sources are made and cancelled at a high rate from several threads
/// (swift-corelibs-libdispatch issues 833 and 949).
///
/// **Turns.** All work happens in ``turn()``, a block on the queue: it handles events, runs jobs, fires timers, and then
/// *lingers*: it waits in `epoll_wait` inside the block, for a millisecond at most. Only a wait that ends empty gives the
/// thread back to libdispatch; then the read source starts the next turn. So a busy shard never crosses libdispatch's
/// manager thread, and an idle process has no thread of ours.
///
/// Every `package` member may be used from any thread.
@safe
package final class IOShard: TaskExecutor, @unchecked Sendable {
  // SAFETY: `core`, `slots` and the atomics synchronise themselves, what is `let` never changes, and the `turn…`
  // variables are only touched by `turn()` and `stop`, which run on the serial queue.

  /// What the shard is doing; decides how another thread gets its attention.
  private enum Phase: UInt8, AtomicRepresentable {
    /// No turn is scheduled: start one.
    case idle
    /// A turn is scheduled or runs and will look at the jobs before it waits: do nothing.
    case running
    /// A turn waits in the kernel: signal the eventfd.
    case waiting
  }

  private struct Job {
    let job: UnownedJob
    /// Whether an actor on the shard sent it, rather than a task that prefers the shard.
    let isOfActor: Bool
  }

  private struct Core: ~Copyable {
    var jobs: [Job] = []
    var timers = TimerHeap()
    /// When the timer source fires next; it may be too early, never too late, while the shard is idle.
    var alarm = Instant.distantFuture
    var isStopped = false
  }

  /// How another thread must wake the shard after it added something.
  private enum Wake { case nothing, startTurn, signal }

  /// The longest wait inside a turn in milliseconds. Long enough that the next request of a busy client comes within it;
  /// short, because a lingering turn occupies a thread.
  private static let lingerMilliseconds: CInt = 1
  private static let eventsPerWait = 128
  /// How many batches of jobs run before events get their turn.
  private static let roundsPerWait = 4
  static let wakeToken = UInt64.max

  private let queue: DispatchQueue
  private let actorFacet = ShardActorExecutor()
  private let alarmSource: any DispatchSourceTimer
  private let core = Lock(Core())
  let slots = Lock(SlotTable())
  let polling = Lock(Polling())
  /// The epoll set, or -1 before the first registration and after the stop.
  let pollDescriptor = Atomic<CInt>(-1)
  private let wakeDescriptor = Atomic<CInt>(-1)
  private let phase = Atomic<Phase>(.idle)
  /// The thread that runs a turn, or 0.
  private let owner = Atomic<UInt>(0)
  /// How many descriptors are registered.
  let registered = Atomic<Int>(0)
  private let manualClock: (any MonotonicClock)?

  private let turnEvents: UnsafeMutablePointer<epoll_event>
  private var turnJobs: [Job] = []
  private var turnTimers: [(ShardTimer, any TimerReceiver)] = []

  /// Makes a shard. It opens its descriptors with the first registration, so that a lack of descriptors is an error of
  /// that registration and can pass.
  ///
  /// - Parameter clock: Replaces the system's clock in tests; see ``clockAdvanced()``.
  package init(label: String, clock: (any MonotonicClock)? = nil) {
    queue = DispatchQueue(label: label)
    manualClock = clock
    // SAFETY: owned by the shard, touched only inside a turn, freed in `deinit`.
    unsafe turnEvents = .allocate(capacity: Self.eventsPerWait)
    alarmSource = DispatchSource.makeTimerSource(queue: queue)
    alarmSource.setEventHandler { self.alarmRang() }
    alarmSource.schedule(deadline: .distantFuture)
    alarmSource.activate()
    actorFacet.attach(self)
  }

  // SAFETY: no turn can run any more.
  deinit { unsafe turnEvents.deallocate() }

  package var now: Instant { manualClock?.now ?? SystemClock().now }

  /// Whether the calling thread is inside a turn of this shard. Two loads.
  package var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(linnet_current_thread()) }

  /// How much work is placed here; ``ShardGroup`` compares it.
  var load: Int { registered.load(ordering: .relaxed) }

  // MARK: - Executor

  /// Takes a job of a task that prefers the shard.
  package func enqueue(_ job: consuming ExecutorJob) {
    enqueue(Job(job: UnownedJob(job), isOfActor: false))
  }

  func enqueueOfActor(_ job: UnownedJob) { enqueue(Job(job: job, isOfActor: true)) }

  private func enqueue(_ job: Job) {
    wake(
      core.withLock { core in
        core.jobs.append(job)
        return claimWake()
      })
  }

  /// For actors that live on the shard. It is another object than the task executor: with one object for both, a task
  /// that prefers the shard is sent through the job ring once more after each suspension, because its jobs are isolated
  /// to an actor's executor and its functions are not.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    // SAFETY: the facet lives as long as the shard, which outlives its actors.
    unsafe actorFacet.asUnownedSerialExecutor()
  }

  /// Stops the process when the calling code does not run on the shard's queue.
  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Called under the core's lock, after something was added.
  private func claimWake() -> Wake {
    switch phase.load(ordering: .acquiring) {
    case .running: return .nothing
    case .idle:
      phase.store(.running, ordering: .releasing)
      return .startTurn
    case .waiting:
      phase.store(.running, ordering: .releasing)
      return .signal
    }
  }

  private func wake(_ kind: Wake) {
    switch kind {
    case .nothing: break
    case .startTurn: queue.async { self.turn() }
    case .signal: _ = linnet_eventfd_signal(wakeDescriptor.load(ordering: .acquiring))
    }
  }

  // MARK: - Timers

  /// Calls `receiver` on the shard at or up to about a millisecond after `deadline`. The shard holds the receiver until
  /// then or until ``cancel(_:)``. A deadline of ``Instant/distantFuture`` never fires.
  package func schedule(_ receiver: any TimerReceiver, at deadline: Instant) -> ShardTimer {
    let (timer, kind) = core.withLock { core -> (ShardTimer, Wake) in
      let timer = core.timers.insert(receiver, at: deadline)
      // A shard that runs or waits looks at the heap within a millisecond; an idle one relies on the alarm.
      guard deadline < core.alarm, phase.load(ordering: .acquiring) == .idle else { return (timer, .nothing) }
      return (timer, claimWake())
    }
    wake(kind)
    return timer
  }

  /// Forgets a timer; nothing happens when it fired or was cancelled. After it returns no call for the timer starts.
  package func cancel(_ timer: ShardTimer) {
    _ = core.withLock { $0.timers.remove(timer) }
  }

  /// For tests: the clock given to ``init(label:clock:)`` moved, so look for timers that are due.
  package func clockAdvanced() {
    wake(core.withLock { _ in claimWake() })
  }

  /// For tests: how many timers are scheduled.
  package var timerCount: Int { core.withLock { $0.timers.count } }

  private func alarmRang() {
    core.withLock { $0.alarm = .distantFuture }
    turn()
  }

  // MARK: - The turn

  /// Runs on the queue: everything that is ready, then waits for more until a wait ends empty.
  private func turn() {
    phase.store(.running, ordering: .releasing)
    owner.store(UInt(linnet_current_thread()), ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    let set = pollDescriptor.load(ordering: .acquiring)
    var received = 0
    var waitedInVain = false
    while true {
      for index in 0..<received {
        // SAFETY: the last wait filled in `received` events, at most the capacity.
        let event = unsafe turnEvents + index
        deliver(token: unsafe linnet_event_token(event), bits: unsafe linnet_event_bits(event))
      }
      // Whom the events woke goes first, if there is no other core for him: what he does next may be served by the same
      // turn, and waking up for each of his messages costs more than they do.
      if received > 0 { linnet_yield_thread() }
      var worked = false
      var rounds = 0
      // A resumed task often changes executors once or twice before it suspends; asking the kernel between these steps
      // would cost a system call each.
      while rounds < Self.roundsPerWait, runDueWork() {
        worked = true
        rounds += 1
        linnet_yield_thread()
      }
      guard let timeout = prepareWait(mayEnd: (waitedInVain || set < 0) && !worked, canWait: set >= 0) else { return }
      if set >= 0 {
        // SAFETY: the kernel writes at most `eventsPerWait` events, the capacity.
        let count = unsafe linnet_epoll_wait(set, turnEvents, CInt(Self.eventsPerWait), timeout)
        received = max(0, count)
        phase.store(.running, ordering: .releasing)
      }
      waitedInVain = received == 0 && timeout > 0
    }
  }

  /// Runs the jobs and timers that are due now, one batch, so that events get their turn between batches.
  private func runDueWork() -> Bool {
    core.withLock { core in
      swap(&core.jobs, &turnJobs)
      guard let earliest = core.timers.earliest, earliest != .distantFuture else { return }
      let now = now
      while let due = core.timers.popDue(now: now) { turnTimers.append(due) }
    }
    guard !turnJobs.isEmpty || !turnTimers.isEmpty else { return false }
    if !turnTimers.isEmpty {
      let now = now
      for (timer, receiver) in turnTimers { receiver.timerFired(timer, now: now) }
      turnTimers.removeAll(keepingCapacity: true)
    }
    let serial = unsafe asUnownedSerialExecutor()
    let task = unsafe asUnownedTaskExecutor()
    // SAFETY: each job was handed over once by an `enqueue` and is run once, on the executor that got it.
    for job in turnJobs {
      if job.isOfActor {
        unsafe job.job.runSynchronously(on: serial)
      } else {
        unsafe job.job.runSynchronously(on: task)
      }
    }
    turnJobs.removeAll(keepingCapacity: true)
    return true
  }

  /// Decides how long to wait, or ends the turn (nil): then the shard is idle and the alarm set.
  private func prepareWait(mayEnd: Bool, canWait: Bool) -> CInt? {
    var alarm: Instant?
    var now = Instant.distantFuture
    let timeout = core.withLock { core -> CInt? in
      guard core.jobs.isEmpty else { return 0 }
      let earliest = core.timers.earliest ?? .distantFuture
      if earliest != .distantFuture {
        now = self.now
        if earliest <= now { return 0 }
      }
      if mayEnd || core.isStopped {
        phase.store(.idle, ordering: .releasing)
        if earliest < core.alarm, !core.isStopped {
          core.alarm = earliest
          alarm = earliest
        }
        return nil
      }
      guard canWait else { return 0 }
      phase.store(.waiting, ordering: .releasing)
      return Self.lingerMilliseconds
    }
    if let alarm {
      let delay = now.duration(to: alarm).saturatingNanoseconds
      alarmSource.schedule(deadline: .now() + .nanoseconds(Int(clamping: delay)))
    }
    return timeout
  }
}

// MARK: - Opening and stopping

extension IOShard {
  /// What the shard opened at its first registration.
  struct Polling: ~Copyable {
    var source: (any DispatchSourceRead)?
    var isStopped = false
  }

  /// Opens the epoll set and its source, once.
  func openIfNeeded() throws(SystemError) -> CInt {
    let present = pollDescriptor.load(ordering: .acquiring)
    if present >= 0 { return present }
    return try polling.withLock { polling throws(SystemError) -> CInt in
      let present = pollDescriptor.load(ordering: .acquiring)
      if present >= 0 { return present }
      guard !polling.isStopped else { throw SystemError(number: ESHUTDOWN, call: "epoll_ctl") }
      let set = OwnedDescriptor(
        owning: CInt(truncatingIfNeeded: try Syscalls.call("epoll_create1") { linnet_epoll_create() }))
      let wakeUp = OwnedDescriptor(
        owning: CInt(truncatingIfNeeded: try Syscalls.call("eventfd") { linnet_eventfd() }))
      let (setNumber, wakeNumber) = (set.raw, wakeUp.raw)
      // Edge-triggered, so that the counter never has to be read.
      _ = try Syscalls.call("epoll_ctl", fd: wakeNumber) {
        linnet_epoll_add(setNumber, wakeNumber, linnet_epoll_in(), Self.wakeToken)
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: setNumber, queue: queue)
      source.setEventHandler { self.turn() }
      _ = set.release()
      _ = wakeUp.release()
      wakeDescriptor.store(wakeNumber, ordering: .releasing)
      pollDescriptor.store(setNumber, ordering: .releasing)
      polling.source = source
      source.activate()
      return setNumber
    }
  }

  /// Ends the shard and closes what it opened, after libdispatch let go of it. For tests that make shards of their own;
  /// the process-wide ones are never torn down. Registered descriptors are forgotten; jobs still run.
  package func shutDown() async {
    await withCheckedContinuation { continuation in
      queue.async { self.stop { continuation.resume() } }
    }
  }

  private func stop(then finished: @escaping @Sendable () -> Void) {
    let wasStopped = core.withLock { core in
      defer { core.isStopped = true }
      return core.isStopped
    }
    let source = polling.withLock { polling in
      polling.isStopped = true
      return polling.source.take()
    }
    guard !wasStopped else { return finished() }
    let set = pollDescriptor.exchange(-1, ordering: .acquiringAndReleasing)
    let wakeUp = wakeDescriptor.exchange(-1, ordering: .acquiringAndReleasing)
    let alarmSource = alarmSource
    alarmSource.setCancelHandler {
      guard let source else { return finished() }
      // Only after its cancel handler runs has libdispatch let go of the descriptor.
      source.setCancelHandler {
        OwnedDescriptor(owning: set).close()
        OwnedDescriptor(owning: wakeUp).close()
        finished()
      }
      source.cancel()
    }
    alarmSource.cancel()
    let forgotten = slots.withLock { $0.removeAll() }
    registered.store(0, ordering: .relaxed)
    _ = forgotten
  }
}
