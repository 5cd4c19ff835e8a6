import FoundationEssentials
import Linnet
import LinnetBytes

/// A clock that stands still until a test moves it.
final class CacheTestClock: PolicyClock {
  private let seconds = Lock<Double>(1_800_000_000)

  var now: ContinuousClock.Instant { .now }
  var wallTime: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

  func sleep(until deadline: ContinuousClock.Instant) async throws { throw CancellationError() }

  func advance(_ seconds: Double) { self.seconds.withLock { $0 += seconds } }
}

/// What stands below the cache: answers by a closure and remembers what it was asked.
final class CacheOrigin: Sendable {
  typealias Answer = @Sendable (HTTPRequest) async throws(NetworkError) -> Response

  private let seen = Lock<[HTTPRequest]>([])
  private let answer: Lock<Answer>

  init(_ answer: @escaping Answer) { self.answer = Lock(answer) }

  /// The requests in the order of their arrival.
  var requests: [HTTPRequest] { seen.withLock { $0 } }
  /// How many requests arrived.
  var count: Int { requests.count }

  func answers(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

  var next: NextStage {
    { request throws(NetworkError) in
      self.seen.withLock { $0.append(request) }
      let answer = self.answer.withLock { $0 }
      return try await answer(request)
    }
  }
}

/// A cache stage with everything around it.
struct CacheFixture: Sendable {
  let clock = CacheTestClock()
  let activity = CacheActivity()
  let cache: any ResponseCache
  let origin: CacheOrigin
  let stage: CacheStage
  let reports = CacheReports()

  init(
    _ policy: ResponseCachePolicy, cache: any ResponseCache = InMemoryResponseCache(),
    sensitiveHeaderNames: [String] = [], _ answer: @escaping CacheOrigin.Answer
  ) {
    self.cache = cache
    origin = CacheOrigin(answer)
    let reports = reports
    stage = CacheStage(
      policy: policy, cache: cache, keys: CacheKeyRules(sensitiveHeaderNames: sensitiveHeaderNames),
      activity: activity, report: { id, state in reports.add(id, state) })
  }

  func send(
    _ request: HTTPRequest = .get("https://h/a"), cachePolicy: RequestCachePolicy = .useProtocolCachePolicy,
    isSigned: Bool = false, id: UUID = UUID()
  ) async throws(NetworkError) -> Response {
    let call = CallContext(requestID: id, isSigned: isSigned, cachePolicy: cachePolicy, clock: clock)
    return try await stage.execute(request, call: call, next: origin.next)
  }

  func get(
    _ path: String = "/a", _ headers: HTTPHeaders = [:], _ cachePolicy: RequestCachePolicy = .useProtocolCachePolicy
  ) async throws(NetworkError) -> Response {
    try await send(.get("https://h" + path, headers: headers), cachePolicy: cachePolicy)
  }
}

/// The states that a stage reported.
final class CacheReports: Sendable {
  private let states = Lock<[(id: UUID, state: CacheRevalidationState)]>([])

  var all: [CacheRevalidationState] { states.withLock { $0.map(\.state) } }
  var ids: Set<UUID> { Set(states.withLock { $0.map(\.id) }) }

  func add(_ id: UUID, _ state: CacheRevalidationState) { states.withLock { $0.append((id, state)) } }
}

extension Response {
  /// A response with a text as its body.
  static func canned(_ status: Int = 200, _ headers: HTTPHeaders = [:], body: String = "") -> Response {
    Response(
      statusCode: status, data: Data(body.utf8), request: nil,
      response: ResponseHead(status: HTTPStatus(code: status) ?? .ok, headers: headers))
  }

  var text: String { String(decoding: data, as: UTF8.self) }
}

extension NetworkError {
  /// Domain and code of an underlying error.
  var origin: String? {
    if case .underlying(let error, _) = self { return "\(error.domain) \(error.code)" }
    return nil
  }
}
