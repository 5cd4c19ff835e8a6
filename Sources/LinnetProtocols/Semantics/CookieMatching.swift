internal import LinnetBytes
package import LinnetHTTPTypes

/// Who sets cookies or gets them: the parts of a request's URL that count. Ports do not (RFC 6265bis §8.5).
package struct CookieOrigin: Sendable, Hashable {
  package var host: String
  /// Whether the host is an IP address, which has no sub-domains.
  package var isAddress: Bool
  package var path: String
  /// Whether nobody on the way can read or change what is sent: see ``CookieMatching/isSecure(_:)``.
  package var isSecure: Bool

  package init(_ url: HTTPURL) {
    host = url.host
    isAddress = url.address != nil
    path = url.path
    isSecure = CookieMatching.isSecure(url)
  }
}

/// Which cookies belong to which requests (RFC 6265bis §5.1.3, §5.1.4, §5.8.3).
package enum CookieMatching {
  /// Whether `host` is `domain` or lies below it; both in lower case.
  package static func domainMatches(host: String, isAddress: Bool = false, domain: String) -> Bool {
    let (host, domain) = (host.utf8, domain.utf8)
    guard host.count > domain.count else { return host.elementsEqual(domain) }
    return !isAddress && !domain.isEmpty && host.suffix(domain.count).elementsEqual(domain)
      && host.dropLast(domain.count).last == UInt8(ascii: ".")
  }

  /// Whether a request for `path` gets cookies of `cookiePath`: the same path, or one below it.
  package static func pathMatches(_ path: some Collection<UInt8>, cookiePath: [UInt8]) -> Bool {
    guard path.starts(with: cookiePath) else { return false }
    let rest = path.dropFirst(cookiePath.count)
    return rest.isEmpty || cookiePath.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
  }

  /// The path of a cookie that names none: the folder that the request's path lies in.
  package static func defaultPath(of path: String) -> [UInt8] {
    let bytes = Array(path.utf8)
    guard bytes.first == UInt8(ascii: "/"), let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash > 0 else {
      return [UInt8(ascii: "/")]
    }
    return Array(bytes[..<slash])
  }

  /// Whether cookies with `Secure` may come from this URL and go to it: over TLS, and on the own machine, as in browsers
  /// (Secure Contexts §3.1) and curl. Servers under development would be of no use otherwise.
  package static func isSecure(_ url: HTTPURL) -> Bool {
    if url.isSecure { return true }
    if let address = url.address { return address.isLoopback }
    return isLocalhost(url.host)
  }

  /// `localhost` and the names below it, which never leave the machine (RFC 6761 §6.3).
  package static func isLocalhost(_ host: String) -> Bool {
    let name = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    return domainMatches(host: name, domain: "localhost")
  }

  /// The domains whose cookies may belong to a host, itself first.
  ///
  /// A name of more than 255 bytes is none of DNS; only its own cookies are looked for, because every parent of it takes
  /// time in proportion to its length.
  package static func candidateDomains(for origin: CookieOrigin) -> [String] {
    var domains = [origin.host]
    guard !origin.isAddress, origin.host.utf8.count <= 255 else { return domains }
    var rest = origin.host[...].utf8
    while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.index(after: dot)...]
      if !rest.isEmpty { domains.append(String(Substring(rest))) }
    }
    return domains
  }

  /// Whether a cookie whose domain is one of ``candidateDomains(for:)`` goes to a request.
  ///
  /// `SameSite` and `HttpOnly` do not count: both are about pages and scripts in a browser, and a program that sends a
  /// request by itself is none (§5.2: no site has started it).
  package static func isSent(_ cookie: CookieRecord, to origin: CookieOrigin) -> Bool {
    (!cookie.isSecure || origin.isSecure)
      && (!cookie.identity.isHostOnly || cookie.identity.domain == origin.host)
      && pathMatches(origin.path.utf8, cookiePath: cookie.identity.path)
  }

  /// The order in which cookies are sent: those with longer paths first, then those that were made first.
  package static func isSentBefore(_ left: CookieRecord, _ right: CookieRecord) -> Bool {
    (right.identity.path.count, left.created) < (left.identity.path.count, right.created)
  }
}
