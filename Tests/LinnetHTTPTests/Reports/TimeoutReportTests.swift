import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetProtocols
import LinnetTestSupport
import Testing

/// User reports about timeouts, on a clock that the tests move.
@Suite("Reports: timeouts", .timeLimit(.minutes(1)))
struct TimeoutReportTests {
  // MARK: TIME-01

  enum Phase: String, CaseIterable, Sendable {
    case head, body, total

    /// Sets the client's value for the phase, and those of no concern to none.
    func set(_ duration: Duration, in configuration: inout HTTPClientConfiguration) {
      configuration.timeouts = TimeoutConfiguration(responseHead: nil, idle: nil, total: nil)
      switch self {
      case .head: configuration.timeouts.responseHead = duration
      case .body: configuration.timeouts.idle = duration
      case .total: configuration.timeouts.total = duration
      }
    }

    func set(_ value: TimeoutOverrides.Value, in request: inout HTTPRequest) {
      switch self {
      case .head: request.options.timeouts.responseHead = value
      case .body: request.options.timeouts.idle = value
      case .total: request.options.timeouts.total = value
      }
    }

    var code: TransportError.Code {
      switch self {
      case .head: .headTimeout
      case .body: .idleTimeout
      case .total: .totalTimeout
      }
    }
  }

  /// A server that answers `/quick` at once, and the rest, except for the head of `/body`, once a gate is open.
  private func server(_ gate: Gate, _ wire: Wire) throws -> ScriptedServer {
    try wire.start(
      .handler { request in
        switch request.path {
        case "/quick": .text("quick")
        case "/body": ServerResponse(body: ServerBody([.bytes([0x61]), .wait(gate), .bytes([0x62])]))
        default: ServerResponse.text("ab").waiting(for: gate)
        }
      })
  }

  private static let values: [TimeoutOverrides.Value] = [
    .after(.seconds(2)), .after(.milliseconds(300)), .unlimited, .inherited,
  ]

  @Test(
    "TIME-01: the request's timeout wins over the client's, longer, shorter or none", arguments: Phase.allCases, values)
  func override(_ phase: Phase, _ value: TimeoutOverrides.Value) async throws {
    try await override(phase, value, over: .http1)
  }

  @Test(
    "TIME-01: so it does over HTTP/2, for its stream alone", arguments: Phase.allCases, values)
  func overrideOverHTTP2(_ phase: Phase, _ value: TimeoutOverrides.Value) async throws {
    try await override(phase, value, over: .http2)
  }

  private func override(_ phase: Phase, _ value: TimeoutOverrides.Value, over version: WireProtocol) async throws {
    let gate = Gate()
    let wire = try Wire(version)
    let server = try server(gate, wire)
    defer { server.stop() }
    var configuration = wire.configuration
    phase.set(value == .after(.milliseconds(300)) ? .seconds(2) : .milliseconds(300), in: &configuration)
    let fixture = ManualFixture(configuration)
    let expectsFailure = value == .after(.milliseconds(300)) || value == .inherited
    let failures = EventRecorder<TransportError?>()
    let started = Gate()
    let client = fixture.client
    let task = Task {
      var request = HTTPRequest.get(server.url(phase == .body ? "/body" : "/"))
      phase.set(value, in: &request)
      do throws(TransportError) {
        if phase == .body {
          let response = try await client.send(request)
          #expect(try await response.body.next()?.count == 1)
          started.open()
          #expect(try await response.body.next()?.count == 1)
        } else {
          #expect(try await client.send(request).text() == "ab")
        }
        failures.record(nil)
      } catch {
        failures.record(error)
      }
    }
    if phase == .body { try await started.opened() } else { try await server.waitForRequests(1) }
    if expectsFailure {
      await fixture.clock.advance(by: .milliseconds(300), until: failures)
      #expect(failures.events.first??.code == phase.code)
    } else {
      // The server is slower than the client's value allows, and the shard has seen the time.
      fixture.clock.advance(by: .seconds(1))
      var probe = HTTPRequest.get(server.url("/quick"))
      phase.set(.unlimited, in: &probe)
      #expect(try await client.send(probe).text() == "quick")
      #expect(failures.events.isEmpty)
      gate.open()
      #expect(try await failures.waitForCount(1) == [nil])
    }
    await task.value
    try await fixture.end()
  }

