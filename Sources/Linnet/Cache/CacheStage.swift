package import FoundationEssentials
package import LinnetHTTP
internal import LinnetPolicies

/// Answers from the response cache where the client's policy and the request allow it, and keeps the cache up to date.
///
/// It stands inside the redirects, so that each response is stored under its own URL, and above the signers: a signed
/// request is never answered from the cache or stored, also not by caches on the way, which `no-store` tells.
package struct CacheStage: Sendable {
  /// Takes what becomes of a validation in the background, with the id of the call that started it.
  package typealias Report = @Sendable (UUID, CacheRevalidationState) -> Void

  private let rules: CachePolicy?
  private let cache: (any ResponseCache)?
  private let keys: CacheKeyRules
  private let way: EngineWay
  private let activity: CacheActivity
  private let report: Report

  /// - Parameters:
  ///   - policy: When the cache is used.
  ///   - cache: The store; without one every request goes on.
  ///   - keys: How keys are made.
  ///   - way: The ways of the requests below; requests that go others are none of the cache's.
  ///   - activity: What goes on between this client and its cache.
  ///   - report: Called from the task of the validation; must return at once.
  package init(
    policy: ResponseCachePolicy = .disabled, cache: (any ResponseCache)? = nil, keys: CacheKeyRules = CacheKeyRules(),
    way: EngineWay = EngineWay(), activity: CacheActivity = CacheActivity(), report: @escaping Report = { _, _ in }
  ) {
    self.way = way
    rules = policy.rules
    self.cache = cache
    self.keys = keys
    self.activity = activity
    self.report = report
  }

  /// Whether the stage would only pass a call's requests on.
  package func isTransparent(for call: CallContext) -> Bool {
    (rules == nil || cache == nil) && !call.isSigned && call.cachePolicy != .returnCacheDataDontLoad
  }

  package func execute(
    _ request: HTTPRequest, call: CallContext, next: @escaping NextStage
  ) async throws(NetworkError) -> Response {
    guard let rules, let cache, let url = try? request.parsedURL(), request.method == .get, !call.isSigned,
      !request.headers.contains("Range"), let mark = way.mark(of: request.options)
    else { return try await passOn(request, call: call, next: next) }
    let key = keys.key(
      method: request.method.rawValue, url: ResponseCacheKey.normalised(url), headers: request.headers,
      credentials: request.headers.contains("Authorization") ? nil : request.options.credentials, way: mark.text)
    let exchange = CachedExchange(
      request: request, key: key, rules: rules, cache: cache, fingerprint: keys.fingerprint, activity: activity,
      clock: call.clock, next: next)
    if call.cachePolicy == .reloadIgnoringLocalCacheData || request.hasPreconditions {
      return try await exchange.fetch()
    }
    let mayAsk = call.cachePolicy != .returnCacheDataDontLoad && !exchange.isOnlyIfCached
    guard let stored = await exchange.stored() else {
      guard mayAsk else { throw Self.notStored }
      return try await exchange.fetch()
    }
    if Task.isCancelled { throw .cancelled }
    switch Self.use(of: stored, exchange, call.cachePolicy) {
    case .serve: return exchange.answer(from: stored)
    case .serveWhileRevalidating:
      if mayAsk { revalidate(stored, exchange, call) }
      return exchange.answer(from: stored)
    case .validate:
      guard mayAsk else { throw Self.notStored }
      return try await validated(stored, exchange)
    case .fetch:
      guard mayAsk else { throw Self.notStored }
      return try await exchange.fetch()
    }
  }

  private static func use(
    of stored: CachedResponse, _ exchange: CachedExchange, _ policy: RequestCachePolicy
  ) -> CachePolicy.Use {
    switch policy {
    case .useProtocolCachePolicy, .reloadIgnoringLocalCacheData: exchange.use(of: stored)
    case .reloadRevalidatingCacheData: exchange.use(of: stored) == .fetch ? .fetch : .validate
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad: .serve
    }
  }

  /// The server's answer, or the stored response when the server fails and has allowed that for this case.
  private func validated(_ stored: CachedResponse, _ exchange: CachedExchange) async throws(NetworkError) -> Response {
    do throws(NetworkError) {
      switch try await exchange.validate(stored) {
      case .confirmed(let response): return response
      case .replaced(let response):
        let isFailure = [500, 502, 503, 504].contains(response.statusCode)
        return isFailure && exchange.mayUseOnError(stored) ? exchange.answer(from: stored) : response
      }
    } catch {
      guard error.isFailureToReachServer, exchange.mayUseOnError(stored) else { throw error }
      return exchange.answer(from: stored)
    }
  }

  private func revalidate(_ stored: CachedResponse, _ exchange: CachedExchange, _ call: CallContext) {
    let (report, id) = (report, call.requestID)
    activity.revalidate(exchange.key, scheduled: { report(id, .scheduled) }) {
      do throws(NetworkError) {
        switch try await exchange.validate(stored) {
        case .confirmed: report(id, .notModified)
        case .replaced(let response): report(id, .completed(statusCode: response.statusCode))
        }
      } catch {
        report(id, .failed(errorCode: error.errorCode, message: error.stableCategory))
      }
    }
  }

  /// Sends a request that is none of the cache's, and removes what an unsafe one has made obsolete.
  private func passOn(
    _ request: HTTPRequest, call: CallContext, next: NextStage
  ) async throws(NetworkError) -> Response {
    if call.cachePolicy == .returnCacheDataDontLoad { throw Self.notStored }
    var request = request
    if call.isSigned, !request.headers.listContains("no-store", in: "Cache-Control") {
      request.headers.add("Cache-Control", "no-store")
    }
    let response = try await next(request)
    guard rules != nil, let cache, CachePolicy.invalidates(method: request.method, status: response.statusCode),
      let target = try? request.parsedURL()
    else { return response }
    for url in CachePolicy.invalidatedTargets(of: target, response: response.headers) {
      let key = ResponseCacheKey.normalised(url)
      activity.changed(url: key)
      await cache.invalidateTargetURI(key)
    }
    return response
  }

  private static var notStored: NetworkError {
    .cache(504, "there is no stored response to use, and the request allows no other answer")
  }
}

extension CachedExchange {
  /// The request is to be answered from the cache or not at all (RFC 9111 §5.2.1.7).
  var isOnlyIfCached: Bool { rules.honoursDirectives && CacheControl(request.headers).hasOnlyIfCached }
}

extension NetworkError {
  /// No answer came, for a reason on the way or at the server.
  fileprivate var isFailureToReachServer: Bool {
    switch self {
    case .reachability, .timeout: true
    case .underlying(let error, _): error.transport != nil
    case .configuration, .statusCode, .decoding, .trustEvaluationFailed, .cancelled: false
    }
  }
}
