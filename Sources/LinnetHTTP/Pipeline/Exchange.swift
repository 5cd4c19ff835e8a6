internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO

/// What is known about a call from its start to its end; makes the errors of every phase speak of the same request.
struct Exchange: Sendable {
  /// The method and URL of the hop that is under way.
  var method: HTTPMethod
  var url: HTTPURL
  let start: Instant
  let clock: any MonotonicClock
  var attempts = 1
  /// The redirections that were followed so far.
  var history: [HTTPRedirectHop] = []
  /// The address of the connection that carries the exchange, once there is one.
  var peer: String?

  var elapsed: Duration { start.duration(to: clock.now) }

  /// When the call's total timeout is over, for stages that wait for something else than the transport.
  func totalDeadline(_ options: HTTPRequestOptions, _ timeouts: TimeoutConfiguration) -> Instant {
    options.timeouts.total.resolved(timeouts.total).map { start.advanced(by: $0) } ?? .distantFuture
  }

  func error(_ failure: TransportFailure) -> TransportError {
    TransportError(
      peer.map { failure.of(peer: $0) } ?? failure,
      context: TransportError.Context(
        method: method, url: url.redactedDescription, attempts: attempts, elapsed: elapsed,
        history: history))
  }
}
