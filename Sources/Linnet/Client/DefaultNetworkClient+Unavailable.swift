/// What a call with something that is no endpoint is resolved to, for the sake of its message.
extension DefaultNetworkClient {
  /// Not an endpoint.
  @available(
    *, unavailable,
    message: "this type is not an endpoint: add @APIDefinition(method:path:auth:) to it, or conform it to APIDefinition"
  )
  public func request<T>(_ request: T) async throws(NetworkError) -> Never {
    throw .configuration(reason: .invalidRequest("\(T.self) is not an endpoint"))
  }

  /// Not an endpoint.
  @available(
    *, unavailable,
    message: "this type is not an endpoint: add @APIDefinition(method:path:auth:) to it, or conform it to APIDefinition"
  )
  public func request<T>(_ request: T, tag: CancellationTag?) async throws(NetworkError) -> Never {
    throw .configuration(reason: .invalidRequest("\(T.self) is not an endpoint"))
  }
}
