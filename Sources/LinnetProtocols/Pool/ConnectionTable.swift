internal import LinnetBytes

/// The connections of one pool by id, with the two orders in which the pool looks for one.
///
/// For ``PoolMachine`` only. Slots are reused and carry a generation, so an id that comes late finds nothing. All
/// changes of state go through ``transition(_:to:)``, which keeps lists and counts; so leasing and releasing write a few
/// words and allocate nothing.
struct ConnectionTable: Sendable {
  /// A doubly linked list through the slots; the head is the connection that was used last.
  struct List: Sendable {
    private(set) var head = ConnectionTable.end
    private(set) var tail = ConnectionTable.end
    private(set) var count = 0

    fileprivate mutating func prepend(_ index: Int, in slots: inout [ConnectionSlot]) {
      slots[index].previous = ConnectionTable.end
      slots[index].next = head
      if head == ConnectionTable.end { tail = index } else { slots[head].previous = index }
      head = index
      count += 1
    }

    fileprivate mutating func remove(_ index: Int, in slots: inout [ConnectionSlot]) {
      let (previous, next) = (slots[index].previous, slots[index].next)
      if previous == ConnectionTable.end { head = next } else { slots[previous].next = next }
      if next == ConnectionTable.end { tail = previous } else { slots[next].previous = previous }
      count -= 1
    }
  }

  /// The end of a list of slot indices.
  static var end: Int { -1 }

  private var slots: [ConnectionSlot] = []
  private var vacantSlots: [Int] = []
  /// Connections without leased streams, in the order of their last use. All have the same idle time, so the tail
  /// expires first.
  private(set) var idle = List()
  /// Connections with both leased and free streams. The head is the one that had no free stream most recently: it is the
  /// fullest, or was. A lease or a release in between moves nothing. So new streams go to the head until it is full, the
  /// others empty from the tail on and can go idle, and no order by the number of streams has to be kept.
  private(set) var shared = List()
  private(set) var dialling = 0
  private(set) var open = 0
  private(set) var draining = 0
  /// Of the open ones, those with many streams.
  private(set) var multiplexed = 0
  /// Of the multiplexed ones, those that take streams and have some leased.
  private(set) var multiplexedInUse = 0
  /// Of the open ones, those whose peer allows no stream.
  private(set) var stalled = 0
  /// Of the stalled ones, those without a leased stream; they are in the idle list.
  private(set) var stalledIdle = 0
  private(set) var leasedStreams = 0

  /// What counts against the limit.
  var count: Int { dialling + open + draining }

  /// Open connections that take streams, now or when one is released.
  var taking: Int { open - stalled }

  // MARK: Look-up

  /// The index of a connection that still exists.
  func index(of id: PoolMachine.ConnectionID) -> Int? {
    let index = Int(truncatingIfNeeded: id.rawValue & 0xFFFF_FFFF)
    let generation = UInt32(truncatingIfNeeded: id.rawValue >> 32)
    guard index < slots.count, slots[index].generation == generation else { return nil }
    if case .vacant = slots[index].state { return nil }
    return index
  }

  func id(at index: Int) -> PoolMachine.ConnectionID {
    PoolMachine.ConnectionID(rawValue: UInt64(slots[index].generation) << 32 | UInt64(truncatingIfNeeded: index))
  }

  func state(at index: Int) -> ConnectionSlot.State { slots[index].state }

  /// Nil at the end of a list, too.
  func usage(at index: Int) -> ConnectionSlot.Usage? {
    if index >= 0, case .open(let usage) = slots[index].state { return usage }
    return nil
  }

  func ageID(at index: Int) -> DeadlineID? { slots[index].ageID }

  /// The connection that a new stream goes to: one that is in use anyway, so that idle ones can expire; else the idle
  /// one that was used last, whose peer is the least likely to have closed it.
  func leasable(now: Instant) -> Int? {
    var index = shared.head
    while index != Self.end {
      if let usage = usage(at: index), now < usage.agesAt { return index }
      index = slots[index].next
    }
    index = idle.head
    while index != Self.end, let usage = usage(at: index), now < usage.idleUntil {
      if now < usage.agesAt, usage.hasFreeStream { return index }
      index = slots[index].next
    }
    return nil
  }

  /// The indices of all connections; allocates.
  var indices: [Int] {
    slots.indices.filter {
      if case .vacant = slots[$0].state { return false }
      return true
    }
  }

  // MARK: Changes

  mutating func beginDial(ticket: UInt64) -> PoolMachine.ConnectionID {
    let index: Int
    if let vacant = vacantSlots.popLast() {
      index = vacant
    } else {
      index = slots.count
      slots.append(ConnectionSlot())
    }
    transition(index, to: .dialling(ticket: ticket))
    return id(at: index)
  }

  mutating func setAgeID(_ ageID: DeadlineID?, at index: Int) { slots[index].ageID = ageID }

  /// Frees the slot; the id is dead from here on.
  mutating func vacate(_ index: Int) {
    transition(index, to: .vacant)
    slots[index].generation &+= 1
    slots[index].ageID = nil
    vacantSlots.append(index)
  }

  mutating func transition(_ index: Int, to state: ConnectionSlot.State) {
    let before = slots[index].membership
    count(slots[index].state, by: -1)
    slots[index].state = state
    count(state, by: 1)
    let after = slots[index].membership
    switch (before, after) {
    case (.unlisted, .unlisted), (.idle, .idle), (.shared, .shared): return
    case (.idle, _): idle.remove(index, in: &slots)
    case (.shared, _): shared.remove(index, in: &slots)
    case (.unlisted, _): break
    }
    switch after {
    case .idle: idle.prepend(index, in: &slots)
    case .shared: shared.prepend(index, in: &slots)
    case .unlisted: break
    }
  }

  private mutating func count(_ state: ConnectionSlot.State, by step: Int) {
    switch state {
    case .vacant: break
    case .dialling: dialling += step
    case .open(let usage):
      open += step
      leasedStreams += step * usage.leased
      guard usage.isMultiplexed else { return }
      multiplexed += step
      if usage.isStalled {
        stalled += step
        if usage.leased == 0 { stalledIdle += step }
      } else if usage.leased > 0 {
        multiplexedInUse += step
      }
    case .draining(let leased):
      draining += step
      leasedStreams += step * leased
    }
  }
}
