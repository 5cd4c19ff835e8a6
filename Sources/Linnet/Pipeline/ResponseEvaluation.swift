internal import FoundationEssentials
internal import LinnetHTTP

/// What happens to a collected response: interceptors, status check, decoding.
final class ResponseEvaluation: Sendable {
  let settings: NetworkSettings
  private let limit: ResponseBodyLimit

  init(settings: NetworkSettings) {
    self.settings = settings
    limit = ResponseBodyLimit(policy: settings.bodyBuffering)
  }

  /// The response that counts: after the endpoint's interceptors, then the client's, with an accepted status.
  ///
  /// - Throws: ``NetworkError/statusCode(_:)``, and what an interceptor throws.
  func accept(
    _ received: Response, request: HTTPRequest, blueprint: RequestBlueprint
  ) async throws(NetworkError) -> Response {
    var response = received
    // A cache may have kept what a larger limit had allowed.
    try limit.check(response.data, of: response)
    for interceptor in blueprint.responseInterceptors + settings.responseInterceptors {
      do {
        response = try await interceptor.adapt(response, request: response.request ?? request)
      } catch {
        throw .ofUserCode(error)
      }
    }
    try limit.check(response.data, of: response)
    let isAccepted = (blueprint.acceptableStatusCodes ?? settings.acceptableStatusCodes).contains(response.statusCode)
    blueprint.logger.log(response: response, isError: !isAccepted)
    guard isAccepted else { throw .statusCode(payloadOfFailure(response)) }
    return response
  }

  /// The value of an accepted response.
  ///
  /// - Throws: ``NetworkError/decoding(stage:underlying:response:)``, and what a decoding interceptor throws.
  func decode<Value: Sendable>(
    _ response: Response, blueprint: RequestBlueprint, by decoder: AnyResponseDecoder<Value>
  ) async throws(NetworkError) -> Value {
    let interceptors = blueprint.isDecoded ? settings.decodingInterceptors : []
    guard !interceptors.isEmpty else { return try decode(response.data, of: response, by: decoder) }
    var data = response.data
    do {
      for interceptor in interceptors {
        data = try await interceptor.willDecode(data: data, response: response)
      }
    } catch {
      throw .ofUserCode(error)
    }
    try limit.check(data, of: response)
    var value = try decode(data, of: response, by: decoder)
    do {
      for interceptor in interceptors {
        value = try await interceptor.didDecode(value, response: response)
      }
    } catch {
      throw .ofUserCode(error)
    }
    return value
  }

  private func decode<Value>(
    _ data: Data, of response: Response, by decoder: AnyResponseDecoder<Value>
  ) throws(NetworkError) -> Value {
    do {
      return try decoder.decode(data: data, response: response)
    } catch {
      let failure = NetworkError.decoding(error, stage: .responseBody, data: data, response: response)
      // A decoder's own words may quote the body.
      throw settings.capturesFailurePayload ? failure : failure.redactingFailurePayload()
    }
  }

  private func payloadOfFailure(_ response: Response) -> Response {
    settings.capturesFailurePayload ? response : response.redactingData()
  }
}
