package import FoundationEssentials
internal import LinnetBytes
package import LinnetHTTP

/// Publishes the events of one call: with its id, redacted, and with exactly one end.
package struct RequestEvents: Sendable {
  private struct Target: Sendable {
    let requestID: UUID
    let hub: NetworkEventHub
    /// Whether the call ended; nothing is published afterwards but revalidations.
    let isSealed = Lock(false)
  }

  private let target: Target?

  /// Publishes nothing.
  package static var none: RequestEvents { RequestEvents(target: nil) }

  private init(target: Target?) { self.target = target }

  init(requestID: UUID, hub: NetworkEventHub) { target = Target(requestID: requestID, hub: hub) }

  /// An attempt begins.
  package func started(_ request: HTTPRequest, retryIndex: Int) {
    publish { id in
      .requestStart(
        requestID: id, method: request.method.rawValue, url: Redaction.url(request.url), retryIndex: retryIndex)
    }
  }

  /// Interceptors and token were applied.
  package func adapted(_ request: HTTPRequest, retryIndex: Int) {
    publish { id in
      .requestAdapted(
        requestID: id, method: request.method.rawValue, url: Redaction.url(request.url), retryIndex: retryIndex)
    }
  }

  /// An exchange ended with a response.
  package func responseReceived(_ response: Response) {
    publish { id in
      .responseReceived(requestID: id, statusCode: response.statusCode, byteCount: response.data.count)
    }
  }

  /// Another attempt follows after `delay` seconds.
  package func retryScheduled(retryIndex: Int, delay: TimeInterval, reason: NetworkError) {
    publish { id in
      .retryScheduled(requestID: id, retryIndex: retryIndex, delay: delay, reason: reason.stableCategory)
    }
  }

  /// The call succeeded. Ignored when it ended before.
  package func finished(_ response: Response) {
    publish(isTerminal: true) { id in
      .requestFinished(requestID: id, statusCode: response.statusCode, byteCount: response.data.count)
    }
  }

  /// The call failed. Ignored when it ended before.
  package func failed(_ error: NetworkError) {
    publish(isTerminal: true) { id in
      .requestFailed(requestID: id, errorCode: error.errorCode, message: error.stableCategory)
    }
  }

  /// A background revalidation made progress; also after the call ended.
  package func revalidation(_ state: CacheRevalidationState) {
    guard let target else { return }
    target.hub.publish(.cacheRevalidation(originalID: target.requestID, state: state))
  }

  private func publish(isTerminal: Bool = false, _ event: (UUID) -> NetworkEvent) {
    guard let target else { return }
    let isSealed = target.isSealed.withLock { isSealed in
      defer { isSealed = isSealed || isTerminal }
      return isSealed
    }
    if !isSealed { target.hub.publish(event(target.requestID)) }
  }
}
