/// An endpoint whose body is a multipart form, for ``UploadNetworkClient/upload(_:)``.
public protocol MultipartAPIDefinition: Endpoint {
  /// The form.
  var multipartFormData: MultipartFormData { get }
  /// Whether the form is put together in memory or read while it is sent. Default
  /// ``MultipartUploadStrategy/platformDefault``.
  var uploadStrategy: MultipartUploadStrategy { get }
}

extension MultipartAPIDefinition {
  /// The form as the body; the response is decoded as its type asks.
  public var transport: TransportPolicy<APIResponse> { .multipart() }
  /// ``MultipartUploadStrategy/platformDefault``.
  public var uploadStrategy: MultipartUploadStrategy { .platformDefault }
}
