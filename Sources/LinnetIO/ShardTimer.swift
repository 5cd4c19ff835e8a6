package import LinnetBytes

/// The name of one scheduled timer of one shard. A fired or cancelled timer's name is never given out again.
package struct ShardTimer: Sendable, Hashable {
  fileprivate let index: Int32
  fileprivate let generation: UInt32
}

/// What is told when a timer is due.
package protocol TimerReceiver: AnyObject, Sendable {
  /// Called on the shard, with no lock of the shard held, never before the deadline. It must not block.
  ///
  /// As with readiness, a call can already be under way while another thread cancels the timer.
  func timerFired(_ timer: ShardTimer, now: Instant)
}

/// The timers of one shard: a binary heap whose entries know their place, so that a cancelled timer leaves at once.
///
/// Removing lazily would be simpler, but nearly every request's deadline is cancelled long before it is due, and at
/// 200,000 requests a second a heap of dead entries would outgrow everything else.
struct TimerHeap {
  private struct Node {
    var deadline: Instant
    var entry: Int32
  }

  private struct Entry {
    var generation: UInt32 = 0
    /// The place in `nodes`; meaningless while `receiver` is nil.
    var position: Int32 = 0
    var receiver: (any TimerReceiver)?
  }

  private var nodes: [Node] = []
  private var entries: [Entry] = []
  private var free: [Int32] = []

  var earliest: Instant? { nodes.first?.deadline }
  var count: Int { nodes.count }

  mutating func insert(_ receiver: any TimerReceiver, at deadline: Instant) -> ShardTimer {
    let index =
      free.popLast()
      ?? {
        entries.append(Entry())
        return Int32(truncatingIfNeeded: entries.count - 1)
      }()
    entries[Int(index)].receiver = receiver
    nodes.append(Node(deadline: deadline, entry: index))
    siftUp(nodes.count - 1)
    return ShardTimer(index: index, generation: entries[Int(index)].generation)
  }

  /// Takes a timer out. The receiver is handed back so that its last reference is not dropped under the lock.
  mutating func remove(_ timer: ShardTimer) -> (any TimerReceiver)? {
    let index = Int(timer.index)
    guard index >= 0, index < entries.count, entries[index].generation == timer.generation,
      let receiver = entries[index].receiver
    else { return nil }
    removeNode(Int(entries[index].position))
    release(timer.index)
    return receiver
  }

  mutating func popDue(now: Instant) -> (ShardTimer, any TimerReceiver)? {
    guard let first = nodes.first, first.deadline <= now else { return nil }
    let timer = ShardTimer(index: first.entry, generation: entries[Int(first.entry)].generation)
    guard let receiver = remove(timer) else { return nil }
    return (timer, receiver)
  }

  private mutating func release(_ index: Int32) {
    entries[Int(index)].receiver = nil
    entries[Int(index)].generation &+= 1
    free.append(index)
  }

  private mutating func removeNode(_ position: Int) {
    let last = nodes.removeLast()
    guard position < nodes.count else { return }
    nodes[position] = last
    entries[Int(last.entry)].position = Int32(truncatingIfNeeded: position)
    siftDown(position)
    siftUp(position)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    let node = nodes[child]
    while child > 0 {
      let parent = (child - 1) / 2
      guard node.deadline < nodes[parent].deadline else { break }
      place(nodes[parent], at: child)
      child = parent
    }
    place(node, at: child)
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    let node = nodes[parent]
    while true {
      var child = parent * 2 + 1
      guard child < nodes.count else { break }
      if child + 1 < nodes.count, nodes[child + 1].deadline < nodes[child].deadline { child += 1 }
      guard nodes[child].deadline < node.deadline else { break }
      place(nodes[child], at: parent)
      parent = child
    }
    place(node, at: parent)
  }

  private mutating func place(_ node: Node, at position: Int) {
    nodes[position] = node
    entries[Int(node.entry)].position = Int32(truncatingIfNeeded: position)
  }
}
