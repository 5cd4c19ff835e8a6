internal import LinnetHTTPTypes

/// The request of one hop, as the stages have shaped it so far.
struct HopRequest: Sendable {
  var request: HTTPRequest
  let url: HTTPURL
  /// Another origin lies on the way here: what the caller gave for the first one, credentials of the call and of its URL,
  /// does not apply, also when the way has led back.
  var isForeign = false
  /// Set by the stage of cookies when there is a jar.
  var cookies: HopCookies?

  init(_ request: HTTPRequest, url: HTTPURL, isForeign: Bool = false) {
    self.request = request
    self.url = url
    self.isForeign = isForeign
  }
}
