internal import FoundationEssentials
internal import LinnetHTTP

/// A call in a task of its own, so that it can be cancelled from outside as well as through its caller's task.
struct Call<Value: Sendable>: Sendable {
  typealias Outcome = RequestPipeline.Outcome<Value>

  private let task: Task<Result<Outcome, NetworkError>, Never>?

  /// A call that ends with ``NetworkError/cancelled`` at once, because the client was shut down.
  init() { task = nil }

  init(_ task: Task<Result<Outcome, NetworkError>, Never>) { self.task = task }

  /// Cancels the call unless it ended.
  func cancel() { task?.cancel() }

  /// Waits for the end. Cancelling the waiting task cancels the call.
  func outcome() async throws(NetworkError) -> Outcome {
    guard let task else { throw .cancelled }
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }.get()
  }
}

/// The value of a call whose response is not decoded.
struct Undecoded: Sendable {}

extension DefaultNetworkClient {
  typealias Decoder<Value> = @Sendable (Data, Response) throws -> Value

  /// Starts the call of an endpoint.
  func start<T: APIDefinition>(_ endpoint: T, tag: CancellationTag?) -> Call<T.APIResponse> {
    let transport = endpoint.transport
    let encoding = PayloadEncoding(
      policy: transport.requestEncoding, contentType: transport.requestContentType, method: endpoint.method)
    let blueprint = RequestBlueprint(endpoint) { client throws(NetworkError) in
      try encoding.payload(for: endpoint.parameters, adding: client)
    }
    return start(blueprint, tag: tag) { data, response in
      try transport.responseDecoder.decode(data: data, response: response)
    }
  }

  /// Starts the call of a form.
  func start<T: MultipartAPIDefinition>(upload endpoint: T, tag: CancellationTag?) -> Call<T.APIResponse> {
    let transport = endpoint.transport
    let blueprint = RequestBlueprint(endpoint) { _ throws(NetworkError) in
      let form = endpoint.multipartFormData
      return .body(try await form.requestBody(endpoint.uploadStrategy), contentType: form.contentTypeHeader)
    }
    return start(blueprint, tag: tag) { data, response in
      try transport.responseDecoder.decode(data: data, response: response)
    }
  }

  /// Starts a call. The task holds the pipeline and not the client, so that the end of the client ends the call.
  func start<Value: Sendable>(
    _ blueprint: RequestBlueprint, tag: CancellationTag?, decode: @escaping Decoder<Value>
  ) -> Call<Value> {
    guard let ticket = registry.enter(tag: tag) else { return Call() }
    let task = Task { [pipeline, registry] in
      let indicator = pipeline.settings.activityIndicator
      indicator?.start()
      let result: Result<RequestPipeline.Outcome<Value>, NetworkError>
      do throws(NetworkError) {
        result = .success(try await pipeline.run(blueprint, decode: decode))
      } catch {
        result = .failure(error)
      }
      registry.leave(ticket)
      indicator?.stop()
      return result
    }
    registry.attach(ticket) { task.cancel() }
    return Call(task)
  }
}
