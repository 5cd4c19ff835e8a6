import LinnetHTTP2
import LinnetTestRandom
import Testing

@Suite("HTTP/2 receive windows")
struct ReceiveWindowsTests {
  @Test("no sequence of calls gives more than the budget or than the maximum")
  func bounds() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let initial = Int.random(in: 0...100_000, using: &generator)
      let maximum = Int.random(in: 0...1_000_000, using: &generator)
      let budget = Int.random(in: 0...2_000_000, using: &generator)
      var windows = ReceiveWindows(initial: initial, maximum: maximum, budget: budget)
      var streams = [ReceiveWindows.Stream](repeating: ReceiveWindows.Stream(), count: 8)
      for _ in 0..<200 {
        let index = Int.random(in: 0..<8, using: &generator)
        if Int.random(in: 0..<10, using: &generator) == 0 {
          windows.closed(&streams[index])
        } else {
          let count = Int.random(in: 0...200_000, using: &generator)
          let before = streams[index].growth
          let growth = windows.consumed(count, isStarved: Bool.random(using: &generator), by: &streams[index])
          #expect(streams[index].growth == before + growth)
          #expect(growth == 0 || initial + streams[index].growth <= maximum)
        }
        #expect(streams.reduce(0) { $0 + $1.growth } + windows.budget == budget)
        #expect(windows.budget >= 0)
      }
    }
  }

  @Test("a trickle does not make the window grow before half of it has come")
  func trickle() {
    var windows = ReceiveWindows(initial: 1000, maximum: 8000, budget: 100_000)
    var stream = ReceiveWindows.Stream()
    var growths: [Int] = []
    for _ in 0..<30 { growths.append(windows.consumed(100, isStarved: true, by: &stream)) }
    #expect(growths.filter { $0 > 0 } == [1000, 2000])
    #expect(growths.firstIndex(of: 1000) == 4)
    #expect(growths.firstIndex(of: 2000) == 14)
  }
}
