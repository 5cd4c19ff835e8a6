public import Dispatch

/// For code that is not asynchronous.
extension DefaultNetworkClient {
  /// Performs the request and calls `completion` with its value or its error, exactly once, also when it is cancelled.
  ///
  /// ```swift
  /// let handle = client.request(GetUser(id: 1)) { result in
  ///   switch result {
  ///   case .success(let user): print(user.name)
  ///   case .failure(let error): print(error)
  ///   }
  /// }
  /// ```
  ///
  /// The request is started before this returns. When the client's last reference is dropped it is cancelled.
  ///
  /// - Parameters:
  ///   - request: The endpoint with its inputs.
  ///   - tag: The tag under which the request can be cancelled; nil, the default, for none.
  ///   - queue: Where `completion` is called. Default: a serial queue of the client, because a program on Linux need not
  ///     run the main queue.
  ///   - completion: Called with the outcome.
  /// - Returns: What cancels the request.
  @discardableResult
  public func request<T: APIDefinition>(
    _ request: T, tag: CancellationTag? = nil, queue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<T.APIResponse, NetworkError>) -> Void
  ) -> RequestHandle {
    complete(start(request, tag: tag), on: queue, completion)
  }

  /// Uploads the form and calls `completion` with the value or the error; as ``request(_:tag:queue:completion:)``.
  ///
  /// - Returns: What cancels the upload.
  @discardableResult
  public func upload<T: MultipartAPIDefinition>(
    _ request: T, tag: CancellationTag? = nil, queue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<T.APIResponse, NetworkError>) -> Void
  ) -> RequestHandle {
    complete(start(upload: request, tag: tag), on: queue, completion)
  }

  private func complete<Value: Sendable>(
    _ call: Call<Value>, on queue: DispatchQueue?,
    _ completion: @escaping @Sendable (Result<Value, NetworkError>) -> Void
  ) -> RequestHandle {
    let queue = queue ?? completionQueue.queue
    Task {
      let result: Result<Value, NetworkError>
      do throws(NetworkError) {
        result = .success(try await call.outcome().value)
      } catch {
        result = .failure(error)
      }
      queue.async { completion(result) }
    }
    return RequestHandle { call.cancel() }
  }
}

/// The queue on which completions are called unless the caller names one.
struct CompletionQueue: Sendable {
  let queue = DispatchQueue(label: "linnet.completion")
}
