import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

/// The packs in front of the whole client and a real server.
@Suite struct CacheThroughClientTests {
  private let pack = CachePack(
    responseCachePolicy: .cacheFirst(maxAge: .seconds(60)), responseCache: InMemoryResponseCache(),
    sensitiveHeaderNames: ["X-Tenant-Token"])

  @Test("a pack with a policy and a store is followed without further settings")
  func hit() async throws {
    try await ClientFixture.with(.handler { _ in .item }, configuration: { .local($0, cache: pack) }) { fixture in
      for id in [1, 1, 1, 2] {
        let item = try await fixture.client.request(GetItem(id: id))
        #expect(item.name == "a")
      }
      #expect(fixture.server.snapshot.requests.count == 2)
    }
  }

  @Test("the transport pack can still have every answer loaded anew")
  func reloading() async throws {
    let transport = TransportPack(cachePolicy: .reloadIgnoringLocalCacheData, allowsInsecureHTTP: true)
    try await ClientFixture.with(
      .handler { _ in .item }, configuration: { .local($0, cache: pack, transport: transport) }
    ) { fixture in
      for _ in 0..<2 { _ = try await fixture.client.request(GetItem()) }
      #expect(fixture.server.snapshot.requests.count == 2)
    }
  }

  @Test("a validated response is decoded like a new one")
  func validation() async throws {
    let script = ServerScript.handler { request in
      request.headers["If-None-Match"] == "\"1\""
        ? ServerResponse(304)
        : .item.adding("ETag", "\"1\"").adding("Cache-Control", "no-cache")
    }
    let pack = CachePack(
      responseCachePolicy: .rfc9111Compliant(wrapping: .cacheFirst(maxAge: .seconds(300))),
      responseCache: InMemoryResponseCache())
    try await ClientFixture.with(script, configuration: { .local($0, cache: pack) }) { fixture in
      for _ in 0..<3 {
        let item = try await fixture.client.request(GetItem())
        #expect(item == Item(id: 1, name: "a"))
      }
      #expect(fixture.server.snapshot.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", "\"1\""])
    }
  }

  @Test("a redirected answer is stored under the URL that gave it, and a foreign origin hears no header of ours")
  func redirect() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .item })
    defer { foreign.stop() }
    let target = foreign.url("/item")
    try await ClientFixture.with(
      .handler { _ in .redirect(302, to: target) }, configuration: { .local($0, cache: pack) }
    ) { fixture in
      for _ in 0..<2 { _ = try await fixture.client.request(GetSecretItem()) }
      #expect(fixture.server.snapshot.requests.map { $0.headers["X-Tenant-Token"] } == ["secret", "secret"])
      let seen = foreign.snapshot.requests
      #expect(seen.count == 1)
      #expect(seen.allSatisfy { $0.headers["X-Tenant-Token"] == nil })
    }
  }
}

private struct GetSecretItem: APIDefinition {
  typealias APIResponse = Item
  var method: HTTPMethod { .get }
  var path: String { "/secret" }
  var sessionAuthentication: SessionAuthentication { .anonymous }
  var headers: HTTPHeaders { ["X-Tenant-Token": "secret"] }
}
