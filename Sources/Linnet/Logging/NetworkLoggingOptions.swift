/// How much ``DefaultNetworkLogger`` writes.
public struct NetworkLoggingOptions: Sendable, Hashable {
  /// Whether bodies of requests are written. Default false.
  public var includeRequestBody: Bool
  /// Whether bodies of responses are written. Default false.
  public var includeResponseBody: Bool
  /// Whether `Cookie` and `Set-Cookie` are written. Default false.
  public var includeCookies: Bool
  /// Whether values of headers, cookies and the query, bodies and free text of errors are replaced by `<redacted>`.
  /// Default true. JSON Web Tokens and AWS keys are masked either way.
  public var redactSensitiveData: Bool
  /// Whether a program that was built for release writes anything. Default false.
  public var releaseLogging: Bool

  /// Options; each that is left out is the safe one.
  public init(
    includeRequestBody: Bool = false, includeResponseBody: Bool = false, includeCookies: Bool = false,
    redactSensitiveData: Bool = true, releaseLogging: Bool = false
  ) {
    self.includeRequestBody = includeRequestBody
    self.includeResponseBody = includeResponseBody
    self.includeCookies = includeCookies
    self.redactSensitiveData = redactSensitiveData
    self.releaseLogging = releaseLogging
  }

  /// No bodies, no cookies, no values: safe for logs that others read.
  public static var secureDefault: NetworkLoggingOptions { NetworkLoggingOptions() }

  /// Everything, unredacted: for a developer's own screen and never for shared logs. Builds for release stay quiet.
  public static var verbose: NetworkLoggingOptions {
    NetworkLoggingOptions(
      includeRequestBody: true, includeResponseBody: true, includeCookies: true, redactSensitiveData: false)
  }
}
