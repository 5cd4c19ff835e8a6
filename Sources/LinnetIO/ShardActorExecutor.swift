internal import LinnetBytes

/// The face that an ``IOShard`` shows to actors: jobs go into the shard's ring. Made by its shard and as old as it.
final class ShardActorExecutor: SerialExecutor {
  private struct Reference {
    weak var shard: IOShard?
  }

  private let reference = Lock(Reference())

  private var shard: IOShard? { reference.withLock { $0.shard } }

  func attach(_ shard: IOShard) { reference.withLock { $0.shard = shard } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // An actor on the shard keeps the shard.
    shard?.enqueueOfActor(job)
  }

  func isIsolatingCurrentContext() -> Bool? { shard?.isCurrent }

  func checkIsolated() { shard?.checkIsolated() }
}
