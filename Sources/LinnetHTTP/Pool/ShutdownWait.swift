internal import LinnetBytes
internal import LinnetIO

/// Waits until pools that are shutting down are empty, and ends their exchanges when the grace is over.
final class ShutdownWait: TimerReceiver {
  private let pools: [OriginPool]

  init(pools: [OriginPool]) { self.pools = pools }

  func run(grace: Duration, on shard: IOShard) async {
    let timer = shard.schedule(self, at: shard.now.advanced(by: grace))
    await withTaskCancellationHandler {
      for pool in pools { await pool.drained() }
    } onCancel: {
      for pool in pools { pool.closeAll() }
    }
    shard.cancel(timer)
  }

  func timerFired(_ timer: ShardTimer, now: Instant) {
    for pool in pools { pool.closeAll() }
  }
}
