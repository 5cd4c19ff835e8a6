import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// What an error of the client says.
@Suite("Reports: errors", .timeLimit(.minutes(1)))
struct FailureMatrixTests {
  private static let path = "/a/b?q=1"

  @Test(
    "OBS-03: every failure has its code, phase and sent state, and one line with method, URL, phase, peer, cause and time",
    arguments: FailureCase.all)
  func failure(_ expected: FailureCase) async throws {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    try expected.options(&options, certificates)
    if expected.version.isHTTP2 {
      options.acceptsHTTP2PriorKnowledge = true
      options.tls?.applicationProtocols = ["h2"]
    }
    let server = try ScriptedServer.start(expected.script, options: options)
    defer { server.stop() }
    let closed = try ClosedPort()
    let authority =
      switch expected.destination {
      case .server: server.authority
      case .closedPort: "127.0.0.1:\(closed.port)"
      case .host(let name): "\(name):\(server.port)"
      }
    let scheme = expected.isHTTPS ? "https" : "http"

    var configuration = HTTPClientConfiguration.trusting(certificates)
    if expected.version.isHTTP2 { configuration.httpVersion = .http2PriorKnowledge }
    try expected.configure(&configuration, certificates)
    let resolver = FakeResolver()
    resolver.fail("broken.test", .temporary)
    resolver.set([], for: "slow.test", after: Gate())
    let clock = ManualClock()
    let shards = expected.timePasses == nil ? ShardGroup.shared : clock.makeGroup()
    var environment = EngineEnvironment(shards: shards, resolver: resolver)
    if expected.timePasses != nil { environment.clock = clock }
    let client = HTTPClient(configuration: configuration, environment: environment)
    var request = HTTPRequest(method: .put, url: "\(scheme)://user:secret@\(authority)\(Self.path)")
    expected.change(&request)

    let error = try #require(
      try await Self.failure(of: request, by: client, at: expected.timePasses, server: server, clock: clock))
    #expect(error.code == expected.code)
    #expect(error.phase == expected.phase)
    #expect(error.sent == expected.sent ?? error.sent)
    #expect(error.reason.contains(expected.words), "\(error.reason)")
    #expect(error.attempts == (expected.isUnprepared ? 0 : 1))
    #expect(error.method == .put)
    if error.code == .streamReset || error.code == .protocolViolation { #expect(error.http2ErrorCode != nil) }
    if !expected.version.isHTTP2 { #expect(error.http2ErrorCode == nil) }

    let line = error.description
    #expect(!line.contains { $0.isNewline }, "\(line)")
    #expect(!line.contains("secret") && !line.contains("user"), "\(line)")
    // A URL of a scheme that is not ours is not parsed, so nothing can tell what of it is secret.
    let url = request.url.hasPrefix("ftp") ? nil : "\(scheme)://***@\(authority)\(Self.path)"
    let shownURL = url.map { "\($0.prefix { $0 != "?" })?q=<redacted>" }
    #expect(error.url == url)
    #expect(line.hasPrefix("PUT \(shownURL.map { "\($0): " } ?? "")\(error.phase.rawValue): "), "\(line)")
    #expect(line.contains(error.reason), "\(line)")
    if expected.namesPeer {
      #expect(error.peers.map(\.address) == [authority])
      #expect(line.dropFirst("PUT \(shownURL ?? "")".count).contains(authority), "\(line)")
    }
    if !expected.isUnprepared { #expect(line.contains(/\[attempt 1, [0-9.]+ m?s\]$/), "\(line)") }
    #expect(error.shortDescription == "\(expected.phase.rawValue): \(expected.code.rawValue)")
    await client.shutdown(grace: .zero)
    if expected.timePasses != nil { await shards.shutDown() }
    #expect(ClientSockets.count(toPort: server.port) == (options.acceptance == .nothingWithFullBacklog ? 4 : 0))
  }

  /// Sends a request, lets time pass for it when the moment is there, and waits for its error.
  private static func failure(
    of request: HTTPRequest, by client: HTTPClient, at moment: FailureCase.Moment?, server: ScriptedServer,
    clock: ManualClock
  ) async throws -> TransportError? {
    guard let moment else { return await client.failure(of: request) }
    let failures = EventRecorder<TransportError?>()
    let responded = Gate()
    let task = Task {
      do throws(TransportError) {
        let response = try await client.send(request)
        responded.open()
        _ = try await response.collect()
        failures.record(nil)
      } catch {
        failures.record(error)
      }
    }
    switch moment {
    case .timersArmed(let count): try await clock.waitForTimers(count)
    case .headSent: try await server.waitForHeads(1)
    case .responded: try await responded.opened()
    }
    await clock.advance(by: .milliseconds(20), until: failures)
    await task.value
    return failures.events.first ?? nil
  }

  @Test(
    "OBS-03: a URL that cannot be parsed is not repeated, so that no secret in it can leak",
    arguments: [
      "http://user:secret@[bad/", "http://user:secret@host:99999/", "user:secret@host", "http://user:secret@/", "",
    ])
  func invalidURL(_ text: String) async throws {
    let error = try #require(await HTTPClient().failure(of: .get(text)))
    #expect(error.code == .invalidURL || error.code == .unsupportedScheme)
    #expect(error.phase == .request)
    #expect(error.sent == .nothing)
    #expect(error.description.hasPrefix("GET "))
    #expect(!error.description.contains("secret"))
  }

  // MARK: Failures that need another request

  /// A client with one connection, which a first request holds, and the state in which it does.
  private func occupied(
    _ server: ScriptedServer, _ environment: EngineEnvironment = EngineEnvironment(),
    over wire: Wire? = nil, change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) async throws -> (HTTPClient, Task<TransportError?, Never>) {
    var configuration = wire?.configuration ?? HTTPClientConfiguration()
    configuration.limitRequests(to: 1, over: wire?.version ?? .http1)
    change(&configuration)
    let client = HTTPClient(configuration: configuration, environment: environment)
    let url = server.url()
    let first = Task { await client.failure(of: .get(url)) }
    try await server.waitForRequests(1)
    return (client, first)
  }

  private static let silent = ServerScript.handler { _ in .never }

  @Test("a wait for a connection that ends in time says how many are in use and the place in the queue")
  func poolTimeout() async throws {
    let clock = ManualClock()
    let shards = clock.makeGroup()
    try await ScriptedServer.with(Self.silent) { server async throws in
      let environment = EngineEnvironment(shards: shards, clock: clock)
      let (client, first) = try await occupied(server, environment) {
        $0.timeouts = TimeoutConfiguration(connect: nil, connectionWait: nil, responseHead: nil, idle: nil)
      }
      let failures = EventRecorder<TransportError?>()
      var second = HTTPRequest.get(server.url())
      second.options.timeouts.connectionWait = .after(.seconds(5))
      let waiting = Task { [second] in failures.record(await client.failure(of: second)) }
      await clock.advance(by: .seconds(1), until: failures)
      await waiting.value
      let error = try #require(failures.events.first ?? nil)
      #expect(error.code == .poolTimeout)
      #expect(error.phase == .pool)
      #expect(error.sent == .nothing)
      #expect(
        error.description.contains("for a connection to \(server.authority), 1 of 1 in use, position 1 in the queue"))
      first.cancel()
      #expect(await first.value?.code == .cancelled)
    }
    await shards.shutDown()
  }

  @Test("one request more than may wait is refused at once", arguments: WireProtocol.versions)
  func poolQueueFull(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(Self.silent, options: wire.options) { server async throws in
      let (client, first) = try await occupied(server, over: wire) { $0.pool.maximumWaitingRequests = 0 }
      let error = try #require(await client.failure(of: .get(server.url())))
      #expect(error.code == .poolQueueFull)
      #expect(error.phase == .pool)
      #expect(error.sent == .nothing)
      first.cancel()
      _ = await first.value
    }
  }

  @Test(
    "a shutdown says of a request in flight that it was sent, and of a later one that it was not",
    arguments: WireProtocol.versions)
  func shutdown(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(Self.silent, options: wire.options) { server async throws in
      let (client, first) = try await occupied(server, over: wire)
      await client.shutdown(grace: .zero)
      let inFlight = try #require(await first.value)
      #expect(inFlight.code == .clientShutDown)
      #expect(inFlight.phase == .head)
      #expect(inFlight.sent == .all)
      let later = try #require(await client.failure(of: .get(server.url())))
      #expect(later.code == .clientShutDown)
      #expect(later.sent == .nothing)
    }
  }

  enum CancelPoint: CaseIterable, Sendable {
    case beforeStart, queued, resolving, connecting, handshaking, sending, head, body
  }

  @Test(
    "a cancelled request says in which phase it was and whether it was sent", arguments: CancelPoint.allCases,
    WireProtocol.versions)
  func cancelled(_ point: CancelPoint, over version: WireProtocol) async throws {
    let gate = Gate()
    let wire = try Wire(version)
    var options = wire.options
    var script = Self.silent
    switch point {
    case .connecting:
      options.acceptance = .nothingWithFullBacklog
      options.acceptBacklog = 1
    case .handshaking: script = .steps([.readBytes(1), .open(gate), .stall])
    case .sending:
      script = .handler(onHead: { _ in .respond(.raw([.open(gate), .stall])) }) { _ in .never }
    case .body:
      let body = ServerBody([.bytes(Array("he".utf8)), .effect(.stall)])
      script = .handler { _ in ServerResponse(body: body).framed(.announced(5)) }
    case .beforeStart, .queued, .resolving, .head: break
    }
    let server = try ScriptedServer.start(script, options: options)
    defer { server.stop() }
    let resolver = FakeResolver()
    resolver.set([], for: "slow.test", after: Gate())
    let configuration = wire.configured { $0.limitRequests(to: 1, over: version) }
    let client = HTTPClient(configuration: configuration, environment: EngineEnvironment(resolver: resolver))
    var request = HTTPRequest.put(server.url("/", host: point == .resolving ? "slow.test" : nil))
    if point == .handshaking { request.url = "https://127.0.0.1:\(server.port)/" }
    if point == .sending { request.body = .bytes([UInt8](repeating: 0, count: 30_000_000)) }

    let holder: Task<TransportError?, Never>? =
      point == .queued ? Task { await client.failure(of: .get(server.url())) } : nil
    if point == .queued { try await server.waitForRequests(1) }
    let started = Gate(isOpen: point != .beforeStart)
    let sent = request
    let receivedHead = Gate()
    let task = Task { () -> TransportError? in
      if !started.isOpen { try? await started.opened() }
      do throws(TransportError) {
        let response = try await client.send(sent)
        receivedHead.open()
        _ = try await response.collect()
        return nil
      } catch { return error }
    }
    switch point {
    case .beforeStart, .queued, .connecting: break
    case .resolving: try await resolver.waitForQueries(1)
    case .handshaking, .sending: try await gate.opened()
    case .head: try await server.waitForRequests(1)
    case .body: try await receivedHead.opened()
    }
    task.cancel()
    let error = try #require(await task.value)
    #expect(error.code == .cancelled)
    switch point {
    case .beforeStart, .queued, .resolving, .connecting, .handshaking:
      #expect(error.phase == .pool)
      #expect(error.sent == .nothing)
    case .sending, .head:
      #expect(error.phase == .head)
      #expect(error.sent == .maybe)
    case .body:
      #expect(error.phase == .body)
      #expect(error.sent == .all)
    }
    holder?.cancel()
    await client.shutdown(grace: .zero)
    _ = await holder?.value
    if point != .connecting { #expect(ClientSockets.count(toPort: server.port) == 0) }
  }
}
