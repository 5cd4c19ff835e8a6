import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// The servers of the table.
enum PeerKind: String, CaseIterable, Sendable {
  case nginx, apache, h2o, haproxy, nghttpx, hypercorn, nghttpd

  /// What not every server can.
  enum Feature {
    /// Answers `Range` itself.
    case range
    /// Sends gzip.
    case gzip
    /// Answers below `/app/` as ``PeerApplication`` does.
    case application
    /// Passes the trailers of its backend on, or has its own.
    case trailers
    /// Passes 103 on, or sends it.
    case earlyHints
  }

  var isInstalled: Bool {
    switch self {
    case .nginx: Nginx.isInstalled
    case .apache: Apache.isInstalled
    case .h2o: H2O.isInstalled
    case .haproxy: Haproxy.isInstalled
    case .nghttpx: Nghttpx.isInstalled
    case .hypercorn: Hypercorn.isInstalled
    case .nghttpd: Nghttpd.isInstalled
    }
  }

  var reason: String {
    switch self {
    case .nginx: Nginx.reason
    case .apache: Apache.reason
    case .h2o: H2O.reason
    case .haproxy: Haproxy.reason
    case .nghttpx: Nghttpx.reason
    case .hypercorn: Hypercorn.reason
    case .nghttpd: Nghttpd.reason
    }
  }

  func speaks(_ wire: HTTPWire) -> Bool { self != .nghttpd || wire.isHTTP2 }

  func can(_ feature: Feature, over wire: HTTPWire) -> Bool {
    switch feature {
    case .range: [.nginx, .apache, .h2o].contains(self)
    case .gzip, .application: self != .nghttpd
    case .trailers:
      switch self {
      case .haproxy, .nghttpx, .nghttpd: true
      case .apache, .hypercorn: wire.isHTTP2
      case .nginx, .h2o: false
      }
    case .earlyHints:
      switch self {
      case .apache, .haproxy, .nghttpx: true
      case .hypercorn: wire.isHTTP2
      case .nginx, .h2o, .nghttpd: false
      }
    }
  }

  fileprivate func start(documents: String, backend: UInt16) throws -> any HTTPPeer {
    switch self {
    case .nginx:
      var options = Nginx.Options()
      (options.documents, options.backend) = (documents, backend)
      return try Nginx(options)
    case .apache: return try Apache(documents: documents, backend: backend)
    case .h2o: return try H2O.start(documents: documents, backend: backend)
    case .haproxy: return try Haproxy.start(backend: backend)
    case .nghttpx: return try Nghttpx.start(backend: backend)
    case .hypercorn: return try Hypercorn.start()
    case .nghttpd: return try Nghttpd.start(documents: documents)
    }
  }
}

/// A row: a server and how it is spoken with.
struct PeerRow: Sendable, CustomTestStringConvertible {
  let kind: PeerKind
  let wire: HTTPWire

  var testDescription: String { "\(kind.rawValue), \(wire.rawValue)" }

  /// The rows of the servers that are here and can `feature`.
  static func all(can feature: PeerKind.Feature? = nil) -> [PeerRow] {
    PeerKind.allCases.filter(\.isInstalled).flatMap { kind in
      HTTPWire.allCases.filter { wire in
        kind.speaks(wire) && (feature.map { kind.can($0, over: wire) } ?? true)
      }.map { PeerRow(kind: kind, wire: $0) }
    }
  }
}

/// The servers of one suite, started before its first test and ended after its last.
final class PeerTable: Sendable {
  /// The sizes of the files that servers have.
  static let sizes: [UInt64] = PatternContent.sizes + [5, 70_000, large]
  static let large: UInt64 = 20 << 20

  private let documents: TemporaryDirectory
  private let backend: ScriptedServer
  private let peers: [PeerKind: Result<any HTTPPeer, any Error>]

  fileprivate init() throws {
    documents = try TemporaryDirectory()
    backend = try PeerApplication.start()
    let path = documents.path
    mkdir(path + "/gzip", 0o755)
    for size in Self.sizes { try PatternContent.write(size, to: path + "/\(size).bin") }
    // nginx looks for what is below /gzip/ in the folder itself.
    for name in ["/gzip/70000.txt", "/70000.txt"] { try PatternContent.write(70_000, to: path + name) }
    // Apache, started by root, reads as a user without rights.
    for name in Self.sizes.map({ "/\($0).bin" }) + ["/gzip/70000.txt", "/70000.txt"] { chmod(path + name, 0o644) }
    chmod(path, 0o755)
    let port = backend.port
    let pairs = PeerKind.allCases.filter(\.isInstalled).map { kind in
      (kind, Result { try kind.start(documents: path, backend: port) })
    }
    peers = Dictionary(uniqueKeysWithValues: pairs)
  }

  /// - Throws: What kept the server from starting.
  func peer(_ kind: PeerKind) throws -> any HTTPPeer { try #require(peers[kind]).get() }

  fileprivate func stop() {
    for case .success(let peer) in peers.values { peer.stop() }
    backend.stop()
  }
}

/// Gives the tests of a suite their servers.
struct PeerTableTrait: SuiteTrait, TestScoping {
  @TaskLocal static var current: PeerTable?

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let table = try PeerTable()
    defer { table.stop() }
    try await Self.$current.withValue(table) { try await function() }
  }
}

extension Trait where Self == PeerTableTrait {
  /// Servers for the tests of a suite, in ``PeerRow/start()``.
  static var peerTable: Self { PeerTableTrait() }
}

extension PeerRow {
  /// The row's server and a new client for it. The server stays for other tests.
  func start() throws -> PeerAccess {
    let peer = try #require(PeerTableTrait.current).peer(kind)
    return PeerAccess(wire: wire, peer: peer, client: peer.client(over: wire))
  }
}

/// A server, and a client that speaks with it in one way.
struct PeerAccess: Sendable {
  let wire: HTTPWire
  let peer: any HTTPPeer
  let client: HTTPClient

  func url(_ path: String) -> String { peer.url(path, over: wire) }

  /// Sends a request and checks that the response came over the wire that was asked for.
  func send(
    _ method: HTTPMethod = .get, _ path: String, headers: HTTPHeaders = HTTPHeaders(), body: HTTPRequestBody? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> HTTPResponse {
    try await send(
      HTTPRequest(method: method, url: url(path), headers: headers, body: body), sourceLocation: sourceLocation)
  }

  func send(
    _ request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> HTTPResponse {
    let response = try await client.send(request)
    #expect(response.version == wire.version, sourceLocation: sourceLocation)
    if wire.isTLS {
      let agreed = response.connection.tls?.applicationProtocol
      // A server that speaks nothing else need not say so.
      #expect(wire.isHTTP2 ? agreed == "h2" : agreed == "http/1.1" || agreed == nil, sourceLocation: sourceLocation)
    }
    return response
  }
}
