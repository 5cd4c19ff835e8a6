import LinnetHTTP
import LinnetTestSupport
import Testing

/// A server that speaks HTTP/2 frame by frame, and a client in front of it.
struct HTTP2Scene {
  /// What carries HTTP/2.
  enum Wire: String, CaseIterable, Sendable {
    case cleartext
    case tls
  }

  let server: HTTP2FrameServer
  let client: HTTPClient
  let certificates: TestCertificates

  /// The settings of a client that speaks HTTP/2 to the server: agreed on by ALPN over TLS, known beforehand in cleartext.
  static func configuration(_ wire: Wire, _ certificates: TestCertificates) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration.trusting(certificates)
    if wire == .cleartext { configuration.httpVersion = .http2PriorKnowledge }
    return configuration
  }

  static func options(_ wire: Wire, _ certificates: TestCertificates) throws -> HTTP2FrameServer.Options {
    wire == .tls
      ? HTTP2FrameServer.Options(tls: ServerTLS(try certificates.loopback())) : HTTP2FrameServer.Options()
  }

  /// Runs `body` with both, and ends both afterwards. The client may not have broken a rule of HTTP/2.
  ///
  /// - Parameters:
  ///   - configure: Changes the client's settings.
  ///   - serve: Changes the server's.
  ///   - script: What the server does with each connection.
  static func with(
    _ wire: Wire = .cleartext, configure: (inout HTTPClientConfiguration) -> Void = { _ in },
    serve: (inout HTTP2FrameServer.Options) -> Void = { _ in }, _ script: @escaping HTTP2FrameServer.Script,
    _ body: (HTTP2Scene) async throws -> Void
  ) async throws {
    let certificates = try TestCertificates()
    var options = try options(wire, certificates)
    serve(&options)
    var configuration = configuration(wire, certificates)
    configure(&configuration)
    let server = try HTTP2FrameServer.start(options: options, script)
    defer { server.stop() }
    let scene = HTTP2Scene(
      server: server, client: HTTPClient(configuration: configuration), certificates: certificates)
    do {
      try await body(scene)
    } catch {
      Issue.record("\(error)")
    }
    await scene.client.shutdown(grace: .zero)
    #expect(server.snapshot.violations.isEmpty)
  }

  /// The same with a server that answers every request.
  static func serving(
    _ wire: Wire = .cleartext, settings: [HTTP2Frame.Setting] = [.maxConcurrentStreams(100)],
    configure: (inout HTTPClientConfiguration) -> Void = { _ in },
    _ respond: @escaping @Sendable (HTTP2FrameRequest) -> HTTP2FrameResponse,
    _ body: (HTTP2Scene) async throws -> Void
  ) async throws {
    try await with(
      wire, configure: configure,
      { connection in
        try connection.handshake(settings)
        try connection.serve(respond)
      }, body)
  }

  /// A GET of a path on the server.
  func get(_ path: String = "/") -> HTTPRequest { .get(server.url(path)) }

  /// A POST to a path on the server.
  func post(_ path: String = "/", _ body: HTTPRequestBody) -> HTTPRequest { .post(server.url(path), body: body) }

  /// The text of the response to a GET.
  func text(_ path: String = "/") async throws -> String { try await client.send(get(path)).text() }
}

extension HTTP2FrameConnection {
  /// Sends frames of a response that has not ended: the head, and some bytes.
  func begin(_ stream: UInt32, _ fields: [HeaderLine] = [], body: [UInt8] = []) throws {
    try sendFields([HeaderLine(":status", "200")] + fields, on: stream)
    if !body.isEmpty { try sendData(body, on: stream) }
  }
}

/// What a script throws about a client that does the wrong thing; it becomes a violation.
struct Unexpected: Error, CustomStringConvertible {
  let description: String

  static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Unexpected(description: description()) }
  }
}
