import Linnet
import LinnetTestRandom
import Testing

/// The same by a plain array, newest first.
private struct Model {
  var items: [(key: Int, value: Int, cost: Int)] = []
  let costLimit: Int
  let countLimit: Int

  mutating func value(for key: Int) -> Int? {
    guard let index = items.firstIndex(where: { $0.key == key }) else { return nil }
    let item = items.remove(at: index)
    items.insert(item, at: 0)
    return item.value
  }

  mutating func insert(_ value: Int, for key: Int, cost: Int) -> [Int] {
    remove(key)
    if cost > costLimit || countLimit == 0 { return [key] }
    items.insert((key, value, cost), at: 0)
    var dropped: [Int] = []
    while items.reduce(0, { $0 + $1.cost }) > costLimit || items.count > countLimit {
      dropped.append(items.removeLast().key)
    }
    return dropped
  }

  mutating func remove(_ key: Int) { items.removeAll { $0.key == key } }
}

@Suite struct LRUTableTests {
  @Test("every operation gives what a plain list gives", arguments: [(100, 1000), (1000, 5), (0, 5), (50, 0), (30, 3)])
  func model(costLimit: Int, countLimit: Int) {
    var random = SeededGenerator(seed: 1)
    var table = LRUTable<Int, Int>(costLimit: costLimit, countLimit: countLimit)
    var model = Model(costLimit: costLimit, countLimit: countLimit)
    for step in 0..<5000 {
      let key = Int.random(in: 0..<20, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: #expect(table.value(for: key) == model.value(for: key))
      case 2:
        table.remove(key)
        model.remove(key)
      default:
        let cost = Int.random(in: 0..<60, using: &random)
        #expect(table.insert(step, for: key, cost: cost) == model.insert(step, for: key, cost: cost))
      }
      guard table.keysByRecency == model.items.map(\.key), table.cost == model.items.reduce(0, { $0 + $1.cost }) else {
        Issue.record("step \(step): \(table.keysByRecency) instead of \(model.items)")
        return
      }
    }
    #expect(table.count == model.items.count)
  }

  @Test("negative limits and costs count as zero")
  func negative() {
    var table = LRUTable<Int, Int>(costLimit: -1, countLimit: 5)
    #expect(table.insert(1, for: 1, cost: 1) == [1])
    #expect(table.insert(1, for: 1, cost: -5).isEmpty)
    #expect(table.cost == 0)
  }
}
