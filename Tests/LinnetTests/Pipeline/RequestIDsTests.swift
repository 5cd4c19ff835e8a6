import FoundationEssentials
import Linnet
import Testing

@Suite("Ids of calls")
struct RequestIDsTests {
  @Test("No id comes twice, from one client or from several")
  func unique() {
    let sources = [RequestIDs(), RequestIDs(), RequestIDs()]
    let ids = Set((0..<2000).flatMap { _ in sources.map { $0.next() } })
    #expect(ids.count == 6000)
  }

  @Test("Ids are UUIDs of version 4 and variant 1 (RFC 9562 §5.4)")
  func version() {
    let ids = RequestIDs()
    for _ in 0..<100 {
      let bytes = ids.next().uuid
      #expect(bytes.6 >> 4 == 4)
      #expect(bytes.8 >> 6 == 0b10)
    }
  }
}
