internal import LinnetHTTP

/// The credentials of `-u` and `--oauth2-bearer`.
struct CredentialOptions: Sendable {
  private let given: HTTPCredentials?
  private let scheme: CommandLineOptions.AuthenticationScheme

  /// - Throws: A usage error; a missing password is asked for on the terminal.
  init(_ options: CommandLineOptions.Credentials) throws(CommandError) {
    scheme = options.scheme
    if let token = options.bearerToken {
      guard let text = token.exactText, !text.isEmpty else {
        throw .usage("option --oauth2-bearer: the token is \(token.bytes.isEmpty ? "empty" : "not UTF-8")")
      }
      given = .bearer(text)
    } else if let user = options.user {
      given = try Self.credentials(user, options.scheme, of: "--user")
    } else {
      given = nil
    }
  }

  /// What is shown to the origin of the URL: what the options say, else what stands in the URL in the scheme that the options
  /// ask for. Nil: the client's way, which is Basic.
  func credentials(for url: HTTPURL) -> HTTPCredentials? {
    if let given { return given }
    guard scheme != .basic, let userinfo = url.decodedUserinfo else { return nil }
    return Self.credentials(
      String(decoding: userinfo.username, as: UTF8.self), String(decoding: userinfo.password, as: UTF8.self), scheme)
  }

  /// `user:password`; the password is asked for when there is no colon.
  static func credentials(
    _ argument: Argument, _ scheme: CommandLineOptions.AuthenticationScheme, of option: String
  ) throws(CommandError) -> HTTPCredentials {
    guard let text = argument.exactText else {
      guard scheme == .basic, let colon = argument.bytes.firstIndex(of: UInt8(ascii: ":")) else {
        throw .usage("option \(option): credentials that are not UTF-8 need Basic and a password")
      }
      return .basic(user: Array(argument.bytes[..<colon]), password: Array(argument.bytes[(colon + 1)...]))
    }
    guard let colon = text.firstIndex(of: ":") else {
      return credentials(text, try PasswordPrompt.ask(for: text, option: option), scheme)
    }
    return credentials(String(text[..<colon]), String(text[text.index(after: colon)...]), scheme)
  }

  private static func credentials(
    _ user: String, _ password: String, _ scheme: CommandLineOptions.AuthenticationScheme
  ) -> HTTPCredentials {
    switch scheme {
    case .basic: .basic(user: user, password: password)
    case .digest: .digest(user: user, password: password)
    case .any: .any(user: user, password: password)
    }
  }
}
