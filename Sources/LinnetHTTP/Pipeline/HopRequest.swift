internal import LinnetHTTPTypes

/// The request of one hop, as the stages have shaped it so far.
struct HopRequest: Sendable {
  var request: HTTPRequest
  let url: HTTPURL
  /// Another origin lies on the way here: what the caller gave for the first one, credentials of the call and of its URL,
  /// does not apply, also when the way has led back.
  var isForeign = false
  /// The caller did not name the host: a server led to it, or to another origin on the way. What is meant for any host
  /// that the caller goes to, such as netrc's entry for all others, does not count.
  var isLedHere = false
  /// Set by the stage of cookies when there is a jar.
  var cookies: HopCookies?

  init(_ request: HTTPRequest, url: HTTPURL, isForeign: Bool = false, isLedHere: Bool = false) {
    self.request = request
    self.url = url
    self.isForeign = isForeign
    self.isLedHere = isLedHere
  }
}
