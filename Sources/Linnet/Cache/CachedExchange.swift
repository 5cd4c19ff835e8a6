internal import FoundationEssentials
internal import LinnetHTTP
internal import LinnetPolicies

/// One GET between a cache and the rest of the pipeline: looks up, fetches, validates, stores.
struct CachedExchange: Sendable {
  let request: HTTPRequest
  let key: ResponseCacheKey
  let rules: CachePolicy
  let cache: any ResponseCache
  let fingerprint: HeaderFingerprint
  let activity: CacheActivity
  let clock: any PolicyClock
  let next: NextStage

  /// How a validation ended.
  enum Validation: Sendable {
    /// The server confirmed the stored response, which is the answer.
    case confirmed(Response)
    /// The server sent another one.
    case replaced(Response)
  }

  private var now: WallTime { WallTime(clock.wallTime) }

  /// The stored response, if it answers a request with these headers.
  func stored() async -> CachedResponse? {
    guard let found = await cache.get(key), HTTPStatus(code: found.statusCode) != nil,
      VaryKey(fields: found.varyHeaders).matches(request.headers, masking: fingerprint.masked)
    else { return nil }
    return found
  }

  /// What a stored response may be used for.
  func use(of stored: CachedResponse) -> CachePolicy.Use {
    rules.use(of: stored.entry, for: request.headers, now: now)
  }

  /// Whether a stored response may stand in for a server that failed.
  func mayUseOnError(_ stored: CachedResponse) -> Bool {
    rules.mayUseOnError(stored.entry, for: request.headers, now: now)
  }

  /// The answer made from a stored response, with the `Age` that RFC 9111 §5.1 asks for.
  func answer(from stored: CachedResponse) -> Response {
    var headers = stored.headers
    headers.update("Age", "\(stored.entry.age(at: now).components.seconds)")
    return response(stored, headers: headers)
  }

  /// Sends the request as it is and stores the answer.
  func fetch() async throws(NetworkError) -> Response {
    let response = try await exchange(request) { response, fetch, initialAge in
      await store(response.data, response.headers, from: response, initialAge: initialAge, fetch: fetch)
    }
    if response.statusCode == 304, !request.hasPreconditions {
      throw .cache(304, "the server answered 304 Not Modified, but there is no stored response that it could mean")
    }
    return response
  }

  /// Asks the server whether a stored response is still good. With an `ETag` the server goes by that (RFC 9110 §13.1.3);
  /// the date is for servers that only know dates.
  func validate(_ stored: CachedResponse) async throws(NetworkError) -> Validation {
    var conditional = request
    if let etag = stored.etag { conditional.headers.update("If-None-Match", etag) }
    if let date = stored.lastModified { conditional.headers.update("If-Modified-Since", date) }
    guard conditional.hasPreconditions else { return .replaced(try await fetch()) }
    var confirmed: CachedResponse?
    let response = try await exchange(conditional) { response, fetch, initialAge in
      guard response.statusCode == 304 else {
        return await store(response.data, response.headers, from: response, initialAge: initialAge, fetch: fetch)
      }
      guard StoredFields.confirms(response.headers, stored.headers) else { return await cache.invalidate(key) }
      confirmed = await refresh(stored, by: response, initialAge: initialAge, fetch: fetch)
    }
    guard response.statusCode == 304 else { return .replaced(response) }
    guard let confirmed else { return .replaced(try await fetch()) }
    var answer = self.response(confirmed, headers: confirmed.headers)
    answer.connection = response.connection
    answer.timings = response.timings
    return .confirmed(answer)
  }
}

extension CachedExchange {
  private typealias Keep = (_ response: Response, _ fetch: CacheActivity.Fetch, _ initialAge: Duration) async -> Void

  /// Sends a request, noting the fetch until `keep` has stored what there is to store.
  private func exchange(_ request: HTTPRequest, keep: Keep) async throws(NetworkError) -> Response {
    let fetch = activity.began(url: key.url)
    defer { activity.ended(fetch) }
    let requestTime = now
    let response = try await next(request)
    await keep(
      response, fetch,
      Freshness.initialAge(of: response.headers, requestTime: requestTime, responseTime: now))
    return response
  }

