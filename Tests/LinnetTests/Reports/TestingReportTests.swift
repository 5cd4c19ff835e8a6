import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// An application's code, which depends on the protocol and not on the client.
private struct ItemShop: Sendable {
  let client: any NetworkClient

  func name(of id: Int) async -> String {
    do throws(NetworkError) {
      return try await client.request(GetItem(id: id)).name
    } catch {
      return error.httpStatusCode == 404 ? "unknown" : "failed: \(error.category)"
    }
  }
}

@Suite("Reports: testing code that uses a client", .timeLimit(.minutes(1)))
struct TestingReportTests {
  private func expectations(_ shop: ItemShop) async {
    #expect(await shop.name(of: 1) == "a")
    #expect(await shop.name(of: 2) == "unknown")
    #expect(await shop.name(of: 3) == "failed: reachability")
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await shop.name(of: 4)
    }
    #expect(await cancelled.value == "failed: cancellation")
  }

  @Test("TEST-01: the same code under test with a transport in memory")
  func mockTransport() async throws {
    let mock = MockTransport { request in
      switch try request.parsedURL().path {
      case "/v1/items/1": return try await MockResponse.json(Item()).response(to: request)
      case "/v1/items/2": return try await MockResponse.http(statusCode: 404).response(to: request)
      default: throw TransportError(code: .connectionLost, phase: .head, sent: .all, reason: "lost")
      }
    }
    await expectations(ItemShop(client: DefaultNetworkClient.mocked(mock)))
    #expect(mock.capturedRequestsInOrder.map(\.url) == (1...3).map { "https://api.example.com/v1/items/\($0)" })
  }

  @Test("TEST-01: the same code under test with a stub in the place of the client")
  func stub() async throws {
    let stub = StubNetworkClient()
    stub.register(Item(), for: GetItem(id: 1))
    stub.registerFailure(
      .statusCode(Response(statusCode: 404, data: Data(), request: nil, response: ResponseHead(status: .notFound))),
      for: GetItem(id: 2))
    stub.registerFailure(
      .reachability(.networkConnectionLost, SendableUnderlyingError(domain: "test", code: 1, message: "lost"), nil),
      for: GetItem(id: 3))
    stub.register(Item(), for: GetItem(id: 4), behavior: .never)
    await expectations(ItemShop(client: stub))
  }

  @Test("TEST-01: the same code under test with a server on a free port")
  func server() async throws {
    let script = ServerScript.handler { request in
      switch request.path {
      case "/api/items/1": .item
      case "/api/items/2": ServerResponse(404)
      default: .raw([.close])
      }
    }
    try await ClientFixture.with(script) { fixture in
      await expectations(ItemShop(client: fixture.client))
    }
  }
}
