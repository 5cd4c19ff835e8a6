public import LinnetHTTP

/// Writes a line for people about requests, responses and errors.
public protocol NetworkLogger: Sendable {
  /// Called with the request as it is about to be sent.
  func log(request: HTTPRequest)
  /// Called with the response. `isError` tells that its status was not accepted.
  func log(response: Response, isError: Bool)
  /// Called with the error with which the call ends.
  func log(error: NetworkError)
}
