import LinnetPolicies
import LinnetTestRandom
import Testing

@Suite struct EventDeliveryQueueTests {
  typealias Queue = EventDeliveryQueue<Int, String>

  private func queue(partition: Int = 3, total: Int = 5, dropsOldest: Bool = true) -> Queue {
    Queue(limits: Queue.Limits(maximumPerPartition: partition, maximum: total, dropsOldest: dropsOldest))
  }

  private func rest(_ queue: inout Queue) -> [String] {
    var events: [String] = []
    while let event = queue.takeNext() { events.append(event) }
    return events
  }

  @Test("events come out in the order in which they happened")
  func order() {
    var queue = queue()
    for (event, partition) in [("a", 1), ("b", 2), ("c", 1), ("d", 2)] {
      queue.eventHappened(event, in: partition, isFinal: false)
    }
    #expect(rest(&queue) == ["a", "b", "c", "d"])
    #expect(queue.droppedCount == 0)
  }

  @Test(
    "a full partition drops its own oldest or newest", arguments: [(true, ["b", "c", "d"]), (false, ["a", "b", "c"])])
  func partitionLimit(dropsOldest: Bool, expected: [String]) {
    var queue = queue(dropsOldest: dropsOldest)
    for event in ["a", "b", "c", "d"] { queue.eventHappened(event, in: 1, isFinal: false) }
    #expect(rest(&queue) == expected)
    #expect(queue.droppedCount == 1)
  }

  @Test(
    "a full queue drops the oldest or newest of all", arguments: [(true, [1, 2, 3, 4, 5]), (false, [0, 1, 2, 3, 4])])
  func totalLimit(dropsOldest: Bool, expected: [Int]) {
    var queue = queue(dropsOldest: dropsOldest)
    for number in 0..<6 { queue.eventHappened("\(number)", in: number, isFinal: false) }
    #expect(rest(&queue) == expected.map(String.init))
  }

  @Test("a final event always gets in, and displaces the oldest other one", arguments: [true, false])
  func final(dropsOldest: Bool) {
    var queue = queue(partition: 1, total: 2, dropsOldest: dropsOldest)
    queue.eventHappened("start", in: 1, isFinal: false)
    queue.eventHappened("end 1", in: 1, isFinal: true)
    queue.eventHappened("end 2", in: 2, isFinal: true)
    queue.eventHappened("end 3", in: 3, isFinal: true)
    queue.eventHappened("lost", in: 4, isFinal: false)
    #expect(rest(&queue) == ["end 1", "end 2", "end 3"])
  }

  /// The rules once more over one plain list.
  private struct Model {
    let limits: Queue.Limits
    var waiting: [(event: String, partition: Int, isFinal: Bool)] = []

    mutating func append(_ event: String, _ partition: Int, _ isFinal: Bool) {
      let isPartitionFull = waiting.count { $0.partition == partition } >= limits.maximumPerPartition
      if isPartitionFull, !makeRoom(isFinal, where: { $0 == partition }) { return }
      if waiting.count >= limits.maximum, !makeRoom(isFinal, where: { _ in true }) { return }
      waiting.append((event, partition, isFinal))
    }

    private mutating func makeRoom(_ isFinal: Bool, where isCandidate: (Int) -> Bool) -> Bool {
      if limits.dropsOldest || isFinal,
        let index = waiting.firstIndex(where: { !$0.isFinal && isCandidate($0.partition) })
      {
        waiting.remove(at: index)
        return true
      }
      return isFinal
    }
  }

  @Test("random scripts follow the model", arguments: 0..<400 as Range<UInt64>)
  func randomScripts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limits = Queue.Limits(
      maximumPerPartition: 1 + Int(random.below(4)), maximum: 1 + Int(random.below(8)), dropsOldest: random.chance(50))
    var queue = Queue(limits: limits)
    var model = Model(limits: limits)
    let takes = random.below(60)
    for step in 0..<300 {
      if random.below(100) < takes {
        let expected = model.waiting.isEmpty ? nil : model.waiting.removeFirst().event
        #expect(queue.takeNext() == expected)
      } else {
        let partition = Int(random.below(4))
        let isFinal = random.chance(15)
        queue.eventHappened("\(step)", in: partition, isFinal: isFinal)
        model.append("\(step)", partition, isFinal)
      }
      #expect(queue.count == model.waiting.count)
    }
    #expect(rest(&queue) == model.waiting.map(\.event))
  }
}
