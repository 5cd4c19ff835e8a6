/// Why a typed request failed. Every entry point of ``DefaultNetworkClient`` throws it and nothing else.
public enum NetworkError: Error, Sendable {
  /// The request could not be built, or must not be sent as it stands. Nothing was sent.
  case configuration(reason: NetworkConfigurationFailureReason)
  /// The server answered with a status that the endpoint does not accept. The response has no body unless the client
  /// captures failure payloads.
  case statusCode(Response)
  /// The response could not be decoded.
  case decoding(stage: DecodingStage, underlying: SendableUnderlyingError, response: Response?)
  /// Any other failure: of the transport, of an interceptor, a policy or a signer.
  case underlying(SendableUnderlyingError, Response?)
  /// The server could not be reached, or the connection was lost.
  case reachability(ReachabilityReason, SendableUnderlyingError, Response?)
  /// The server's certificate or key was refused. Nothing of the request was sent.
  case trustEvaluationFailed(TrustFailureReason)
  /// The task, the tag or the client was cancelled, or the client was shut down.
  case cancelled
  /// A time limit passed.
  case timeout(reason: TimeoutReason, underlying: SendableUnderlyingError?)
}
