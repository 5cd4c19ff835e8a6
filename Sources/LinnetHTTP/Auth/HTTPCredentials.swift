/// Credentials for a server or a proxy (RFC 9110 §11). They are shown to the origin that they are given for and to no other.
public struct HTTPCredentials: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case basic(user: String, password: String)
    case bearer(token: String)
    case digest(user: String, password: String)
    case any(user: String, password: String)
    /// Basic with a name and password that came as bytes, from a URL or a netrc file.
    case octets(user: [UInt8], password: [UInt8])
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  /// Basic (RFC 7617), sent with the first request, as curl's `-u`. Name and password are UTF-8; a name with a colon
  /// cannot be expressed and fails the request with `invalidConfiguration`.
  public static func basic(user: String, password: String) -> HTTPCredentials {
    HTTPCredentials(.basic(user: user, password: password))
  }

  /// Basic with a name and password that need not be UTF-8.
  package static func basic(user: [UInt8], password: [UInt8]) -> HTTPCredentials {
    HTTPCredentials(.octets(user: user, password: password))
  }

  /// A bearer token (RFC 6750), sent with the first request. One that is empty, or has white space, control characters
  /// or characters outside ASCII, fails the request with `invalidConfiguration`.
  public static func bearer(_ token: String) -> HTTPCredentials { HTTPCredentials(.bearer(token: token)) }

  /// Digest (RFC 7616) with MD5, SHA-256 or SHA-512/256: the password itself is never sent. The first request to a server
  /// gets a challenge; later ones use it again. A large body, and one that can be sent only once, waits for the server's
  /// agreement (`Expect: 100-continue`), because it may have to be sent again; a one-shot body that a server took before
  /// it asked fails the request with `bodyNotReplayable`. A wrong password is no error: the 401 is the response.
  public static func digest(user: String, password: String) -> HTTPCredentials {
    HTTPCredentials(.digest(user: user, password: password))
  }

  /// The best of what the server asks for: Digest before Basic. Nothing is sent before it asks; as curl's `--anyauth`.
  public static func any(user: String, password: String) -> HTTPCredentials {
    HTTPCredentials(.any(user: user, password: password))
  }
}

extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme; neither the name nor a secret.
  public var description: String {
    switch kind {
    case .basic, .octets: "<Basic credentials>"
    case .bearer: "<Bearer credentials>"
    case .digest: "<Digest credentials>"
    case .any: "<credentials>"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Where a netrc file is read from. Off unless asked for: a file in the home directory must not add credentials to a
/// program's requests by itself.
///
/// An entry counts for every port of its machine, and is sent as Basic; the entry for all others (`default`) only for a
/// host that the caller names, never for one that a redirection leads to; entries behind it are not looked at. With a user name in the URL and no password, the
/// entry of that name gives it. A file is read again when it has changed.
public enum NetrcSource: Sendable, Hashable {
  /// None is read.
  case off
  /// The file that the variable `NETRC` names, else `.netrc` in the home directory; none is no error.
  case standard
  /// This file; one that cannot be read fails the request with `invalidConfiguration`.
  case file(String)
}
