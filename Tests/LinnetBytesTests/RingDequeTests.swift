import LinnetBytes
import LinnetTestRandom
import Testing

@Suite("RingDeque")
struct RingDequeTests {
  @Test("it behaves like an array under random operations", arguments: 0..<80)
  func model(seed: Int) {
    var generator = SeededGenerator(seed: seed)
    var deque = RingDeque<Int>()
    var model: [Int] = []
    for step in 0..<300 {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0, 1, 2:
        deque.append(step)
        model.append(step)
      case 3:
        deque.prepend(step)
        model.insert(step, at: 0)
      case 4, 5:
        #expect(deque.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      case 6:
        #expect(deque.popLast() == model.popLast())
      case 7:
        deque.replaceFirst(with: -step)
        if !model.isEmpty { model[0] = -step }
      default:
        let divisor = Int.random(in: 2...5, using: &generator)
        let expected = model.firstIndex { $0 % divisor == 0 }.map { model.remove(at: $0) }
        #expect(deque.removeFirst { $0 % divisor == 0 } == expected)
      }
      #expect(deque.count == model.count && deque.isEmpty == model.isEmpty)
      #expect(deque.first == model.first && deque.last == model.last)
      #expect(Array(deque) == model)
    }
  }

  @Test("a copy is independent")
  func copies() {
    var deque = RingDeque<Int>()
    for value in 0..<10 { deque.append(value) }
    var copy = deque
    _ = copy.popFirst()
    copy.append(99)
    #expect(Array(deque) == Array(0..<10))
    #expect(Array(copy) == Array(1..<10) + [99])
  }

  @Test("removed elements are released at once")
  func release() {
    final class Token: Sendable {}
    var deque = RingDeque<Token>()
    weak var first: Token?
    weak var last: Token?
    do {
      let tokens = (Token(), Token(), Token())
      deque.append(tokens.0)
      deque.append(tokens.1)
      deque.append(tokens.2)
      first = tokens.0
      last = tokens.2
    }
    _ = deque.popFirst()
    _ = deque.popLast()
    #expect(first == nil && last == nil && deque.count == 1)
  }
}
