internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// What a connection needs to know to start an exchange.
struct ExchangeStart: Sendable {
  var head: RequestHead
  var length: RequestBodyLength
  /// The whole body, when it is in memory and not held back.
  var immediateBody: ByteChunk?
  /// Nothing follows `immediateBody`.
  var isComplete: Bool
  var timeouts: TimeoutConfiguration
  var totalDeadline: Instant
  /// The request cannot be sent a second time, so a close of the idle connection that came unnoticed is looked for first:
  /// one system call more, only for such requests.
  var looksForClose: Bool
  /// When the body is sent although no `100 Continue` came; nil when the request does not wait for one.
  var continueDeadline: Instant?
}