  /// Stores a response if the rules allow it, or removes what the rules no longer allow.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - headers: The fields to be stored.
  ///   - status: The status to be stored; nil for the answer's.
  ///   - answer: What the server sent, which for a 304 is not what is stored.
  private func store(
    _ data: Data, _ headers: HTTPHeaders, status: Int? = nil, from answer: Response, initialAge: Duration,
    fetch: CacheActivity.Fetch
  ) async {
    let status = status ?? answer.statusCode
    // With credentials that the key does not know, it may be anybody's.
    guard !answer.sentCredentials || request.namesItsSender else { return await cache.invalidate(key) }
    let storage = rules.storage(
      status: status, response: headers, method: request.method, request: request.headers,
      isAuthorized: answer.sentCredentials)
    switch storage {
    case .skip: return
    case .remove: await cache.invalidate(key)
    case .store(let requiresValidation):
      let vary = VaryKey(response: headers, request: request.headers, masking: fingerprint.masked)
      guard let vary else { return await cache.invalidate(key) }
      await put(
        CachedResponse(
          data: data, statusCode: status, headers: StoredFields.storable(headers), storedAt: clock.wallTime,
          requiresRevalidation: requiresValidation, varyHeaders: vary.fields, initialAge: initialAge),
        fetch)
    }
  }

  /// Stores a response unless the resource was changed after it was asked for.
  private func put(_ response: CachedResponse, _ fetch: CacheActivity.Fetch) async {
    guard !activity.isOvertaken(fetch) else { return }
    await cache.set(key, response)
    if activity.isOvertaken(fetch) { await cache.invalidate(key) }
  }

  /// The stored response after a 304 (RFC 9111 §4.3.4). One whose `Vary` names other fields than before says nothing
  /// about the stored request, so then only the time is new.
  private func refresh(
    _ stored: CachedResponse, by notModified: Response, initialAge: Duration, fetch: CacheActivity.Fetch
  ) async -> CachedResponse {
    let names = VaryKey.names(in: notModified.headers)
    guard !notModified.headers.contains("Vary") || names == VaryKey.names(in: stored.headers) else {
      let confirmed = CachedResponse(
        data: stored.data, statusCode: stored.statusCode, headers: stored.headers, storedAt: clock.wallTime,
        requiresRevalidation: stored.requiresRevalidation, varyHeaders: stored.varyHeaders, initialAge: initialAge)
      await put(confirmed, fetch)
      return confirmed
    }
    let headers = StoredFields.merging(stored.headers, with: notModified.headers)
    await store(
      stored.data, headers, status: stored.statusCode, from: notModified, initialAge: initialAge, fetch: fetch)
    return CachedResponse(
      data: stored.data, statusCode: stored.statusCode, headers: headers, storedAt: clock.wallTime,
      initialAge: initialAge)
  }

  private func response(_ stored: CachedResponse, headers: HTTPHeaders) -> Response {
    Response(
      statusCode: stored.statusCode, data: stored.data, request: request,
      response: ResponseHead(status: HTTPStatus(code: stored.statusCode) ?? .ok, headers: headers))
  }
}

extension CachedResponse {
  /// What decisions need to know.
  var entry: CachePolicy.Entry {
    let storedAt = WallTime(self.storedAt)
    return CachePolicy.Entry(
      headers: headers, storedAt: storedAt,
      initialAge: initialAge ?? Freshness.initialAge(of: headers, requestTime: storedAt, responseTime: storedAt),
      requiresValidation: requiresRevalidation)
  }
}

extension WallTime {
  /// The time of a date; a date that is no number counts as 1970.
  init(_ date: Date) {
    let seconds = date.timeIntervalSince1970
    self.init(sinceEpoch: seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e12), 1e12)))
  }
}

extension HTTPRequest {
  /// Whether the cache key tells with which credentials the request is sent.
  fileprivate var namesItsSender: Bool { headers.contains("Authorization") || options.credentials != nil }

  /// Whether the answer depends on what the sender has already: then it is the sender's, and no cache has it.
  var hasPreconditions: Bool {
    ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"]
      .contains { headers.contains($0) }
  }
}

extension NetworkError {
  /// A failure of the cache: 504 when there is nothing stored and nothing may be sent, 304 when the server refers to
  /// something that is not there.
  static func cache(_ code: Int, _ message: String) -> NetworkError {
    .underlying(SendableUnderlyingError(domain: "ResponseCache", code: code, message: message), nil)
  }
}
