internal import LinnetHTTP

/// Runs ``Middleware`` around the exchanges of one attempt: after the session's token is applied, outside of redirects.
package struct MiddlewareStage: Sendable {
  private let middleware: [Middleware]
  private let maximumResends: Int

  /// A stage.
  ///
  /// - Parameters:
  ///   - middleware: In the order in which it was added.
  ///   - maximumResends: How many times an attempt is sent again when middleware asks; independent of the retry policy.
  ///     Default 1.
  package init(_ middleware: [Middleware], maximumResends: Int = 1) {
    self.middleware = middleware.filter(\.pathMatcher.isGlobal) + middleware.filter { !$0.pathMatcher.isGlobal }
    self.maximumResends = maximumResends
  }

  /// Whether the stage does nothing.
  package var isEmpty: Bool { middleware.isEmpty }

  package func execute(
    _ request: HTTPRequest, call: CallContext, next: NextStage
  ) async throws(NetworkError) -> Response {
    guard !middleware.isEmpty else { return try await next(request) }
    var resends = 0
    while true {
      // What applies is decided by the request as it came: middleware that rewrites the path sees its response, too.
      let applying = middleware.filter { $0.applies(to: request) }
      let adapted = try await adapt(request, with: applying)
      let outcome: Middleware.Outcome
      do throws(NetworkError) {
        outcome = .success(try await next(adapted))
      } catch {
        outcome = .failure(error)
      }
      let wantsResend = try await wantsResend(outcome, of: applying)
      guard wantsResend, resends < maximumResends, adapted.body?.isReplayable ?? true else { return try outcome.get() }
      guard !Task.isCancelled else { throw .cancelled }
      resends += 1
    }
  }

  private func adapt(_ request: HTTPRequest, with applying: [Middleware]) async throws(NetworkError) -> HTTPRequest {
    var request = request
    do {
      for middleware in applying { try await middleware.preRequest(&request) }
    } catch {
      throw .ofUserCode(error)
    }
    return request
  }

  private func wantsResend(
    _ outcome: Middleware.Outcome, of applying: [Middleware]
  ) async throws(NetworkError) -> Bool {
    do {
      for middleware in applying where try await middleware.postResponse(outcome) == .retryRequest { return true }
      return false
    } catch {
      throw .ofUserCode(error)
    }
  }
}
