internal import LinnetBytes
internal import Glibc
internal import Synchronization

/// The shards among which connections are distributed.
package final class ShardGroup: Sendable {
  /// One shard per core for the whole process. It is made with the first use and never torn down, so clients can come
  /// and go without starting or stopping anything.
  package static let shared = ShardGroup(count: max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

  private let shards: [IOShard]
  private let turn = Atomic<UInt>(0)

  package init(count: Int, clock: (any MonotonicClock)? = nil) {
    shards = (0..<max(1, count)).map { IOShard(label: "linnet.shard.\($0)", clock: clock) }
  }

  package var count: Int { shards.count }

  /// The shard with the fewest descriptors; among equals each in turn.
  package func next() -> IOShard {
    let start = Int(turn.wrappingAdd(1, ordering: .relaxed).oldValue % UInt(shards.count))
    var best = shards[start]
    for offset in 1..<max(shards.count, 1) {
      let candidate = shards[(start + offset) % shards.count]
      if candidate.load < best.load { best = candidate }
    }
    return best
  }

  /// For tests: their manual clock moved.
  package func clockAdvanced() {
    for shard in shards { shard.clockAdvanced() }
  }

  /// For tests that made a group of their own.
  package func shutDown() async {
    for shard in shards { await shard.shutDown() }
  }
}
