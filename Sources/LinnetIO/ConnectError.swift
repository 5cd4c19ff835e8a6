/// One address that was tried, and what became of it.
package struct ConnectAttempt: Sendable, Equatable, CustomStringConvertible {
  package let address: SocketAddress
  /// Nil when there was no answer until the attempt was given up.
  package let cause: SystemError?

  package init(address: SocketAddress, cause: SystemError?) {
    self.address = address
    self.cause = cause
  }

  package var description: String { "\(address): \(cause.map { $0.description } ?? "no answer")" }
}

/// Why no connection came about, with every address that was tried.
package struct ConnectError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Reason: Sendable, Equatable {
    case noAddresses
    /// Every address failed.
    case failed
    case timedOut
    case cancelled
  }

  package let reason: Reason
  package let attempts: [ConnectAttempt]

  package init(reason: Reason, attempts: [ConnectAttempt]) {
    self.reason = reason
    self.attempts = attempts
  }

  /// One line, such as "connect failed: [::1]:80: connect: Connection refused (ECONNREFUSED)".
  package var description: String {
    let what =
      switch reason {
      case .noAddresses: "no address to connect to"
      case .failed: "connect failed"
      case .timedOut: "connect timed out"
      case .cancelled: "connect was cancelled"
      }
    return attempts.isEmpty ? what : what + ": " + attempts.map(\.description).joined(separator: "; ")
  }
}