  @Test(
    "TIME-01: the request's connect timeout wins over the client's",
    arguments: [(Duration.seconds(2), Duration.milliseconds(300)), (.milliseconds(300), .seconds(2))])
  func connectOverride(client: Duration, request: Duration) async throws {
    let error = try await connectFailure(client: client, request: request)
    #expect(error.code == .connectTimeout)
    #expect(error.elapsed == request)
  }

  @Test("TIME-01: the wait for a free connection does not cut short a longer connect timeout")
  func longConnect() async throws {
    let error = try await connectFailure(client: .seconds(30), request: .seconds(120))
    #expect(error.code == .connectTimeout)
    #expect(error.elapsed == .seconds(120))
  }

  /// The error of a request to an address that never answers; the clock goes on in tenths of a second or seconds.
  private func connectFailure(client: Duration, request timeout: Duration) async throws -> TransportError {
    var options = ScriptedServer.Options()
    options.acceptance = .nothingWithFullBacklog
    options.acceptBacklog = 1
    let server = try ScriptedServer.start(.steps([]), options: options)
    defer { server.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.timeouts.connect = client
    let fixture = ManualFixture(configuration)
    let task = fixture.client.start(.get(server.url("/")).with { $0.options.timeouts.connect = .after(timeout) })
    await fixture.client.waitForPools { $0.dialling == 1 }
    try await fixture.clock.waitForTimers(2)
    fixture.clock.advance(by: timeout)
    let error = try #require(await task.value)
    try await fixture.end()
    return error
  }

  // MARK: TIME-02

  @Test(
    "TIME-02: a body that keeps moving outlives its idle timeout, one that stops does not", arguments: [false, true],
    WireProtocol.versions)
  func stall(stops: Bool, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let pieces = 50
    let gates = (0..<pieces).map { _ in Gate() }
    let parts = gates.enumerated().flatMap { index, gate -> [ServerBody.Part] in
      [.wait(gate), .bytes(TestPattern.bytes(1024, from: UInt64(index) * 1024))]
    }
    let server = try wire.start(.handler { _ in ServerResponse(body: ServerBody(parts)) })
    defer { server.stop() }
    var configuration = wire.configuration
    configuration.timeouts = TimeoutConfiguration(idle: .milliseconds(500))
    let fixture = ManualFixture(configuration)
    let response = try await fixture.client.send(.get(server.url("/")))
    var received = 0
    for index in 0..<(stops ? pieces / 2 : pieces) {
      fixture.clock.advance(by: .milliseconds(100))
      gates[index].open()
      while received < (index + 1) * 1024, let chunk = try await response.body.next() { received += chunk.count }
      #expect(received == (index + 1) * 1024)
    }
    if stops {
      let failures = EventRecorder<TransportError?>()
      let task = Task {
        do throws(TransportError) {
          _ = try await response.body.next()
          failures.record(nil)
        } catch {
          failures.record(error)
        }
      }
      await fixture.clock.advance(by: .milliseconds(100), until: failures)
      await task.value
      let error = try #require(failures.events.first ?? nil)
      #expect(error.code == .idleTimeout)
      #expect(error.phase == .body)
      #expect(error.reason.contains("500 ms"))
    } else {
      #expect(try await response.body.next() == nil)
    }
    try await fixture.end()
  }

  // MARK: TIME-05

  @Test(
    "TIME-05: the total timeout ends a request in whatever stage it is", arguments: ExchangeStage.allCases,
    WireProtocol.versions)
  func total(_ stage: ExchangeStage, over version: WireProtocol) async throws {
    let clock = ManualClock()
    let scene = try await ExchangeStage.Scene(stage, over: version, clock: clock) {
      $0.timeouts = TimeoutConfiguration(
        connect: .seconds(100), connectionWait: .seconds(100), responseHead: nil, idle: nil, total: .milliseconds(300))
    }
    let probe = EventRecorder<TransportError?>()
    let watcher = Task { probe.record(await scene.task.value) }
    clock.advance(by: .milliseconds(299))
    #expect(probe.events.isEmpty)
    await clock.advance(by: .milliseconds(1), until: probe)
    await watcher.value
    let error = try #require(probe.events.first ?? nil)
    #expect(error.code == .totalTimeout)
    #expect(error.elapsed >= .milliseconds(300))
    if !stage.isConnected { #expect(error.sent == .nothing) }
    try await scene.end()
  }
}
