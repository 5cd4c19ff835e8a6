import LinnetHTTPTypes
import LinnetPolicies
import LinnetTestRandom
import Testing

/// What a server and a request say about time, as values instead of text.
private struct Situation {
  var maxAge: Int?
  var swr: Int?
  var mustRevalidate = false
  var noCache = false
  var initialAge = 0
  var window: Int?
  var staleWindow = 0
  var defaultLifetime: Int?
  var requestMaxAge: Int?
  var minFresh: Int?
  var maxStale: Int?
  var resident = 0

  init(using random: inout SeededGenerator) {
    func maybe(_ limit: Int) -> Int? {
      Bool.random(using: &random) ? Int.random(in: 0...limit, using: &random) : nil
    }
    maxAge = maybe(20)
    swr = maybe(10)
    mustRevalidate = Int.random(in: 0..<5, using: &random) == 0
    noCache = Int.random(in: 0..<8, using: &random) == 0
    initialAge = maybe(10) ?? 0
    window = maybe(25)
    staleWindow = maybe(10) ?? 0
    defaultLifetime = maybe(15)
    requestMaxAge = maybe(25)
    minFresh = maybe(5)
    maxStale = maybe(8)
    resident = Int.random(in: 0...40, using: &random)
  }

  /// The rules once more, by trying second after second: the limit is the first in which the response is not fresh. It
  /// may lie before the storing.
  func expected(honouring: Bool) -> CachePolicy.Use {
    if noCache { return .validate }
    let lifetime = maxAge ?? defaultLifetime ?? (window == nil ? 0 : nil)
    func isFresh(at second: Int) -> Bool {
      if let window, second >= window { return false }
      guard honouring, let lifetime else { return true }
      return initialAge + second < lifetime
    }
    var limit = 60
    while !isFresh(at: limit - 1) { limit -= 1 }
    if honouring {
      if let requestMaxAge, initialAge + resident > requestMaxAge { return .validate }
      if let minFresh, resident + minFresh > limit { return .validate }
    }
    if isFresh(at: resident) { return .serve }
    let staleFor = resident - limit
    guard honouring else { return staleFor < staleWindow ? .serveWhileRevalidating : .validate }
    if mustRevalidate { return .validate }
    if let maxStale, staleFor <= maxStale { return .serve }
    return staleFor < max(staleWindow, swr ?? 0) ? .serveWhileRevalidating : .validate
  }

  func response(using random: inout SeededGenerator) -> HTTPHeaders {
    var parts: [String] = []
    func time(_ name: String, _ value: Int?) {
      guard let value else { return }
      let spelled = Bool.random(using: &random) ? name : name.uppercased()
      parts.append(Bool.random(using: &random) ? "\(spelled)=\(value)" : "\(spelled)=\"\(value)\"")
    }
    time("max-age", maxAge)
    time("stale-while-revalidate", swr)
    if mustRevalidate { parts.append("must-revalidate") }
    if noCache { parts.append("No-Cache") }
    if Bool.random(using: &random) { parts.append("x=\"a, no-store, max-age=1\"") }
    parts.shuffle(using: &random)
    return HTTPHeaders(parts.map { HTTPHeader("Cache-Control", $0) })
  }

  var request: HTTPHeaders {
    let parts = [
      requestMaxAge.map { "max-age=\($0)" }, minFresh.map { "min-fresh=\($0)" }, maxStale.map { "max-stale=\($0)" },
    ].compactMap(\.self)
    return parts.isEmpty ? [:] : ["Cache-Control": parts.joined(separator: ", ")]
  }
}

@Suite struct CachePolicyModelTests {
  @Test("the use of an entry is what a second model says, in twenty thousand situations", arguments: [false, true])
  func model(honouring: Bool) {
    var random = SeededGenerator(seed: honouring ? 11 : 12)
    let now = WallTime(sinceEpoch: .seconds(1_800_000_000))
    var counts: [CachePolicy.Use: Int] = [:]
    for round in 0..<20_000 {
      var situation = Situation(using: &random)
      if !honouring { situation.window = situation.window ?? 10 }
      let policy = CachePolicy(
        window: situation.window.map { .seconds($0) }, staleWindow: .seconds(situation.staleWindow),
        honoursDirectives: honouring, defaultLifetime: situation.defaultLifetime.map { .seconds($0) })
      let entry = CachePolicy.Entry(
        headers: situation.response(using: &random),
        storedAt: WallTime(sinceEpoch: now.sinceEpoch - .seconds(situation.resident)),
        initialAge: .seconds(situation.initialAge), requiresValidation: situation.noCache)
      let use = policy.use(of: entry, for: situation.request, now: now)
      guard use == situation.expected(honouring: honouring) else {
        Issue.record("round \(round): \(use) instead of \(situation.expected(honouring: honouring)) for \(situation)")
        return
      }
      counts[use, default: 0] += 1
    }
    for use in [CachePolicy.Use.serve, .serveWhileRevalidating, .validate] { #expect(counts[use, default: 0] > 200) }
  }
}
