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

/// Where the first steps of a call run, up to its first wait.
enum CallStart: Sendable {
  /// In a thread of the pool, after the caller went on: for callers that are not asynchronous and may hold a lock that
  /// an interceptor takes, too, and for forms, whose making may take long.
  case elsewhere
  /// In the caller's thread, for callers that wait for the call anyway: one change of threads less, and the request is
  /// on its way sooner.
  case inPlace
}

/// The value of a call whose response is not decoded.
struct Undecoded: Sendable {}

extension DefaultNetworkClient {
  /// Starts the call of an endpoint.
  func start<T: APIDefinition>(
    _ endpoint: T, tag: CancellationTag?, _ place: CallStart = .elsewhere
  ) -> Call<T.APIResponse> {
    let transport = endpoint.transport
    let encoding = PayloadEncoding(
      policy: transport.requestEncoding, contentType: transport.requestContentType, method: endpoint.method)
    let blueprint = RequestBlueprint(endpoint) { client throws(NetworkError) in
      try encoding.payload(for: endpoint.parameters, adding: client)
    }
    return start(blueprint, tag: tag, place, decoder: transport.responseDecoder)
  }

  /// Starts the call of a form.
  func start<T: MultipartAPIDefinition>(upload endpoint: T, tag: CancellationTag?) -> Call<T.APIResponse> {
    let transport = endpoint.transport
    let blueprint = RequestBlueprint(endpoint) { _ throws(NetworkError) in
      let form = endpoint.multipartFormData
      return .body(try await form.requestBody(endpoint.uploadStrategy), contentType: form.contentTypeHeader)
    }
    return start(blueprint, tag: tag, .elsewhere, decoder: transport.responseDecoder)
  }

  /// Starts a call. The task holds the pipeline and not the client, so that the end of the client ends the call.
  func start<Value: Sendable>(
    _ blueprint: RequestBlueprint, tag: CancellationTag?, _ place: CallStart, decoder: AnyResponseDecoder<Value>
  ) -> Call<Value> {
    guard let ticket = registry.enter(tag: tag) else { return Call() }
    let work = CallWork(
      pipeline: pipeline, registry: registry, ticket: ticket, blueprint: blueprint, decoder: decoder,
      isCancelled: Task.isCancelled)
    let task =
      switch place {
      case .elsewhere: Task { await work.run() }
      case .inPlace: Task.immediate { await work.run() }
      }
    registry.attach(ticket) { task.cancel() }
    return Call(task)
  }
}

/// What the task of a call does.
private struct CallWork<Value: Sendable>: Sendable {
  let pipeline: RequestPipeline
  let registry: RequestRegistry
  let ticket: RequestRegistry.Ticket
  let blueprint: RequestBlueprint
  let decoder: AnyResponseDecoder<Value>
  /// The caller was cancelled before the call; then nothing may be sent.
  let isCancelled: Bool

  func run() async -> Result<RequestPipeline.Outcome<Value>, NetworkError> {
    // SAFETY: the task is not used after the closure.
    if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
    await CallFrames.reserve()
    let indicator = pipeline.settings.activityIndicator
    indicator?.start()
    let result: Result<RequestPipeline.Outcome<Value>, NetworkError>
    do throws(NetworkError) {
      result = .success(try await pipeline.run(blueprint, decoder: decoder))
    } catch {
      result = .failure(error)
    }
    registry.leave(ticket)
    indicator?.stop()
    return result
  }
}
