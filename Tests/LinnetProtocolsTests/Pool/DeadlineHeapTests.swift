import LinnetBytes
import LinnetProtocols
import LinnetTestRandom
import Testing

@Suite struct DeadlineHeapTests {
  private func at(_ nanoseconds: UInt64) -> Instant { Instant(nanoseconds: nanoseconds) }

  @Test("entries come out by deadline, and in the order of insertion when deadlines are equal")
  func order() {
    var heap = DeadlineHeap<String>()
    for (token, deadline) in [("c", 30), ("a", 10), ("b1", 20), ("b2", 20), ("b3", 20)] as [(String, UInt64)] {
      heap.insert(token, at: at(deadline))
    }
    var out: [String] = []
    while let token = heap.popExpired(now: at(30)) { out.append(token) }
    #expect(out == ["a", "b1", "b2", "b3", "c"])
    #expect(heap.isEmpty)
  }

  @Test("an entry is due at its deadline and not before")
  func boundary() {
    var heap = DeadlineHeap<Int>()
    heap.insert(1, at: at(10))
    #expect(heap.popExpired(now: at(9)) == nil)
    #expect(heap.popExpired(now: at(10)) == 1)
    #expect(heap.popExpired(now: .distantFuture) == nil)
  }

  @Test("cancelling the earliest entry moves the next deadline at once")
  func cancelledTop() {
    var heap = DeadlineHeap<Int>()
    let first = heap.insert(1, at: at(10))
    let second = heap.insert(2, at: at(20))
    heap.insert(3, at: at(30))
    #expect(heap.cancel(second) == 2)
    #expect(heap.nextDeadline == at(10))
    #expect(heap.cancel(first) == 1)
    #expect(heap.nextDeadline == at(30))
    #expect(heap.count == 1)
  }

  @Test("an id that was popped or cancelled cancels nothing, also after its slot was used again")
  func staleID() {
    var heap = DeadlineHeap<Int>()
    let popped = heap.insert(1, at: at(1))
    #expect(heap.popExpired(now: at(1)) == 1)
    let cancelled = heap.insert(2, at: at(1))
    #expect(heap.cancel(cancelled) == 2)
    heap.insert(3, at: at(1))
    #expect(heap.cancel(popped) == nil)
    #expect(heap.cancel(cancelled) == nil)
    #expect(heap.count == 1)
  }

  @Test("it gives what a sorted list gives, under random scripts", arguments: 1...200 as ClosedRange<UInt64>)
  func naiveModel(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var heap = DeadlineHeap<Int>()
    var model: [(deadline: UInt64, token: Int, id: DeadlineID)] = []
    var retired: [DeadlineID] = []
    var now: UInt64 = 0
    for token in 0..<400 {
      switch random.below(10) {
      case 0..<5:
        let deadline = now + random.below(50)
        model.append((deadline, token, heap.insert(token, at: at(deadline))))
      case 5..<8 where !model.isEmpty:
        let victim = model.remove(at: Int(random.below(UInt64(model.count))))
        #expect(heap.cancel(victim.id) == victim.token)
        retired.append(victim.id)
      case 8:
        if let id = retired.randomElement(using: &random) { #expect(heap.cancel(id) == nil) }
      default:
        now += random.below(30)
        while let token = heap.popExpired(now: at(now)) {
          let earliest = model.min { ($0.deadline, $0.token) < ($1.deadline, $1.token) }
          #expect(token == earliest?.token)
          if let id = earliest?.id { retired.append(id) }
          model.removeAll { $0.token == token }
        }
        #expect(!model.contains { $0.deadline <= now })
      }
      #expect(heap.count == model.count)
      #expect(heap.nextDeadline == model.map(\.deadline).min().map(at))
    }
  }

  @Test("cancelled deadlines leave nothing behind")
  func cancelChurn() {
    var heap = DeadlineHeap<Int>()
    heap.insert(-1, at: at(1))
    for token in 0..<100_000 { heap.cancel(heap.insert(token, at: at(1_000 + UInt64(token)))) }
    #expect(heap.count == 1)
    #expect(heap.entriesIncludingCancelled <= 64)
  }
}
