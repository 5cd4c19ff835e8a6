package import FoundationEssentials

extension NetworkError {
  /// What a decoder threw, as the error of a call.
  ///
  /// A `NetworkError` stays as it is and a cancellation is ``cancelled``, because decoders and their interceptors are
  /// code of the application.
  ///
  /// - Parameters:
  ///   - error: What the decoder or its interceptor threw.
  ///   - stage: What was being decoded.
  ///   - data: The bytes that were decoded; they are looked at for a hint and not kept.
  ///   - response: The response to report, with its body or without it.
  package static func decoding(
    _ error: any Error, stage: DecodingStage, data: Data?, response: Response?
  ) -> NetworkError {
    switch error {
    case let error as NetworkError: error
    case is CancellationError: .cancelled
    case let error as DecodingError:
      .decoding(
        stage: stage, underlying: SendableUnderlyingError(error, data: data, response: described(response, at: stage)),
        response: response)
    default: .decoding(stage: stage, underlying: SendableUnderlyingError(error), response: response)
    }
  }

  /// The response whose head describes the bytes that were decoded: status and type are not those of a stream's frame.
  private static func described(_ response: Response?, at stage: DecodingStage) -> Response? {
    stage == .responseBody ? response : nil
  }
}

extension SendableUnderlyingError {
  /// Swift's decoding error under the codes that Foundation gives it: 4865 for something missing, 4864 otherwise.
  init(_ error: DecodingError, data: Data?, response: Response?) {
    let failure = DecodingFailure(error, data: data, response: response)
    let isMissing = failure.kind == .missingKey || failure.kind == .missingValue
    self.init(
      frame: Frame(
        domain: "Swift.DecodingError", code: isMissing ? 4865 : 4864, message: failure.description,
        recoverySuggestion: failure.hint),
      decoding: failure)
  }
}
