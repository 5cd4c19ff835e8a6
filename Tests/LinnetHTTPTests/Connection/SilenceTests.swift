import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Synchronization
import Testing

/// Time in which our own side is slow is not the peer's silence.
@Suite("Silence of the peer")
struct SilenceTests {
  @Test("bytes that wait in the socket of a busy process are no silence", arguments: WireProtocol.versions)
  func busyShard(over version: WireProtocol) async throws {
    let (gate, sent) = (Gate(), Gate())
    let wire = try Wire(version)
    let body = ServerBody([.pattern(5), .wait(gate), .pattern(5), .effect(.open(sent))])
    let server = try wire.start(.handler { _ in ServerResponse(body: body).framed(.announced(10)) })
    defer { server.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = HTTPClient(
      configuration: wire.configuration, environment: EngineEnvironment(shards: shards, clock: clock))
    let response = try await client.send(.get(server.url("/")))
    #expect(try await response.body.next()?.count == 5)
    async let rest = response.body.next()

    let blocker = Blocker()
    _ = shards.next().schedule(blocker, at: clock.now)
    try await blocker.isBlocking.opened()
    gate.open()
    try await sent.opened()
    clock.advance(by: .seconds(61))
    blocker.release()
    #expect(try await rest?.count == 5)
    await client.shutdown()
  }

  /// Keeps a shard busy until it is released.
  private final class Blocker: TimerReceiver {
    let isBlocking = Gate()
    private let isReleased = Atomic(false)

    func timerFired(_ timer: ShardTimer, now: Instant) {
      isBlocking.open()
      while !isReleased.load(ordering: .acquiring) { usleep(1000) }
    }

    func release() { isReleased.store(true, ordering: .releasing) }
  }

  @Test("the end of the stream in the middle of a handshake is noticed at once", .timeLimit(.minutes(1)))
  func endInHandshake() async throws {
    let server = try ScriptedServer.start(
      .steps([.readBytes(5), .sendBytes([0x16, 0x03, 0x03, 0x00, 0x50, 0x02, 0x00]), .halfClose, .stall]))
    defer { server.stop() }
    var request = HTTPRequest.get("https://127.0.0.1:\(server.port)/")
    request.options.timeouts.connect = .unlimited
    for _ in 0..<20 {
      let error = await HTTPClient().failure(of: request)
      #expect(error?.code == .tlsHandshakeFailed)
      #expect(error?.phase == .tls)
      #expect(error?.sent == .nothing)
    }
  }
}
