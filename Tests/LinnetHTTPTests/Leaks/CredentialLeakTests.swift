import LinnetBytes
import LinnetHTTP
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// Generated chains of redirections between origins that record every byte, with credentials of every kind: no secret
/// reaches an origin that it was not given for.
@Suite("Credential leaks", .timeLimit(.minutes(5)))
struct CredentialLeakTests {
  /// Chains of each way of the four; over a thousand in all.
  private static let chainsPerWay = 300

  private struct Outcome {
    var refusals = 0
    /// Secrets that the first request of a chain has to show.
    var expected: [(kind: LeakKind, text: String)] = []
  }

  @Test("no secret reaches an origin that it was not given for", arguments: LeakClient.Way.allCases)
  func noLeak(way: LeakClient.Way) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let (world, outcome) = try await run(way, seed: seed) { _ in }
    defer { world.stop() }
    let about = Comment(rawValue: "seed \(seed)")
    #expect(world.ledger.leaks.count == 0, "seed \(seed): \(world.ledger.leaks.first ?? "")")
    #expect(world.complaints.isEmpty, about)
    // A harness that sends nothing finds nothing.
    #expect(world.ledger.requests > Self.chainsPerWay * 2, about)
    #expect(outcome.refusals < Self.chainsPerWay / 2, about)
    for (kind, text) in outcome.expected {
      if !world.ledger.wasSeen(text) { Issue.record("\(kind) was not shown where it belongs (seed \(seed))") }
    }
    for kind in LeakKind.allCases where kind != .digestPassword && (kind != .proxy || way == .proxy || way == .tunnel) {
      #expect(world.ledger.count(kind) > 0, "\(kind), seed \(seed)")
    }
    #expect(world.ledger.count(.digestPassword) == 0)
  }

  @Test("the harness sees leaks: with the opt-in there are some of each kind that it is about")
  func leaks() async throws {
    let (world, _) = try await run(.http1, seed: 7) { $0.sendsCredentialsAcrossOrigins = true }
    defer { world.stop() }
    for kind in [
      LeakKind.authorizationField, .cookieField, .namedField, .unknownField, .markedField, .basic, .bearer, .userinfo,
      .clientDefault, .clientCertificate,
    ] {
      #expect(world.ledger.leaks.contains { $0.utf8.starts(with: "\(kind) ".utf8) }, "\(kind)")
    }
    for kind in [LeakKind.clientCredentials, .netrc, .hostCookie, .domainCookie, .secureCookie] {
      #expect(!world.ledger.leaks.contains { $0.utf8.starts(with: "\(kind) ".utf8) }, "\(kind)")
    }
  }

  private func run(
    _ way: LeakClient.Way, seed: UInt64, change: @Sendable (inout HTTPRedirectPolicy) -> Void
  ) async throws -> (LeakOrigins, Outcome) {
    var random = SeededGenerator(seed: seed)
    let world = try LeakOrigins()
    let directory = try TemporaryDirectory()
    // Two clients, so that what one knows must not reach where only the other is known.
    let clients = try (0..<2).map { try LeakClient(number: $0, way: way, world, in: directory) }
    var outcome = Outcome()
    for number in 0..<Self.chainsPerWay {
      let client = random.pick(clients)
      var chain = LeakChain.random(number: number, client: client.number, origins: world.origins, &random)
      var request = self.request(&chain, world.ledger, &outcome, &random)
      var policy = HTTPRedirectPolicy.follow
      policy.allowsHTTPSDowngrade = random.chance(80)
      policy.keepsPostOnMovedPermanently = random.chance(20)
      policy.keepsPostOnFound = random.chance(20)
      policy.keepsPostOnSeeOther = random.chance(20)
      policy.sendsReferer = random.chance(30)
      policy.additionalSensitiveHeaders = random.chance(50) ? ["accept-LANGUAGE"] : []
      if random.chance(30) { policy.decide = { _ in .follow } }
      change(&policy)
      request.options.redirects = policy
      world.add(chain)
      do throws(TransportError) {
        _ = try await client.client.send(request).collect()
      } catch {
        let isExpected = error.code == .redirectRefused || error.code == .redirectLoop
        if !isExpected { Issue.record("\(error) (seed \(seed), chain \(number))") }
        outcome.refusals += 1
      }
    }
    for client in clients { await client.client.shutdown(grace: .zero) }
    return (world, outcome)
  }

  /// The first request of a chain, with some secrets of its own.
  private func request(
    _ chain: inout LeakChain, _ ledger: LeakLedger, _ outcome: inout Outcome, _ random: inout SeededGenerator
  ) -> HTTPRequest {
    let start = chain.steps[0].origin
    let limits = chain
    func secret(_ kind: LeakKind) -> String {
      let text = ledger.add(kind, for: "chain \(limits.number) until it leaves \(start)", limits.mayBeSeenBeforeLeaving)
      outcome.expected.append((kind, text))
      return text
    }
    let scheme = start.isSecure ? "https" : "http"
    var request = HTTPRequest.get("\(start)\(chain.path(0))")
    if random.chance(30) {
      request.method = random.pick([.post, .put])
      request.body = .text("body \(secret(.body))")
      request.headers.add("Content-Type", "text/plain")
    }
    switch random.next() % 7 {
    case 0: request.headers.add("Authorization", "Bearer \(secret(.authorizationField))")
    case 1: request.options.credentials = .basic(user: "user", password: secret(.basic))
    case 2: request.options.credentials = .bearer(secret(.bearer))
    case 3: request.url = "\(scheme)://user:\(secret(.userinfo))@\(start.authority)\(chain.path(0))"
    case 4, 5:
      // Only the name is shown, and the password to nobody.
      let password = ledger.add(.digestPassword, for: "nobody") { _ in false }
      let isDigest = random.chance(50)
      let name = secret(isDigest ? .digest : .any)
      request.options.credentials =
        isDigest ? .digest(user: name, password: password) : .any(user: name, password: password)
      chain.steps[0].challenge = .digest
    default: break
    }
    if random.chance(40) { request.headers.add("Cookie", "own=\(secret(.cookieField))") }
    if random.chance(40) { request.headers.add(random.pick(["X-Api-Key", "X-Auth-Token"]), secret(.namedField)) }
    if random.chance(40) { request.headers.add("X-Company-Thing", secret(.unknownField)) }
    if random.chance(40) {
      request.headers.add(HTTPHeader(name: "Accept-Language", value: secret(.markedField), isSensitive: true))
    }
    if random.chance(30) { request.headers.add("Referer", "http://intranet.test/\(secret(.referer))") }
    return request
  }
}
