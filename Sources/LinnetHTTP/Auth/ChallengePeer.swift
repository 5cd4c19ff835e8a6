internal import LinnetHTTPTypes

/// Who asks for credentials: an origin server, or a proxy on the way to it (RFC 9110 §11.6, §11.7). What is meant for the
/// one never goes to the other, so that everything that is remembered is kept by this.
enum ChallengePeer: Sendable, Hashable {
  case origin(Origin)
  /// The proxy's URL without credentials, as ``HTTPProxy/description`` has it.
  case proxy(String)

  /// The status of a response that asks.
  var status: HTTPStatus {
    switch self {
    case .origin: .unauthorized
    case .proxy: .proxyAuthenticationRequired
    }
  }

  /// The field of the question.
  var challengeField: String {
    switch self {
    case .origin: "WWW-Authenticate"
    case .proxy: "Proxy-Authenticate"
    }
  }

  /// The field of the answer.
  var answerField: String {
    switch self {
    case .origin: "Authorization"
    case .proxy: "Proxy-Authorization"
    }
  }

  /// The field of what is said after an answer was accepted (RFC 7615).
  var informationField: String {
    switch self {
    case .origin: "Authentication-Info"
    case .proxy: "Proxy-Authentication-Info"
    }
  }
}
