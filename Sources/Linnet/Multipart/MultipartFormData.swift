/// A multipart form.
public struct MultipartFormData: Sendable {
  /// An empty form.
  public init() {}
}
