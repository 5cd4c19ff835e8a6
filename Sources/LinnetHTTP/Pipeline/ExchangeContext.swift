internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO

/// What is known about a call from its start to its end; makes the errors of every phase speak of the same request.
struct ExchangeContext: Sendable {
  let method: HTTPMethod
  let url: HTTPURL
  let start: Instant
  let clock: any MonotonicClock
  var attempts = 0
  /// The address of the connection that carries the exchange, once there is one.
  var peer: String?

  var elapsed: Duration { start.duration(to: clock.now) }

  func error(_ failure: TransportFailure) -> TransportError {
    TransportError(
      peer.map { failure.of(peer: $0) } ?? failure,
      context: TransportError.Context(
        method: method, url: url.redactedDescription, attempts: attempts, elapsed: elapsed))
  }
}
