/// What is done about failures and load. Everything is off unless given: what may be repeated depends on the server.
public struct ResiliencePack: Sendable {
  /// Whether and how failed requests are repeated. Default never.
  public let retry: (any RetryPolicy)?
  /// How bodies are collected, and how large they may become. Default ``ResponseBodyBufferingPolicy/default``.
  public let bodyBuffering: ResponseBodyBufferingPolicy?

  /// A pack of the given settings.
  public init(retry: (any RetryPolicy)? = nil, bodyBuffering: ResponseBodyBufferingPolicy? = nil) {
    self.retry = retry
    self.bodyBuffering = bodyBuffering
  }

  func apply(to settings: inout NetworkSettings) {
    if let retry { settings.retryPolicy = retry }
    if let bodyBuffering { settings.bodyBuffering = bodyBuffering }
  }
}
