import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite("DefaultNetworkClient")
struct DefaultNetworkClientTests {
  @Test("A request goes to base path and endpoint path, and its JSON response is decoded")
  func request() async throws {
    try await ClientFixture.with(.handler { _ in .item }) { fixture in
      let item = try await fixture.client.request(GetItem(id: 7))
      #expect(item == Item(id: 1, name: "a"))
      let seen = try await fixture.server.waitForRequests(1)
      #expect(seen[0].target == "/api/items/7")
      #expect(seen[0].method == "GET")
    }
  }
}
