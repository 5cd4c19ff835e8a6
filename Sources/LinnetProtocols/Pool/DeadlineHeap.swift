package import LinnetBytes

/// Names one entry of a ``DeadlineHeap``. An id is never valid again after its entry was popped or cancelled.
package struct DeadlineID: Sendable, Hashable {
  @usableFromInline let slot: UInt32
  @usableFromInline let generation: UInt32

  @inlinable init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

/// Tokens ordered by the instant at which they fall due: the one structure behind every timer.
///
/// The owner keeps a single kernel timer armed for ``nextDeadline`` and calls ``popExpired(now:)`` until it gives nil.
/// Entries with equal deadlines come out in the order in which they were inserted.
///
/// `cancel` is lazy: it empties the entry and leaves its place in the heap. Almost every deadline of a client is
/// cancelled long before it is due, so the sifting that an eager removal needs would be wasted. Two rules keep the
/// laziness invisible: the top of the heap is always a live entry, so ``nextDeadline`` is exact, and the heap is
/// rebuilt when more than half of it is cancelled, so memory is bounded by twice the live entries.
///
/// It is a plain value without a lock; whoever owns it (a shard, a pool) guards it. Everything is inlinable, because other
/// modules use it with tokens of their own, and unspecialised code would cost more than the heap.
package struct DeadlineHeap<Token> {
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var deadline: Instant
    @usableFromInline var sequence: UInt64
    @usableFromInline var slot: UInt32

    @inlinable
    init(deadline: Instant, sequence: UInt64, slot: UInt32) {
      self.deadline = deadline
      self.sequence = sequence
      self.slot = slot
    }

    /// Earlier deadline first; first inserted first among equals.
    @inlinable
    func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
  }

  /// Where a token lives while its entry is in the heap. `token == nil` with the entry still in the heap means
  /// cancelled.
  @usableFromInline
  struct Slot {
    @usableFromInline var generation: UInt32
    @usableFromInline var token: Token?

    @inlinable
    init(generation: UInt32, token: Token?) {
      self.generation = generation
      self.token = token
    }
  }

  @usableFromInline var heap: [Entry] = []
  @usableFromInline var slots: [Slot] = []
  @usableFromInline var vacantSlots: [UInt32] = []
  @usableFromInline var nextSequence: UInt64 = 0
  @usableFromInline var cancelledCount = 0

  /// Below this size a rebuild costs more than the memory it gives back.
  @inlinable static var smallestRebuild: Int { 32 }

  @inlinable
  package init() {}

  /// How many entries are neither popped nor cancelled.
  @inlinable package var count: Int { heap.count - cancelledCount }

  @inlinable package var isEmpty: Bool { heap.isEmpty }

  /// What the heap holds in memory; for tests of the bound.
  @inlinable package var entriesIncludingCancelled: Int { heap.count }

  /// The earliest deadline of a live entry.
  @inlinable package var nextDeadline: Instant? {
    @_specialize(where Token == Int32)
    get { heap.first?.deadline }
  }

  /// Adds `token`, due at `deadline`. O(log n).
  @inlinable
  @_specialize(where Token == Int32)
  @discardableResult
  package mutating func insert(_ token: Token, at deadline: Instant) -> DeadlineID {
    let slot: UInt32
    if let vacant = vacantSlots.popLast() {
      slot = vacant
      slots[Int(slot)].token = token
    } else {
      slot = UInt32(truncatingIfNeeded: slots.count)
      slots.append(Slot(generation: 0, token: token))
    }
    heap.append(Entry(deadline: deadline, sequence: nextSequence, slot: slot))
    nextSequence &+= 1
    siftUp(heap.count - 1)
    return DeadlineID(slot: slot, generation: slots[Int(slot)].generation)
  }

  /// Takes the entry out and gives its token back; nil when it was popped or cancelled before. O(1) amortised.
  @inlinable
  @_specialize(where Token == Int32)
  @discardableResult
  package mutating func cancel(_ id: DeadlineID) -> Token? {
    let slot = Int(id.slot)
    guard slot < slots.count, slots[slot].generation == id.generation, let token = slots[slot].token else { return nil }
    slots[slot].token = nil
    slots[slot].generation &+= 1
    cancelledCount += 1
    dropCancelledTop()
    if heap.count > Self.smallestRebuild, cancelledCount > heap.count / 2 { rebuild() }
    return token
  }

  /// Removes the earliest entry that is due at `now` or before, and gives its token.
  @inlinable
  @_specialize(where Token == Int32)
  package mutating func popExpired(now: Instant) -> Token? {
    guard let top = heap.first, top.deadline <= now else { return nil }
    let slot = Int(top.slot)
    let token = slots[slot].token
    slots[slot].token = nil
    slots[slot].generation &+= 1
    removeTop()
    dropCancelledTop()
    return token
  }

  /// Restores the rule that the top is live.
  @inlinable
  mutating func dropCancelledTop() {
    while let top = heap.first, slots[Int(top.slot)].token == nil {
      cancelledCount -= 1
      removeTop()
    }
  }

  @inlinable
  mutating func removeTop() {
    vacantSlots.append(heap[0].slot)
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    siftDown(0)
  }

  @inlinable
  mutating func rebuild() {
    var kept = 0
    for position in heap.indices {
      let entry = heap[position]
      if slots[Int(entry.slot)].token == nil {
        vacantSlots.append(entry.slot)
      } else {
        heap[kept] = entry
        kept += 1
      }
    }
    heap.removeLast(heap.count - kept)
    cancelledCount = 0
    for position in stride(from: kept / 2 - 1, through: 0, by: -1) { siftDown(position) }
  }

  @inlinable
  mutating func siftUp(_ start: Int) {
    let entry = heap[start]
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard entry.precedes(heap[parent]) else { break }
      heap[position] = heap[parent]
      position = parent
    }
    heap[position] = entry
  }

  @inlinable
  mutating func siftDown(_ start: Int) {
    let entry = heap[start]
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard heap[child].precedes(entry) else { break }
      heap[position] = heap[child]
      position = child
    }
    heap[position] = entry
  }
}

extension DeadlineHeap: Sendable where Token: Sendable {}
extension DeadlineHeap.Slot: Sendable where Token: Sendable {}
