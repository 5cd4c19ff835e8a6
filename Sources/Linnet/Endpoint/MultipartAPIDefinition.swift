/// An endpoint whose body is a multipart form, for ``UploadNetworkClient/upload(_:)``.
public protocol MultipartAPIDefinition: Endpoint {
  /// The form. Files in it are read while they are sent.
  var multipartFormData: MultipartFormData { get }
}

extension MultipartAPIDefinition {
  /// The form as the body; the response is decoded as its type asks.
  public var transport: TransportPolicy<APIResponse> { .multipart() }
}
