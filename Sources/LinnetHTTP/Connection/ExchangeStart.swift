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
  /// When the body is sent although no `100 Continue` came; nil when the request does not wait for one.
  var continueDeadline: Instant?
}
