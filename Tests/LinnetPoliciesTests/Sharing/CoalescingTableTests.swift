import LinnetPolicies
import LinnetTestRandom
import Testing

@Suite struct CoalescingTableTests {
  typealias Table = CoalescingTable<Int>

  @Test("the first caller starts the exchange, later ones join it, and it lands for all")
  func joins() {
    var table = Table()
    let first = table.callerArrived(for: 1)
    let second = table.callerArrived(for: 1)
    let other = table.callerArrived(for: 2)
    #expect([first.isFirst, second.isFirst, other.isFirst] == [true, false, true])
    let passengers = table.flightLanded(first.passenger.flight)
    #expect(passengers == [first.passenger, second.passenger])
    let next = table.callerArrived(for: 1)
    #expect(next.isFirst)
  }

  @Test("the last passenger that leaves calls the exchange off, and a newcomer starts anew")
  func leaves() {
    var table = Table()
    let first = table.callerArrived(for: 1).passenger
    let second = table.callerArrived(for: 1).passenger
    let left = [table.passengerLeft(first), table.passengerLeft(first), table.passengerLeft(second)]
    #expect(left == [false, false, true])
    let next = table.callerArrived(for: 1)
    #expect(next.isFirst)
    let landed = table.flightLanded(second.flight)
    #expect(landed.isEmpty)
    #expect(table.flightCount == 1)
  }

  @Test("random scripts follow a list of who waits for what", arguments: 0..<500 as Range<UInt64>)
  func randomScripts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = Table()
    var waiting: [(key: Int, passenger: Table.Passenger)] = []
    for _ in 0..<80 {
      switch random.below(3) {
      case 0:
        let key = Int(random.below(4))
        let boarding = table.callerArrived(for: key)
        #expect(boarding.isFirst == !waiting.contains { $0.key == key })
        waiting.append((key, boarding.passenger))
      case 1:
        guard let index = waiting.indices.randomElement(using: &random) else { continue }
        let left = waiting.remove(at: index)
        let isLast = table.passengerLeft(left.passenger)
        #expect(isLast == !waiting.contains { $0.key == left.key })
        let isLastAgain = table.passengerLeft(left.passenger)
        #expect(!isLastAgain)
      default:
        guard let landed = waiting.randomElement(using: &random) else { continue }
        let expected = Set(waiting.filter { $0.key == landed.key }.map(\.passenger))
        let passengers = table.flightLanded(landed.passenger.flight)
        #expect(passengers == expected)
        waiting.removeAll { $0.key == landed.key }
      }
      #expect(table.flightCount == Set(waiting.map(\.key)).count)
    }
  }
}
