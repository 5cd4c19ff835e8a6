import LinnetHTTP
import LinnetTestSupport

/// A client with secrets of its own: default header, certificate, credentials for an origin, netrc, cookies, proxy.
struct LeakClient: Sendable {
  /// How it reaches its origins.
  enum Way: CaseIterable, Sendable {
    case http1, http2, proxy, tunnel
  }

  let number: Int
  let client: HTTPClient

  init(number: Int, way: Way, _ world: LeakOrigins, in directory: TemporaryDirectory) throws {
    self.number = number
    let ledger = world.ledger
    var configuration = HTTPClientConfiguration.trusting(world.certificates)
    configuration.httpVersion = way == .http2 ? .http2PriorKnowledge : way == .proxy ? .automatic : .http1Only
    configuration.cookies = .privateJar

    let header = ledger.add(
      .clientDefault, for: "requests of client \(number) before they leave", world.beforeLeaving(number))
    configuration.defaultHeaders.add("X-Client-Secret", header)
    let name = ledger.add(
      .clientCertificate, for: "requests of client \(number) before they leave", world.beforeLeaving(number))
    let files = try world.certificates.write(try world.certificates.client(commonName: name), as: "client\(number)")
    configuration.tls.clientIdentity = TLSConfiguration.ClientIdentity(
      certificates: .file(files.chain), privateKey: .file(files.privateKey))

    for origin in [world.origins[1], world.origins[2]] {
      let secret = ledger.add(.clientCredentials, for: "client \(number), \(origin)") {
        $0.client == number && $0.origin == origin
      }
      configuration.credentials[
        try Origin(scheme: origin.isSecure ? .https : .http, host: origin.host, port: origin.port)] =
        .basic(user: "client", password: secret)
    }
    let password = ledger.add(.netrc, for: "client \(number), host other.test") {
      $0.client == number && $0.origin?.host == "other.test"
    }
    configuration.netrc = .file(
      try directory.write("machine other.test login netrc password \(password)\n", to: "netrc\(number)"))

    if way == .proxy || way == .tunnel {
      let secret = ledger.add(.proxy, for: "the proxy of client \(number)") {
        $0.isAtProxy && ($0.client == number || $0.client == -1)
      }
      configuration.proxy = .fixed(
        HTTPProxy(
          kind: .http, host: "127.0.0.1", port: world.proxy.port, credentials: .basic(user: "p", password: secret)))
      configuration.proxy.tunnelsHTTP = way == .tunnel
    }
    world.setCookies(Self.cookies(of: number, world), forClient: number)
    client = HTTPClient(configuration: configuration, environment: EngineEnvironment(resolver: world.resolver))
  }

  /// What each origin sets: a cookie for its host, one for its domain, and one for TLS. Cookies know no ports (RFC 6265 §8.5).
  private static func cookies(of client: Int, _ world: LeakOrigins) -> [LeakOrigin: [String]] {
    var cookies: [LeakOrigin: [String]] = [:]
    for (index, origin) in world.origins.enumerated() {
      let host = origin.host
      let own = world.ledger.add(.hostCookie, for: "client \(client), host \(host)") {
        $0.client == client && $0.origin?.host == host
      }
      cookies[origin, default: []].append("h\(index)=\(own); Path=/")
      if origin.isSecure {
        let secure = world.ledger.add(.secureCookie, for: "client \(client), https host \(host)") {
          $0.client == client && $0.origin?.host == host && $0.origin?.isSecure == true
        }
        cookies[origin, default: []].append("s\(index)=\(secure); Path=/; Secure")
      }
      guard host.utf8.last == UInt8(ascii: "t") else { continue }
      let domain = host == "sub.home.test" ? "home.test" : host
      let shared = world.ledger.add(.domainCookie, for: "client \(client), domain \(domain)") { sighting in
        guard sighting.client == client, let seen = sighting.origin?.host else { return false }
        return seen == domain || seen == "sub.\(domain)"
      }
      cookies[origin, default: []].append("d\(index)=\(shared); Path=/; Domain=\(domain)")
    }
    return cookies
  }
}

extension LeakOrigins {
  /// What a client adds to every request: meant for the origin that the caller names, until a chain leaves it.
  func beforeLeaving(_ client: Int) -> @Sendable (LeakSighting) -> Bool {
    { [weak self] sighting in
      guard sighting.client == client, let chain = self?.chain(sighting.chain) else { return false }
      return chain.mayBeSeenBeforeLeaving(sighting)
    }
  }

  func chain(_ number: Int) -> LeakChain? { chains.withLock { $0[number] } }
}
