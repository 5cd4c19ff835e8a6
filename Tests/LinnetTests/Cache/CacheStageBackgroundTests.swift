import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite struct CacheStageBackgroundTests {
  private let policy = ResponseCachePolicy.staleWhileRevalidate(maxAge: .seconds(60), staleWindow: .seconds(30))

  @Test("CACHE-02: a response in the stale window is the answer at once, and is validated once in the background")
  func staleWhileRevalidate() async throws {
    let fixture = CacheFixture(policy) { _ in .canned(200, ["ETag": "\"1\""], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    let gate = Gate()
    fixture.origin.answers { _ in
      try? await gate.opened()
      return .canned(304, [:])
    }
    let id = UUID()
    for _ in 0..<3 { #expect(try await fixture.send(id: id).text == "one") }
    #expect(fixture.activity.revalidationCount == 1)
    gate.open()
    await fixture.activity.waitUntilIdle()
    #expect(fixture.origin.count == 2)
    #expect(fixture.origin.requests.last?.headers["If-None-Match"] == "\"1\"")
    #expect(fixture.reports.all == [.scheduled, .notModified])
    #expect(fixture.reports.ids == [id])
    fixture.clock.advance(59)
    #expect(try await fixture.get().text == "one")
    #expect(fixture.origin.count == 2)
  }

  @Test("beyond the stale window the caller waits for the validation")
  func beyondTheWindow() async throws {
    let fixture = CacheFixture(policy) { _ in .canned(200, ["ETag": "\"1\""], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(90)
    fixture.origin.answers { _ in .canned(200, [:], body: "two") }
    #expect(try await fixture.get().text == "two")
    #expect(fixture.reports.all.isEmpty)
  }

  @Test("a new response replaces the stored one, a failure leaves it")
  func outcomes() async throws {
    let fixture = CacheFixture(policy) { _ in .canned(200, [:], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    fixture.origin.answers { _ throws(NetworkError) in throw .timeout(reason: .requestTimeout, underlying: nil) }
    #expect(try await fixture.get().text == "one")
    await fixture.activity.waitUntilIdle()
    fixture.origin.answers { _ in .canned(500, [:]) }
    #expect(try await fixture.get().text == "one")
    await fixture.activity.waitUntilIdle()
    fixture.origin.answers { _ in .canned(200, [:], body: "two") }
    #expect(try await fixture.get().text == "one")
    await fixture.activity.waitUntilIdle()
    #expect(try await fixture.get().text == "two")
    let timeout = NetworkError.timeout(reason: .requestTimeout, underlying: nil)
    #expect(
      fixture.reports.all == [
        .scheduled, .failed(errorCode: timeout.errorCode, message: "timeout.request"), .scheduled,
        .completed(statusCode: 500), .scheduled, .completed(statusCode: 200),
      ])
  }

  @Test("validations in the background can be cancelled, and report that they were")
  func cancelling() async throws {
    let fixture = CacheFixture(policy) { _ in .canned(200, [:], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    fixture.origin.answers { _ throws(NetworkError) in
      do { try await Task.sleep(for: .seconds(3600)) } catch { throw .cancelled }
      return .canned(200, [:], body: "two")
    }
    #expect(try await fixture.get().text == "one")
    fixture.activity.cancelAll()
    await fixture.activity.waitUntilIdle()
    #expect(fixture.activity.revalidationCount == 0)
    #expect(
      fixture.reports.all == [.scheduled, .failed(errorCode: NetworkError.cancelled.errorCode, message: "cancelled")])
  }

  @Test("the caller's cancellation does not end the validation that it caused")
  func callerCancelled() async throws {
    let fixture = CacheFixture(policy) { _ in .canned(200, ["ETag": "\"1\""], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    let gate = Gate()
    fixture.origin.answers { _ in
      try? await gate.opened()
      return .canned(200, [:], body: Task.isCancelled ? "cancelled" : "two")
    }
    let task = Task { try await fixture.get() }
    #expect(try await task.value.text == "one")
    task.cancel()
    gate.open()
    await fixture.activity.waitUntilIdle()
    #expect(try await fixture.get().text == "two")
  }

  @Test("the server's stale-while-revalidate counts with the adapter")
  func directive() async throws {
    let fixture = CacheFixture(.rfc9111Compliant(wrapping: .cacheFirst(maxAge: .seconds(300)))) { _ in
      .canned(200, ["Cache-Control": "max-age=1, stale-while-revalidate=60"], body: "one")
    }
    _ = try await fixture.get()
    fixture.clock.advance(1.5)
    #expect(try await fixture.get().text == "one")
    await fixture.activity.waitUntilIdle()
    #expect(fixture.reports.all == [.scheduled, .completed(statusCode: 200)])
  }
}

@Suite struct CacheStageErrorTests {
  private func fixture(_ cacheControl: String) async throws -> CacheFixture {
    let fixture = CacheFixture(.serverDirected()) { _ in
      .canned(200, ["Cache-Control": cacheControl, "ETag": "\"1\""], body: "one")
    }
    _ = try await fixture.get()
    fixture.clock.advance(10)
    return fixture
  }

  private static let unreachable = NetworkError.reachability(
    .connectionRefused, SendableUnderlyingError(domain: "linnet", code: 4002, message: "refused"), nil)

  @Test("stale-if-error: a stored response stands in for a server that fails or cannot be reached")
  func staleIfError() async throws {
    let fixture = try await fixture("max-age=5, stale-if-error=60")
    fixture.origin.answers { _ throws(NetworkError) in throw Self.unreachable }
    #expect(try await fixture.get().text == "one")
    for status in [500, 502, 503, 504] {
      fixture.origin.answers { _ in .canned(status, [:], body: "failed") }
      #expect(try await fixture.get().text == "one")
    }
    fixture.origin.answers { _ in .canned(404, [:], body: "gone") }
    #expect(try await fixture.get().statusCode == 404)
  }

  @Test("without permission the failure is the answer; a cancellation and a configuration error always are")
  func withoutPermission() async throws {
    let strict = try await fixture("max-age=5, must-revalidate, stale-if-error=60")
    strict.origin.answers { _ throws(NetworkError) in throw Self.unreachable }
    await #expect(throws: NetworkError.self) { try await strict.get() }
    let lenient = try await fixture("max-age=5, stale-if-error=60")
    for error in [NetworkError.cancelled, .configuration(reason: .invalidRequest("x"))] {
      lenient.origin.answers { _ throws(NetworkError) in throw error }
      await #expect(throws: NetworkError.self) { try await lenient.get() }
    }
  }
}

@Suite struct CacheStageInvalidationTests {
  private let minute = ResponseCachePolicy.cacheFirst(maxAge: .seconds(60))

  private func cachedPaths(_ fixture: CacheFixture, _ paths: [String]) async throws -> [String] {
    var found: [String] = []
    for path in paths where (try? await fixture.get(path, [:], .returnCacheDataDontLoad)) != nil { found.append(path) }
    return found
  }

  @Test(
    "a success of an unsafe method removes every variant of its URL; an error and a safe method remove none",
    arguments: [
      ("POST", 200, true), ("PUT", 204, true), ("DELETE", 303, true), ("PURGE", 200, true), ("POST", 404, false),
      ("HEAD", 200, false), ("OPTIONS", 200, false),
    ])
  func unsafeMethods(method: String, status: Int, removes: Bool) async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, [:], body: "one") }
    for language in ["de", "en"] { _ = try await fixture.get("/a", ["Accept-Language": language]) }
    _ = try await fixture.get("/b")
    fixture.origin.answers { _ in .canned(status, [:]) }
    _ = try await fixture.send(HTTPRequest(method: try #require(HTTPMethod(rawValue: method)), url: "https://H/a#x"))
    for language in ["de", "en"] {
      let hit = try? await fixture.get("/a", ["Accept-Language": language], .returnCacheDataDontLoad)
      #expect((hit == nil) == removes)
    }
    #expect(try await cachedPaths(fixture, ["/b"]) == ["/b"])
  }

  @Test("Location and Content-Location of the same origin go as well, and a signed request changes things, too")
  func locations() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, [:], body: "one") }
    let paths = ["/items", "/items/7", "/latest", "/other"]
    for path in paths { _ = try await fixture.get(path) }
    fixture.origin.answers { _ in
      .canned(201, ["Location": "/items/7", "Content-Location": "https://elsewhere/other"])
    }
    _ = try await fixture.send(.post("https://h/items"))
    #expect(try await cachedPaths(fixture, paths) == ["/latest", "/other"])
    fixture.origin.answers { _ in .canned(200, [:]) }
    _ = try await fixture.send(.post("https://h/latest"), isSigned: true)
    #expect(try await cachedPaths(fixture, paths) == ["/other"])
  }

  @Test("an answer that was overtaken by a change is delivered and not stored")
  func overtaken() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, [:]) }
    let gate = Gate()
    let arrived = Gate()
    fixture.origin.answers { request in
      guard request.method == .get else { return .canned(200, [:]) }
      arrived.open()
      try? await gate.opened()
      return .canned(200, [:], body: "before the change")
    }
    async let slow = fixture.get()
    try await arrived.opened()
    _ = try await fixture.send(.post("https://h/a"))
    gate.open()
    #expect(try await slow.text == "before the change")
    fixture.origin.answers { _ in .canned(200, [:], body: "after the change") }
    #expect(try await fixture.get().text == "after the change")
    #expect(try await fixture.get().text == "after the change")
    #expect(fixture.origin.count == 3)
    #expect(fixture.activity.fetchCount == 0)
  }

  @Test("a fetch that fails leaves nothing behind")
  func failedFetch() async throws {
    let fixture = CacheFixture(minute) { _ throws(NetworkError) in throw .cancelled }
    await #expect(throws: NetworkError.self) { try await fixture.get() }
    #expect(fixture.activity.fetchCount == 0)
  }
}
