internal import FoundationEssentials
internal import LinnetHTTP

/// Seconds as applications give them, made into limits of the engine.
enum RequestTimeouts {
  /// The limit for connecting unless the engine's settings name another.
  static var connect: Duration { .seconds(10) }

  /// Seconds of silence as a limit; nil when they are none: zero, negative, not a number. Infinity and what is longer
  /// than a century is no limit.
  static func limit(_ seconds: TimeInterval) -> TimeoutOverrides.Value? {
    guard seconds > 0 else { return nil }
    guard seconds < 3.2e9 else { return .unlimited }
    return .after(.seconds(seconds))
  }
}

extension HTTPRequestOptions {
  /// Puts the longest silence into every limit that is not set yet.
  ///
  /// - Throws: ``NetworkError/configuration(reason:)`` when `seconds` is no time.
  mutating func inheritSilence(_ seconds: TimeInterval) throws(NetworkError) {
    guard let limit = RequestTimeouts.limit(seconds) else {
      throw .configuration(
        reason: .invalidRequest("the timeout must be greater than zero seconds, and is \(seconds)"))
    }
    var timeouts = timeouts
    if timeouts.responseHead == .inherited { timeouts.responseHead = limit }
    if timeouts.idle == .inherited { timeouts.idle = limit }
    if timeouts.connect == .inherited, case .after(let silence) = limit, silence < RequestTimeouts.connect {
      timeouts.connect = limit
    }
    self.timeouts = timeouts
  }
}
