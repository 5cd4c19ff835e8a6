public import LinnetHTTP

/// A logger that writes nothing: the default of endpoints, so that a library is quiet unless asked.
public struct SilentNetworkLogger: NetworkLogger {
  /// The only value.
  public init() {}
  /// Does nothing.
  public func log(request: HTTPRequest) {}
  /// Does nothing.
  public func log(response: Response, isError: Bool) {}
  /// Does nothing.
  public func log(error: NetworkError) {}
}
