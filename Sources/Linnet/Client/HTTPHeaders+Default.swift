public import LinnetHTTP

extension HTTPHeaders {
  /// The headers of an endpoint that names none.
  public static var `default`: HTTPHeaders { HTTPHeaders() }
}
