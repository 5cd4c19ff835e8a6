public import LinnetHTTP

/// The error below a ``NetworkError``, kept as values so that it can cross tasks and be compared.
public struct SendableUnderlyingError: Error, Sendable {
  /// The namespace of ``code``: `linnet` for our own errors, otherwise the type's name.
  public let domain: String
  /// The code within the domain.
  public let code: Int
  /// What happened, in one line.
  public let message: String
  /// What the transport knows: phase, peers tried, attempts, elapsed time, what was sent. Nil for errors of other parts.
  public let transport: TransportError?

  /// An error made of its parts.
  public init(domain: String, code: Int, message: String, transport: TransportError? = nil) {
    self.domain = domain
    self.code = code
    self.message = message
    self.transport = transport
  }
}

extension SendableUnderlyingError: Hashable {
  /// Whether domain and code are equal.
  public static func == (left: SendableUnderlyingError, right: SendableUnderlyingError) -> Bool {
    left.domain == right.domain && left.code == right.code
  }

  /// Hashes domain and code.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(domain)
    hasher.combine(code)
  }
}
