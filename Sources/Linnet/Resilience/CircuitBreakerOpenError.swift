public import LinnetHTTP

/// A circuit breaker is open: the request was not sent, because its server failed too often.
///
/// The client throws it inside ``NetworkError/underlying(_:_:)``; ``NetworkError/circuitBreakerOpenError`` finds it there.
public struct CircuitBreakerOpenError: Error, Sendable, Hashable {
  /// The server.
  public let host: String
  /// How long until a request may pass.
  public let retryAfter: Duration

  /// The namespace of ``errorCode``.
  public static var errorDomain: String { "linnet.circuit-breaker" }
  /// Always 1.
  public var errorCode: Int { 1 }

  package init(host: String, retryAfter: Duration) {
    self.host = host
    self.retryAfter = retryAfter
  }
}

extension CircuitBreakerOpenError: DomainCodedError {}

extension CircuitBreakerOpenError: CustomStringConvertible {
  /// One line for people.
  public var description: String { "the circuit breaker of \(host) is open for another \(retryAfter)" }
}

extension NetworkError {
  /// The error of an open circuit breaker, when that is what happened.
  public var circuitBreakerOpenError: CircuitBreakerOpenError? { transport?.underlying as? CircuitBreakerOpenError }
}

extension TransportError.Code {
  /// A circuit breaker of the typed client stopped the request before anything was sent.
  public static var circuitBreakerOpen: TransportError.Code { TransportError.Code(rawValue: "circuitBreakerOpen") }
}
