// What the settings of a request become when a redirection leads to another origin. Used by the redirect stages of both
// clients.

extension HTTPRequestOptions {
  /// A client certificate is a credential, too: it is not shown to another origin than the client's.
  ///
  /// - Parameter foreignTLS: The settings in the place of the client's; nil when those have no certificate.
  package mutating func dropClientIdentity(orUse foreignTLS: TLSConfiguration?) {
    if tls == nil { tls = foreignTLS } else { tls?.clientIdentity = nil }
  }
}

extension TLSConfiguration {
  /// The settings without the client certificate; nil when there is none to leave out.
  package var withoutClientIdentity: TLSConfiguration? {
    guard clientIdentity != nil else { return nil }
    var copy = self
    copy.clientIdentity = nil
    return copy
  }
}
