import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// A proxy of one kind, an origin that speaks one protocol, and clients that go through the one to the other.
///
/// The origin's name exists nowhere: the proxy leads it to this machine, and a client that looks it up is found out.
final class ProxyScene: Sendable {
  let kind: HTTPProxy.Kind
  let version: WireProtocol
  let proxy: ScriptedProxy
  let origin: ScriptedServer
  let resolver = FakeResolver()
  let proxyCertificates: TestCertificates?
  private let configuration: HTTPClientConfiguration

  static let host = "origin.invalid"

  init(
    _ kind: HTTPProxy.Kind, to version: WireProtocol, credentials: (user: String, password: String)? = nil,
    _ script: ServerScript = .handler { _ in .text("through") },
    decide: @escaping @Sendable (RecordedProxyRequest) -> ProxyAnswer = { _ in .allow }
  ) throws {
    self.kind = kind
    self.version = version
    var wire = try Wire(version)
    if let certificates = wire.certificates {
      wire.options.tls?.certificate = try certificates.server(dnsNames: [Self.host])
    }
    origin = try wire.start(script)
    var options = ScriptedProxy.Options()
    options.credentials = credentials
    proxyCertificates = kind == .https ? try TestCertificates(commonName: "Proxy CA") : nil
    options.tls = try proxyCertificates.map { ServerTLS(try $0.loopback()) }
    let spoken: ScriptedProxy.Kind =
      switch kind {
      case .http, .https: .http
      case .socks4a: .socks4
      case .socks5, .socks5h: .socks5
      }
    proxy = try ScriptedProxy.start(spoken, options: options, decide)
    configuration = wire.configuration
    if kind == .socks5 { resolver.set([.loopbackIPv4(port: 0)], for: Self.host) }
  }

  deinit {
    origin.stop()
    proxy.stop()
  }

  var url: String { origin.url("/x", host: Self.host) }
  var isForwarded: Bool { (kind == .http || kind == .https) && version == .http1 }

  func settings(_ credentials: HTTPCredentials? = nil) -> HTTPProxy {
    var settings = HTTPProxy.local(kind, proxy.port, credentials)
    if let proxyCertificates {
      settings.tls = TLSConfiguration()
      settings.tls?.trustRoots = .only([.file(proxyCertificates.authorityFile)])
    }
    return settings
  }

  func client(
    _ credentials: HTTPCredentials? = nil, shards: ShardGroup = .shared, clock: any MonotonicClock = SystemClock(),
    _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) -> HTTPClient {
    var configuration = configuration
    configuration.proxy = .fixed(settings(credentials))
    change(&configuration)
    return HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: shards, resolver: resolver, clock: clock))
  }
}
