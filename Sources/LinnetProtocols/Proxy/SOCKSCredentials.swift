/// User name and password for a SOCKS 5 proxy (RFC 1929); for SOCKS 4 the name alone is the user id.
package struct SOCKSCredentials: Sendable, Hashable {
  package var user: [UInt8]
  package var password: [UInt8]

  package init(user: [UInt8], password: [UInt8]) {
    self.user = user
    self.password = password
  }

  /// Both as UTF-8.
  package init(user: String, password: String) {
    self.init(user: Array(user.utf8), password: Array(password.utf8))
  }
}

extension SOCKSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Neither the name nor the password.
  package var description: String { "<SOCKS credentials>" }

  /// The same as ``description``.
  package var debugDescription: String { description }

  /// Nothing more than ``description``.
  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
