/// What a call with something that is no endpoint, or by the wrong method, is resolved to, for the sake of its message.
///
/// Calls that are not told what they give are resolved to those that return `Never`, calls that are to the generic ones.
extension DefaultNetworkClient {
  /// Not an endpoint.
  @available(
    *, unavailable,
    message: "this type is not an endpoint: add @APIDefinition(method:path:auth:) to it, or conform it to APIDefinition"
  )
  public func request<T>(_ request: T) async throws(NetworkError) -> Never { throw Self.notAnEndpoint(T.self) }

  /// Not an endpoint.
  @available(
    *, unavailable,
    message: "this type is not an endpoint: add @APIDefinition(method:path:auth:) to it, or conform it to APIDefinition"
  )
  public func request<T>(_ request: T, tag: CancellationTag?) async throws(NetworkError) -> Never {
    throw Self.notAnEndpoint(T.self)
  }

  /// Not an endpoint.
  @available(
    *, unavailable,
    message: "this type is not an endpoint: add @APIDefinition(method:path:auth:) to it, or conform it to APIDefinition"
  )
  public func request<T, Value>(_ request: T) async throws(NetworkError) -> Value { throw Self.notAnEndpoint(T.self) }

  /// Not an endpoint.
  @available(
    *, unavailable,
    message: "this type is not an endpoint: add @APIDefinition(method:path:auth:) to it, or conform it to APIDefinition"
  )
  public func request<T, Value>(_ request: T, tag: CancellationTag?) async throws(NetworkError) -> Value {
    throw Self.notAnEndpoint(T.self)
  }

  /// A form with files.
  @available(*, unavailable, message: "a MultipartAPIDefinition is sent by upload(_:)")
  public func request<T: MultipartAPIDefinition>(_ request: T) async throws(NetworkError) -> T.APIResponse {
    throw Self.notAnEndpoint(T.self)
  }

  /// A form with files.
  @available(*, unavailable, message: "a MultipartAPIDefinition is sent by upload(_:)")
  public func request<T: MultipartAPIDefinition>(
    _ request: T, tag: CancellationTag?
  ) async throws(NetworkError) -> T.APIResponse {
    throw Self.notAnEndpoint(T.self)
  }

  private static func notAnEndpoint(_ type: Any.Type) -> NetworkError {
    .configuration(reason: .invalidRequest("\(type) is not an endpoint for request(_:)"))
  }
}
