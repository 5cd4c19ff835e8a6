public import LinnetHTTP

/// Headers that can be changed while the client is in use, by any task. They go with every attempt that is prepared from
/// then on to the base URL's origin, and never to another; an endpoint's headers win over them.
extension DefaultNetworkClient {
  /// The client's own headers: those of the configuration, as they were changed since.
  public var headers: HTTPHeaders { clientHeaders.current }

  /// Merges `headers` in: a name that the client has already gets the new fields in the place of the old.
  public func updateHeaders(_ headers: HTTPHeaders) { clientHeaders.change { $0.replaceFields(with: headers) } }

  /// Replaces all of the client's own headers.
  public func setHeaders(_ headers: HTTPHeaders) { clientHeaders.change { $0 = headers } }

  /// Removes the fields of these names, compared without case.
  public func removeHeaders(named names: String...) { removeHeaders(named: names) }

  /// Removes the fields of these names, compared without case.
  public func removeHeaders(named names: [String]) {
    clientHeaders.change { headers in
      for name in names { headers.remove(name) }
    }
  }

  /// Removes all of the client's own headers, also those of the configuration.
  public func cleanHeaders() { clientHeaders.change { $0.removeAll() } }
}
