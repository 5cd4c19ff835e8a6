import LinnetHTTP
import LinnetTestSupport
import Testing

/// What client and server speak. A rule that is not about the bytes of one version holds for all of them, so its test runs
/// over each.
enum WireProtocol: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case http1, http1TLS, http2, http2TLS

  var testDescription: String {
    switch self {
    case .http1: "HTTP/1.1"
    case .http1TLS: "HTTP/1.1 over TLS"
    case .http2: "HTTP/2"
    case .http2TLS: "HTTP/2 over TLS"
    }
  }

  var isHTTP2: Bool { self == .http2 || self == .http2TLS }
  var isSecure: Bool { self == .http1TLS || self == .http2TLS }

  /// Both versions, for what encryption does not touch.
  static let versions: [WireProtocol] = [.http1, .http2]
  /// Both versions over TLS.
  static let secure: [WireProtocol] = [.http1TLS, .http2TLS]
}

/// Servers and clients that speak one protocol with each other, and nothing else.
struct Wire: Sendable {
  let version: WireProtocol
  /// Set for a protocol over TLS.
  let certificates: TestCertificates?
  /// How the server is set up.
  var options = ScriptedServer.Options()
  /// How the client is set up.
  var configuration = HTTPClientConfiguration()

  init(_ version: WireProtocol) throws {
    self.version = version
    certificates = version.isSecure ? try TestCertificates() : nil
    if let certificates {
      options.tls = ServerTLS(try certificates.loopback())
      options.tls?.applicationProtocols = version.isHTTP2 ? ["h2"] : ["http/1.1"]
      configuration.tls.trustRoots = .only([.bytes(Array(certificates.authority.certificatePEM.utf8))])
      // By ALPN alone, as for most users.
      configuration.httpVersion = version.isHTTP2 ? .automatic : .http1Only
    } else {
      options.acceptsHTTP2PriorKnowledge = version.isHTTP2
      configuration.httpVersion = version.isHTTP2 ? .http2PriorKnowledge : .automatic
    }
  }

  var isHTTP2: Bool { version.isHTTP2 }

  func start(
    _ script: ServerScript, change: (inout ScriptedServer.Options) -> Void = { _ in }
  ) throws -> ScriptedServer {
    var options = options
    change(&options)
    return try ScriptedServer.start(script, options: options)
  }

  func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
    HTTPClient(configuration: configured(change))
  }

  func configured(_ change: (inout HTTPClientConfiguration) -> Void) -> HTTPClientConfiguration {
    var configuration = configuration
    change(&configuration)
    return configuration
  }
}

extension HTTPClientConfiguration {
  /// At most that many requests at a time to one origin: each on a connection of its own, or all on one over HTTP/2.
  mutating func limitRequests(to count: Int, over version: WireProtocol) {
    pool.maximumConnectionsPerOrigin = version.isHTTP2 ? 1 : count
    pool.maximumHTTP2ConnectionsPerOrigin = 1
    http2.maximumConcurrentStreams = count
  }
}

extension RecordedRequest {
  /// Whether it came over the protocol.
  func came(over version: WireProtocol) -> Bool {
    (majorVersion == 2) == version.isHTTP2 && (tls != nil) == version.isSecure
  }
}
