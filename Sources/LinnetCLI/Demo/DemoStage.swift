internal import FoundationEssentials
internal import Linnet
internal import LinnetHTTP
internal import LinnetTestSupport

/// The servers and the client of the tour.
final class DemoStage: Sendable {
  /// Speaks https with a certificate that the client trusts.
  let server: ScriptedServer
  /// Shows a certificate that nobody has signed.
  let impostor: ScriptedServer
  /// Speaks http and keeps its connections badly: see ``DemoStage/forgetful``.
  let forgetfulServer: ScriptedServer
  /// Speaks HTTP/2 over TLS.
  let multiplexing: DemoHall
  /// Speaks HTTP/2 in cleartext.
  let cleartextMultiplexing: DemoHall
  let client: HTTPClient
  /// The typed client, with an engine of its own and the settings of ``client``.
  let typedClient: DefaultNetworkClient

  static let bigBodyBytes: UInt64 = 256 << 20
  static let connectionLimit = 8

  init() throws {
    // The files of the certificates are gone before the tour starts: everything goes on in memory.
    let (trusted, own, authority) = try Self.certificates()
    server = try ScriptedServer.start(.handler(Self.answer), options: Self.options(trusted))
    impostor = try ScriptedServer.start(.handler { _ in .text("secret") }, options: Self.options(own))
    forgetfulServer = try ScriptedServer.start(Self.forgetful)
    var http2 = Self.options(trusted)
    http2.tls?.applicationProtocols = ["h2", "http/1.1"]
    multiplexing = try DemoHall(http2)
    http2.tls = nil
    http2.acceptsHTTP2PriorKnowledge = true
    cleartextMultiplexing = try DemoHall(http2)

    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .only([.bytes(Array(authority.utf8))])
    configuration.pool.maximumConnectionsPerOrigin = Self.connectionLimit
    // A guard: no stop takes that long.
    configuration.timeouts.total = .seconds(60)
    client = HTTPClient(configuration: configuration)
    typedClient = DefaultNetworkClient(
      configuration: try Self.typedConfiguration(of: server).engine(configuration))
  }

  /// For a typed client of ``server``.
  func typedConfiguration() throws -> NetworkConfiguration { try Self.typedConfiguration(of: server) }

  private static func typedConfiguration(of server: ScriptedServer) throws -> NetworkConfiguration {
    guard let url = URL(string: server.url("/")) else { throw DemoFailure("\(server.url("/")) is no URL") }
    return .advanced(baseURL: url, cache: CachePack(captureFailurePayload: true))
  }

  func stop() {
    for server in [server, impostor, forgetfulServer, multiplexing.server, cleartextMultiplexing.server] {
      server.stop()
    }
  }

  private static func certificates() throws -> (trusted: TestCertificate, own: TestCertificate, authority: String) {
    let made = try TestCertificates(commonName: "Linnet Demo CA")
    return (try made.loopback(), try made.selfSigned(), made.authority.certificatePEM)
  }

  private static func options(_ certificate: TestCertificate) -> ScriptedServer.Options {
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(certificate)
    options.keptBodyBytes = 4096
    return options
  }

  @Sendable
  private static func answer(_ request: RecordedRequest) -> ServerResponse {
    switch request.path {
    case "/big": .pattern(bigBodyBytes)
    case "/upload": .text("\(request.body.count) \(request.body.matchesTestPattern)")
    case "/gzip": ServerResponse(body: ServerBody(bytes: Array(demoText.utf8))).compressed(.gzip)
    case "/trailers":
      ServerResponse(body: ServerBody([.bytes([0x61]), .bytes([0x62]), .bytes([0x63])]))
        .chunked(trailers: [HeaderLine("Digest", "abc")])
    case "/hints":
      ServerResponse.text("page").after(
        interim: ServerResponse.Interim(103, headers: [HeaderLine("Link", "</style.css>; rel=preload")]))
    case "/never": ServerResponse.raw([.stall])
    case "/half": ServerResponse(body: "half of it").framed(.announced(20)).closing(.abrupt)
    case "/endless":
      ServerResponse.raw([.send("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"), .sendForever])
    case "/missing": ServerResponse(404, body: "not here")
    case "/birds/linnet": json(#"{"name": "linnet", "grams": 20}"#)
    case "/birds/dodo": json(#"{"error": "extinct"}"#, status: 404)
    case "/birds" where request.method == "POST": json(request.body.text, status: 201)
    case "/birds": json(#"[{"name": "wren", "grams": 9}, {"name": "kiwi", "grams": "heavy"}]"#)
    default: .text("hello")
    }
  }

  private static func json(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status, headers: [HeaderLine("Content-Type", "application/json")], body: ServerBody(bytes: Array(text.utf8)))
  }

  static let demoText = String(repeating: "The linnet is a small bird of the finch family. ", count: 4000)

  /// Closes the first connection in answer to its second request, as a server does whose idle time is just over.
  private static let forgetful = ServerScript.perConnection { number in
    number == 1
      ? .steps([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"), .readRequest, .close])
      : .handler { _ in .text("again") }
  }
}
