/// What is kept of responses.
public struct CachePack: Sendable {
  /// Names of further headers that carry credentials, such as `X-Tenant-Token`. Their values never stand in cache keys,
  /// and they are not taken to another origin.
  public let sensitiveHeaderNames: Set<String>
  /// Whether errors carry the body of the response that caused them. Default false: bodies hold personal data, and
  /// errors end up in logs.
  public let captureFailurePayload: Bool?

  /// A pack of the given settings.
  public init(sensitiveHeaderNames: Set<String> = [], captureFailurePayload: Bool? = nil) {
    self.sensitiveHeaderNames = sensitiveHeaderNames
    self.captureFailurePayload = captureFailurePayload
  }

  func apply(to settings: inout NetworkSettings) {
    settings.sensitiveHeaderNames.formUnion(sensitiveHeaderNames)
    if let captureFailurePayload { settings.capturesFailurePayload = captureFailurePayload }
  }
}
