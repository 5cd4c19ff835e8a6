internal import LinnetBytes

/// The requests that wait for a connection: first in, first out, with O(1) cancellation and a deadline for each.
///
/// For ``PoolMachine`` only. Nodes live in an array that is reused, so a pool that has seen its usual load queues
/// without allocating.
struct WaiterQueue: Sendable {
  struct Waiter: Sendable {
    let id: PoolMachine.WaiterID
    /// Grows with each waiter; compared with the ticket of a dial, it tells which of the two came first.
    let ticket: UInt64
    let enqueuedAt: Instant
  }

  private struct Node: Sendable {
    var waiter: Waiter
    var deadlineID: DeadlineID?
    /// When a waiter fails that waits for a dial and not in line.
    var dialDeadline: Instant
    var isExpired = false
    var previous: Int
    var next: Int
  }

  /// The end of a list of node indices.
  private static var end: Int { -1 }

  private var nodes: [Node] = []
  private var vacantNodes: [Int] = []
  private var indices: [PoolMachine.WaiterID: Int] = [:]
  private var deadlines = DeadlineHeap<Int>()
  private var head = WaiterQueue.end
  private var tail = WaiterQueue.end
  private(set) var count = 0
  /// What the next waiter gets. A dial keeps the value at its start: waiters with a lower ticket were there before it.
  private(set) var nextTicket: UInt64 = 0

  var isEmpty: Bool { count == 0 }
  var first: Waiter? { head == Self.end ? nil : nodes[head].waiter }
  var nextDeadline: Instant? { deadlines.nextDeadline }

  func contains(_ id: PoolMachine.WaiterID) -> Bool { indices[id] != nil }

  /// The caller has made sure that `id` does not queue already.
  mutating func append(_ id: PoolMachine.WaiterID, deadline: Instant, dialDeadline: Instant, now: Instant) {
    let waiter = Waiter(id: id, ticket: nextTicket, enqueuedAt: now)
    nextTicket &+= 1
    let node = Node(waiter: waiter, deadlineID: nil, dialDeadline: dialDeadline, previous: tail, next: Self.end)
    let index: Int
    if let vacant = vacantNodes.popLast() {
      index = vacant
      nodes[index] = node
    } else {
      index = nodes.count
      nodes.append(node)
    }
    if deadline < .distantFuture { nodes[index].deadlineID = deadlines.insert(index, at: deadline) }
    if tail == Self.end { head = index } else { nodes[tail].next = index }
    tail = index
    indices[id] = index
    count += 1
  }

  mutating func popFirst() -> Waiter? {
    guard head != Self.end else { return nil }
    return remove(at: head)
  }

  /// False when the waiter does not queue (any more).
  mutating func remove(_ id: PoolMachine.WaiterID) -> Bool {
    guard let index = indices[id] else { return false }
    _ = remove(at: index)
    return true
  }

  /// Removes the waiters whose deadline has come, and hands them over in the order of the queue, each with the place
  /// (1 is the first) that it had when this call began. One walk from the front, however many expired.
  ///
  /// The first `dialled` waiters are those that a dial is under way for; they stay until their second deadline.
  mutating func removeExpired(now: Instant, dialled: Int, _ body: (_ waiter: Waiter, _ position: Int) -> Void) {
    var expired = 0
    while let index = deadlines.popExpired(now: now) {
      nodes[index].isExpired = true
      nodes[index].deadlineID = nil
      expired += 1
    }
    var index = head
    var position = 1
    while expired > 0, index != Self.end {
      let next = nodes[index].next
      if nodes[index].isExpired, position <= dialled, nodes[index].dialDeadline > now {
        nodes[index].isExpired = false
        expired -= 1
        if nodes[index].dialDeadline < .distantFuture {
          nodes[index].deadlineID = deadlines.insert(index, at: nodes[index].dialDeadline)
        }
      } else if nodes[index].isExpired {
        body(remove(at: index), position)
        expired -= 1
      }
      position += 1
      index = next
    }
  }

  private mutating func remove(at index: Int) -> Waiter {
    let node = nodes[index]
    if node.previous == Self.end { head = node.next } else { nodes[node.previous].next = node.next }
    if node.next == Self.end { tail = node.previous } else { nodes[node.next].previous = node.previous }
    if let deadlineID = node.deadlineID { deadlines.cancel(deadlineID) }
    indices[node.waiter.id] = nil
    vacantNodes.append(index)
    count -= 1
    return node.waiter
  }
}
