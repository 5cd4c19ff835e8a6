import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetTestRandom
import Testing

/// A resource of the simulated server.
private struct Resource: Sendable, Equatable {
  var version = 0
  var maxAge: Int?
  var staleWindow: Int?
  var noCache = false
  var noStore = false
  var mustRevalidate = false
  var hasETag = true

  mutating func change(using random: inout SeededGenerator) {
    version += 1
    maxAge = random.isOneIn(2) ? Int.random(in: 0...12, using: &random) : nil
    staleWindow = random.isOneIn(3) ? Int.random(in: 0...6, using: &random) : nil
    noCache = random.isOneIn(10)
    noStore = random.isOneIn(10)
    mustRevalidate = random.isOneIn(5)
    hasETag = !random.isOneIn(4)
  }

  var headers: HTTPHeaders {
    var parts: [String] = []
    if let maxAge { parts.append("max-age=\(maxAge)") }
    if let staleWindow { parts.append("stale-while-revalidate=\(staleWindow)") }
    if noCache { parts.append("no-cache") }
    if noStore { parts.append("no-store") }
    if mustRevalidate { parts.append("must-revalidate") }
    var headers: HTTPHeaders = parts.isEmpty ? [:] : ["Cache-Control": parts.joined(separator: ", ")]
    if hasETag { headers["ETag"] = "\"\(version)\"" }
    return headers
  }
}

/// The cache once more, in whole seconds and without any text: what it holds, and what it must do next.
private struct CacheModel {
  struct Held {
    var resource: Resource
    var since: Int
  }

  enum Step: Equatable {
    case answer(version: Int)
    case answerAndAskLater(version: Int)
    case ask(condition: String?)
    case refuse
  }

  let window: Int?
  let staleWindow: Int
  let honours: Bool
  let lifetime: Int?
  var held: [String: Held] = [:]

  func step(_ path: String, _ policy: RequestCachePolicy, now: Int) -> Step {
    let mayAsk = policy != .returnCacheDataDontLoad
    guard let held = held[path], policy != .reloadIgnoringLocalCacheData else {
      return mayAsk ? .ask(condition: nil) : .refuse
    }
    let condition = held.resource.hasETag ? "\"\(held.resource.version)\"" : nil
    switch policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad: return .answer(version: held.resource.version)
    case .reloadRevalidatingCacheData: return .ask(condition: condition)
    default: break
    }
    if held.resource.noCache { return .ask(condition: condition) }
    let age = now - held.since
    var limits: [Int] = []
    if let window { limits.append(window) }
    if honours, let lifetime = held.resource.maxAge ?? lifetime ?? (window == nil ? 0 : nil) { limits.append(lifetime) }
    let limit = limits.min() ?? 0
    if age < limit { return .answer(version: held.resource.version) }
    var extra = staleWindow
    if honours {
      extra = held.resource.mustRevalidate ? 0 : max(extra, held.resource.staleWindow ?? 0)
    }
    return age < limit + extra ? .answerAndAskLater(version: held.resource.version) : .ask(condition: condition)
  }

  mutating func received(_ path: String, _ resource: Resource, now: Int) {
    held[path] = resource.noStore ? nil : Held(resource: resource, since: now)
  }
}

@Suite struct CacheStageModelTests {
  private static let setUps: [(ResponseCachePolicy, CacheModel)] = [
    (.cacheFirst(maxAge: .seconds(10)), CacheModel(window: 10, staleWindow: 0, honours: false, lifetime: nil)),
    (
      .staleWhileRevalidate(maxAge: .seconds(6), staleWindow: .seconds(5)),
      CacheModel(window: 6, staleWindow: 5, honours: false, lifetime: nil)
    ),
    (
      .rfc9111Compliant(wrapping: .cacheFirst(maxAge: .seconds(8))),
      CacheModel(window: 8, staleWindow: 0, honours: true, lifetime: nil)
    ),
    (
      .rfc9111Compliant(wrapping: .staleWhileRevalidate(maxAge: .seconds(8), staleWindow: .seconds(3))),
      CacheModel(window: 8, staleWindow: 3, honours: true, lifetime: nil)
    ),
    (
      .serverDirected(defaultTTL: .seconds(4)),
      CacheModel(window: nil, staleWindow: 0, honours: true, lifetime: 4)
    ),
  ]

  @Test("answers and requests are what a second model says, over random scripts", arguments: 0..<setUps.count)
  func scripts(index: Int) async throws {
    let (policy, initial) = Self.setUps[index]
    var random = SeededGenerator(seed: UInt64(index) &+ 99)
    let server = Lock<[String: Resource]>([:])
    let fixture = CacheFixture(policy) { request in
      let path = String(request.url.dropFirst("https://h".count))
      let resource = server.withLock { $0[path] ?? Resource() }
      guard request.method == .get else { return .canned(204, [:]) }
      if resource.hasETag, request.headers["If-None-Match"] == "\"\(resource.version)\"" {
        return .canned(304, resource.headers)
      }
      return .canned(200, resource.headers, body: "\(resource.version)")
    }
    var model = initial
    var now = 0
    var kinds: Set<String> = []
    for step in 0..<1200 {
      let pause = random.isOneIn(2) ? 0 : Int.random(in: 0...5, using: &random)
      now += pause
      fixture.clock.advance(Double(pause))
      let path = "/\(Int.random(in: 0..<3, using: &random))"
      if random.isOneIn(6) {
        let next = random
        server.withLock { state in
          var source = next
          state[path, default: Resource()].change(using: &source)
        }
        _ = random.next()
      }
      if random.isOneIn(12) {
        _ = try await fixture.send(.post("https://h\(path)"))
        model.held[path] = nil
        continue
      }
      let use = random.isOneIn(3) ? RequestCachePolicy.allCases.randomElement(using: &random) : nil
      let expected = model.step(path, use ?? .useProtocolCachePolicy, now: now)
      let count = fixture.origin.count
      let answer = try? await fixture.get(path, [:], use ?? .useProtocolCachePolicy)
      await fixture.activity.waitUntilIdle()
      let asked = fixture.origin.requests.dropFirst(count)
      let current = server.withLock { $0[path] ?? Resource() }
      let comment: Comment = "step \(step), \(path): \(expected)"
      kinds.insert("\(expected)".prefix { $0 != "(" }.description)
      switch expected {
      case .answer(let version):
        #expect(answer?.text == "\(version)" && asked.isEmpty, comment)
      case .answerAndAskLater(let version):
        #expect(answer?.text == "\(version)" && asked.count == 1, comment)
        model.received(path, current, now: now)
      case .ask(let condition):
        #expect(answer?.text == "\(current.version)" && asked.count == 1, comment)
        #expect(asked.first?.headers["If-None-Match"] == condition, comment)
        model.received(path, current, now: now)
      case .refuse: #expect(answer == nil && asked.isEmpty, comment)
      }
    }
    #expect(kinds.isSuperset(of: ["answer", "ask", "refuse"]))
    #expect(fixture.activity.fetchCount == 0)
  }
}
