import LinnetBytes
import Testing

@Suite("SmallList")
struct SmallListTests {
  @Test("it holds what was appended, in order, inline and beyond", arguments: 0..<8)
  func appending(count: Int) {
    var list = SmallList<Int>()
    for value in 0..<count { list.append(value) }
    #expect(list.count == count && list.isEmpty == (count == 0))
    #expect(Array(list) == Array(0..<count))
  }

  @Test("two elements are kept inline")
  func inline() {
    guard case .two(1, 2) = [1, 2] as SmallList<Int> else {
      Issue.record("not inline")
      return
    }
  }

  @Test("equality is by elements, not by case")
  func equality() {
    #expect(SmallList.many([1, 2]) == [1, 2] && SmallList.many([]) == SmallList<Int>.none)
    #expect([1] as SmallList != [2] && [1] as SmallList != [1, 2])
  }
}
