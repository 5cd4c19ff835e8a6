internal import LinnetBytes
package import LinnetHTTPTypes

/// A cookie as it is kept (RFC 6265bis §5.7).
package struct CookieRecord: Sendable {
  /// What a site wants about requests that other sites start.
  package enum SameSite: Sendable, Hashable, CaseIterable {
    case strict, lax, none

    init?(_ value: ArraySlice<UInt8>) {
      if ASCII.equalIgnoringCase(value, "strict".utf8) {
        self = .strict
      } else if ASCII.equalIgnoringCase(value, "lax".utf8) {
        self = .lax
      } else if ASCII.equalIgnoringCase(value, "none".utf8) {
        self = .none
      } else {
        return nil
      }
    }
  }

  /// What makes two cookies the same one (§5.7 step 23).
  package struct Identity: Sendable, Hashable {
    package var name: [UInt8]
    package var domain: String
    package var isHostOnly: Bool
    package var path: [UInt8]

    package init(name: [UInt8], domain: String, isHostOnly: Bool, path: [UInt8]) {
      self.name = name
      self.domain = domain
      self.isHostOnly = isHostOnly
      self.path = path
    }
  }

  package var identity: Identity
  package var value: [UInt8]
  package var isSecure = false
  package var isHTTPOnly = false
  package var sameSite: SameSite?
  /// Nil for a session cookie.
  package var expires: HTTPDate?
  /// When it was made, as a number that grows; a cookie that takes the place of another inherits it.
  package var created: UInt64 = 0
  /// When it was made or sent last, as a number that grows.
  package var used: UInt64 = 0

  package init(identity: Identity, value: [UInt8]) {
    self.identity = identity
    self.value = value
  }

  package func isExpired(at now: HTTPDate) -> Bool { expires.map { $0 <= now } ?? false }

  /// Checks what holds for every cookie, wherever it comes from: its bytes, its size, and the promises of its name (§5.4),
  /// which a cookie without a name must not seem to make either.
  package func check() throws(CookieProblem) {
    let name = identity.name
    guard !name.isEmpty || !value.isEmpty else { throw .empty }
    guard name.count + value.count <= SetCookie.maximumBytes else { throw .tooLarge }
    if name.contains(where: CookieProblem.isControl) || value.contains(where: CookieProblem.isControl) {
      throw .controlCharacter
    }
    if sameSite == SameSite.none && !isSecure { throw .sameSiteNoneWithoutSecure }
    if Self.hasPrefix(name, "__secure-") && !isSecure { throw .prefix }
    if Self.hasPrefix(name, "__host-") {
      guard isSecure, identity.isHostOnly, identity.path == [UInt8(ascii: "/")] else { throw .prefix }
    }
    if name.isEmpty && (Self.hasPrefix(value, "__secure-") || Self.hasPrefix(value, "__host-")) { throw .prefix }
  }

  static func hasPrefix(_ name: [UInt8], _ prefix: String) -> Bool {
    ASCII.equalIgnoringCase(name.prefix(prefix.utf8.count), prefix.utf8)
  }
}

extension CookieRecord: Hashable {
  /// Whether they are the same cookie with the same content, whenever they were made and used.
  package static func == (left: CookieRecord, right: CookieRecord) -> Bool {
    left.identity == right.identity && left.value == right.value && left.isSecure == right.isSecure
      && left.isHTTPOnly == right.isHTTPOnly && left.sameSite == right.sameSite && left.expires == right.expires
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(value)
  }
}
