internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

extension HTTPCredentials {
  /// Name and password as bytes, for every scheme that has them.
  struct Login: Sendable {
    let user: [UInt8]
    let password: [UInt8]
  }

  /// What schemes other than Basic and Bearer say, once a challenge is there.
  ///
  /// Normalised to NFC, so that the same password typed on different systems gives the same bytes (RFC 7617 §2.1,
  /// RFC 7616 §4); what came as bytes stays as it is.
  var login: Login? {
    switch kind {
    case .bearer: nil
    case .basic(let user, let password), .digest(let user, let password), .any(let user, let password):
      Login(user: Array(user.normalizedNFC.utf8), password: Array(password.normalizedNFC.utf8))
    case .octets(let user, let password): Login(user: user, password: password)
    }
  }

  /// A text that no other credentials have. It holds the secret and is for a hash function alone.
  package var distinction: String {
    let octets: (scheme: String, first: [UInt8], second: [UInt8]) =
      switch kind {
      case .basic(let user, let password): ("basic", Array(user.utf8), Array(password.utf8))
      case .bearer(let token): ("bearer", Array(token.utf8), [])
      case .digest(let user, let password): ("digest", Array(user.utf8), Array(password.utf8))
      case .any(let user, let password): ("any", Array(user.utf8), Array(password.utf8))
      case .octets(let user, let password): ("octets", user, password)
      }
    return "\(octets.scheme) \(Base64.encode(octets.first)) \(Base64.encode(octets.second))"
  }

  /// Whether they wait for a challenge.
  var needsChallenge: Bool {
    switch kind {
    case .basic, .bearer, .octets: false
    case .digest, .any: true
    }
  }

  /// Whether Basic is an answer that they give to a challenge.
  var allowsBasicOnChallenge: Bool {
    if case .any = kind { return true }
    return false
  }

  /// The field value that is sent unasked; nil for schemes that wait for a challenge.
  ///
  /// - Throws: `invalidConfiguration` for what cannot be expressed, in any scheme.
  func unaskedValue() throws(TransportFailure) -> String? {
    do throws(CredentialsDefect) {
      switch kind {
      case .bearer(let token): return try BasicCredentials.fieldValue(bearer: token)
      case .basic, .octets:
        guard let login else { return nil }
        return try BasicCredentials.fieldValue(user: login.user, password: login.password)
      case .digest, .any:
        if let login { try BasicCredentials.admit(user: login.user, password: login.password) }
        return nil
      }
    } catch {
      throw TransportFailure(code: .invalidConfiguration, phase: .request, reason: "\(error)")
    }
  }
}
