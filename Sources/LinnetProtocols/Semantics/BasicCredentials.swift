internal import LinnetBytes

/// Why credentials cannot be sent. Never says what they are.
package enum CredentialsDefect: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name has a colon, which would move the border to the password (RFC 7617 §2).
  case colonInUser
  /// A control character (RFC 7617 §2).
  case control
  /// The token is empty, or has a character that no token has (RFC 6750 §2.1).
  case invalidToken

  package var description: String {
    switch self {
    case .colonInUser: "the user name for Basic credentials contains a colon"
    case .control: "user name or password contain a control character"
    case .invalidToken: "the bearer token is empty or contains a character that cannot be sent"
    }
  }
}

/// `Basic` (RFC 7617) and `Bearer` (RFC 6750): field values that say the secret.
package enum BasicCredentials {
  /// The value of an `Authorization` or `Proxy-Authorization` field.
  package static func fieldValue(user: [UInt8], password: [UInt8]) throws(CredentialsDefect) -> String {
    if user.contains(ASCII.colon) { throw .colonInUser }
    try admit(user: user, password: password)
    return "Basic " + Base64.encode(user + [ASCII.colon] + password)
  }

  /// The value for a bearer token, sent as it is. More characters are let through than the grammar of RFC 6750 has:
  /// tokens are chosen by servers, and some have others.
  package static func fieldValue(bearer token: String) throws(CredentialsDefect) -> String {
    guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .invalidToken }
    return "Bearer " + token
  }

  /// What every scheme asks of a name and a password.
  package static func admit(user: [UInt8], password: [UInt8]) throws(CredentialsDefect) {
    if user.contains(where: { $0 < 0x20 || $0 == 0x7F }) || password.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw .control
    }
  }
}
