/// For code that composes asynchronous sequences.
extension DefaultNetworkClient {
  /// The response as a sequence of one element. The request is performed when the sequence is iterated, once for each
  /// iteration, so retrying is iterating again; what fails is thrown by the iteration.
  ///
  /// ```swift
  /// for try await user in client.responses(for: GetUser(id: 1)) { print(user.name) }
  /// ```
  ///
  /// The sequence keeps the client alive.
  ///
  /// - Parameters:
  ///   - request: The endpoint with its inputs.
  ///   - tag: The tag under which the request can be cancelled; nil, the default, for none.
  public func responses<T: APIDefinition>(
    for request: T, tag: CancellationTag? = nil
  ) -> ResponseSequence<T.APIResponse> {
    ResponseSequence { () throws(NetworkError) in try await self.request(request, tag: tag) }
  }
}
