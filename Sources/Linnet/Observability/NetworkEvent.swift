public import FoundationEssentials

/// A step of a request, for logs, metrics and traces.
///
/// Events have neither headers nor bodies. URLs are without user name, password, fragment and query values; failures are
/// stable categories without any data of the request. All events of a call have its id.
public enum NetworkEvent: Sendable, Hashable {
  /// An attempt begins.
  case requestStart(requestID: UUID, method: String, url: String, retryIndex: Int)
  /// Interceptors and the session's token were applied.
  case requestAdapted(requestID: UUID, method: String, url: String, retryIndex: Int)
  /// The server answered. Once for each exchange, so a replay with a fresh token gives two; `byteCount` is the body's.
  case responseReceived(requestID: UUID, statusCode: Int, byteCount: Int)
  /// An attempt failed and another follows after `delay` seconds. `retryIndex` is that of the repeat, 0 for the first;
  /// `reason` the failure's category.
  case retryScheduled(requestID: UUID, retryIndex: Int, delay: TimeInterval, reason: String)
  /// The call succeeded. Nothing follows for this call but revalidations.
  case requestFinished(requestID: UUID, statusCode: Int, byteCount: Int)
  /// The call failed. Nothing follows for this call but revalidations. `message` is the failure's category, such as
  /// `http.status.503`.
  case requestFailed(requestID: UUID, errorCode: Int, message: String)
  /// A stored response that was served stale is checked in the background.
  case cacheRevalidation(originalID: UUID, state: CacheRevalidationState)

  /// The id of the call.
  public var requestID: UUID {
    switch self {
    case .requestStart(let id, _, _, _), .requestAdapted(let id, _, _, _), .responseReceived(let id, _, _),
      .retryScheduled(let id, _, _, _), .requestFinished(let id, _, _), .requestFailed(let id, _, _),
      .cacheRevalidation(let id, _):
      id
    }
  }

  /// Whether the call ends with it. Each call has exactly one such event.
  public var isTerminal: Bool {
    switch self {
    case .requestFinished, .requestFailed: true
    case .requestStart, .requestAdapted, .responseReceived, .retryScheduled, .cacheRevalidation: false
    }
  }
}

/// Is told what a client does.
///
/// Each observer gets the events of a request in order, one at a time, in a task of its own: a slow observer delays
/// neither requests nor other observers. How much waits for it is bounded by the ``EventDeliveryPolicy``.
public protocol NetworkEventObserving: Sendable {
  /// Called for each event.
  func handle(_ event: NetworkEvent) async
}
