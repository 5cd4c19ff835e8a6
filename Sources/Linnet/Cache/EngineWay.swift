internal import FoundationEssentials
internal import LinnetBytes
package import LinnetHTTP

/// How the requests of a client reach their servers, and as whom, as far as no header field says it: the client certificate,
/// whose certificates are trusted, proxies, and everything that connects a name to another place.
///
/// A response that came on one way is never the answer to a request that goes another: another user may have got it, or
/// somebody on the path may have made it.
package struct EngineWay: Sendable {
  /// Stands for the way to the base URL's origin; nil for that of an engine with no such settings.
  package let own: String?
  /// The same without the client certificate, for other origins and what they lead to.
  package let foreign: String?
  /// The TLS settings by which requests on the foreign way are known; nil when the engine has no certificate, so that there
  /// is one way.
  let foreignTLS: TLSConfiguration?

  /// The way of an engine without settings, and of a transport whose settings are not known.
  package init() { (own, foreign, foreignTLS) = (nil, nil, nil) }

  /// - Parameters:
  ///   - engine: The settings of the engine that sends the requests.
  ///   - trustPolicy: What the typed client says in addition.
  package init(_ engine: HTTPClientConfiguration, trustPolicy: TrustPolicy) {
    let route = Self.route(engine, trustPolicy)
    own = Self.mark(route, engine.tls)
    foreignTLS = engine.tls.withoutClientIdentity
    foreign = foreignTLS.map { Self.mark(route, $0) } ?? own
  }

  /// The mark of a request's way; nil for a request that goes a way of its own, about which no key says anything.
  package func mark(of options: HTTPRequestOptions) -> Mark? {
    guard options.connectTarget == nil, options.proxy == nil else { return nil }
    guard let tls = options.tls else { return Mark(text: own) }
    return tls == foreignTLS ? Mark(text: foreign) : nil
  }

  /// What a key has of a way.
  package struct Mark: Sendable {
    package let text: String?
  }

  private static func mark(_ route: WayText, _ tls: TLSConfiguration) -> String? {
    var text = route
    text.add(tls)
    return text.isEmpty ? nil : HeaderFingerprint.digest(of: text.description)
  }

  private static func route(_ engine: HTTPClientConfiguration, _ trustPolicy: TrustPolicy) -> WayText {
    var text = WayText()
    text.add("target", engine.connectTarget.map { "\($0)" })
    for override in engine.connectOverrides { text.add("connect", override.description) }
    for (name, addresses) in engine.resolveOverrides.sorted(by: { $0.key < $1.key }) {
      text.add("resolve", name)
      for address in addresses { text.add("address", address) }
    }
    text.add("from", engine.socket.localAddress)
    text.add("interface", engine.socket.localInterface)
    text.add(engine.proxy)
    if case .insecureAcceptAnyCertificate(let hosts) = trustPolicy {
      for host in hosts.map({ $0.lowercased() }).sorted() { text.add("insecure", host) }
    }
    return text
  }
}

/// Collects settings to a text that no others have. It may hold secrets and is for a hash function alone.
private struct WayText: CustomStringConvertible {
  private(set) var description = ""

  var isEmpty: Bool { description.isEmpty }

  mutating func add(_ name: String, _ value: String?) {
    if let value { description += "\(name) \(value.utf8.count) \(value)\n" }
  }

  private mutating func add(_ name: String, isSet: Bool) { if isSet { add(name, "") } }

  private mutating func add(_ name: String, _ source: TLSConfiguration.Source) {
    switch source {
    case .file(let path): add("\(name) file", path)
    case .bytes(let bytes): add("\(name) bytes", Base64.encode(bytes))
    }
  }

  /// Settings that say whom a server sees, and whom the client takes for it.
  mutating func add(_ tls: TLSConfiguration) {
    add("unverified", isSet: !tls.verifiesPeer)
    switch tls.trustRoots {
    case .system: add("without environment", isSet: !tls.usesEnvironment)
    case .systemAnd(let sources):
      add("and system", isSet: true)
      add("without environment", isSet: !tls.usesEnvironment)
      for source in sources { add("root", source) }
    case .only(let sources):
      add("no system", isSet: true)
      for source in sources { add("root", source) }
    }
    if let identity = tls.clientIdentity {
      // The certificate says who it is; neither key nor pass phrase is needed for that.
      add(identity.isPKCS12 ? "pkcs12" : "identity", identity.certificates)
    }
    add("server name", tls.serverName)
    for pin in tls.pinnedPublicKeys.map(\.description).sorted() { add("pin", pin) }
    // Objects are the same only in one process, while they live: what a verifier has admitted is for one client.
    if tls.certificateVerifier != nil { add("verifier", UUID().uuidString) }
  }

  mutating func add(_ proxy: ProxyConfiguration) {
    if let server = proxy.proxy {
      add("proxy", server.description)
      add("proxy credentials", server.credentials?.distinction)
      add("proxy field", server.headers)
      add("proxy TLS", server.tls)
    }
    if proxy.usesProxyVariables {
      add("proxy variables", isSet: true)
      add("environment credentials", proxy.environmentCredentials?.distinction)
      add("environment field", proxy.environmentHeaders)
      add("environment TLS", proxy.environmentTLS)
    }
    guard !isEmpty else { return }
    add("no proxy variable", isSet: proxy.usesNoProxyVariable)
    for exception in proxy.exceptions { add("exception", exception) }
    add("tunnels", isSet: proxy.tunnelsHTTP)
  }

  private mutating func add(_ name: String, _ headers: HTTPHeaders) {
    for header in headers {
      add("\(name) name", header.name)
      add("\(name) value", header.value)
    }
  }

  private mutating func add(_ name: String, _ tls: TLSConfiguration?) {
    guard let tls else { return }
    var text = WayText()
    text.add(tls)
    add(name, text.description)
  }
}
