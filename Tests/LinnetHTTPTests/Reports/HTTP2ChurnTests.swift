import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetProtocols
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// The sibling of POOL-11 over HTTP/2, where whatever happens to a connection happens to many requests.
@Suite("Reports: HTTP/2 churn", .timeLimit(.minutes(TestSize.isLong ? 30 : 2)))
struct HTTP2ChurnTests {
  @Test(
    "POOL-11: requests over HTTP/2 connections that die in every way end once, with their own answer or a typed error")
  func churn() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await HTTP2Churn.run() } }
  }
}

/// Many requests, each of which says what its server does to it or to its connection.
private struct HTTP2Churn: Sendable {
  enum Fate: String, CaseIterable {
    case good, large, reset, refused, goAway, graceful, tcpReset, close, cut, malformed, stalled
  }

  /// What a request may end with when its connection was another's victim.
  private static let losses: Set<TransportError.Code> = [
    .connectionLost, .emptyReply, .staleConnection, .protocolViolation, .truncated, .streamRefused,
  ]

  private struct Tally: Sendable {
    /// How often the servers processed a request, by its number.
    var processed: [Int: Int] = [:]
    var refused: Set<Int> = []
    var succeeded = 0
    var failed = 0
    var cancelled = 0
  }

  private final class Servers: Sendable {
    let tally = Lock(Tally())
    let plain: HTTP2FrameServer
    let secure: HTTP2FrameServer
    let certificates: TestCertificates

    init() throws {
      certificates = try TestCertificates()
      var options = HTTP2FrameServer.Options()
      options.frameRecordLimit = 10
      options.socket.recordLimit = 300
      let tally = tally
      plain = try HTTP2FrameServer.start(options: options) { try HTTP2Churn.serve($0, tally) }
      options.tls = ServerTLS(try certificates.loopback())
      secure = try HTTP2FrameServer.start(options: options) { try HTTP2Churn.serve($0, tally) }
    }

    func stop() {
      plain.stop()
      secure.stop()
    }
  }

  // MARK: The servers

  private static func serve(_ connection: HTTP2FrameConnection, _ tally: borrowing Lock<Tally>) throws {
    try connection.handshake([.maxConcurrentStreams(20)])
    // The last stream of our GOAWAY: what the client sent behind it is nobody's.
    var last: UInt32?
    var highest: UInt32 = 0
    while true {
      let request = try connection.nextRequest()
      if let last, request.stream > last { continue }
      let parts = request.path.split(separator: "/")
      guard parts.count == 2, let fate = Fate(rawValue: String(parts[0])), let number = Int(parts[1]) else { return }
      highest = max(highest, request.stream)
      if fate == .refused, tally.withLock({ $0.refused.insert(number).inserted }) {
        try connection.send(.rstStream(request.stream, .refusedStream))
        continue
      }
      tally.withLock { $0.processed[number, default: 0] += 1 }
      if fate == .graceful, last == nil { try connection.send(.goAway(lastStream: 0x7FFF_FFFF)) }
      try answer(request, fate, "\(number)", connection)
      if fate == .goAway || fate == .graceful, last == nil {
        last = highest
        try connection.send(.goAway(lastStream: highest))
      }
    }
  }

  private static func answer(
    _ request: HTTP2FrameRequest, _ fate: Fate, _ text: String, _ connection: HTTP2FrameConnection
  ) throws {
    let id = request.stream
    func begin() throws {
      try connection.sendFields([HeaderLine(":status", "200")], on: id)
      try connection.sendData(Array("begun".utf8), on: id)
    }
    switch fate {
    case .good, .refused, .goAway, .graceful: try connection.respond(id, .text(text))
    case .large:
      var response = HTTP2FrameResponse.pattern(100_000)
      response.trailers = [HeaderLine("x-number", text)]
      try connection.respond(id, response)
    case .reset:
      try begin()
      try connection.send(.rstStream(id, .internalError))
    case .tcpReset:
      try begin()
      try connection.reset()
    case .close:
      try begin()
      try connection.close()
    case .cut:
      try begin()
      try connection.closeWithoutCloseNotify()
    case .malformed:
      try begin()
      try connection.sendRaw([0, 0, 1, 6, 0, 0, 0, 0, 0, 0])
      try connection.readUntilClosed()
    case .stalled: break
    }
  }

  // MARK: The client

  let client: HTTPClient
  let server: HTTP2FrameServer
  private let servers: Servers

  private init(_ servers: Servers, isSecure: Bool) {
    var configuration = HTTPClientConfiguration.trusting(servers.certificates)
    configuration.httpVersion = isSecure ? .http2Only : .http2PriorKnowledge
    configuration.pool.maximumHTTP2ConnectionsPerOrigin = 4
    client = HTTPClient(configuration: configuration)
    server = isSecure ? servers.secure : servers.plain
    self.servers = servers
  }

  private func meet(_ fate: Fate, number: Int, isPost: Bool, cancelAfter yields: Int?) async {
    var request = HTTPRequest.get(server.url("/\(fate.rawValue)/\(number)"))
    if isPost { request = .post(server.url("/\(fate.rawValue)/\(number)"), body: .text("number \(number)")) }
    let (sent, client) = (request, client)
    let task = Task { await Self.result(of: sent, client) }
    if let yields {
      for _ in 0..<yields { await Task.yield() }
      task.cancel()
    }
    check(await task.value, fate, number, isPost: isPost, isCancelled: yields != nil)
  }

  private static func result(of request: HTTPRequest, _ client: HTTPClient) async -> Result<String, TransportError> {
    do throws(TransportError) {
      let response = try await client.send(request)
      let body = try await response.collect()
      guard body.count == 100_000 else { return .success(String(decoding: body, as: UTF8.self)) }
      #expect(TestPattern.firstMismatch(in: body) == nil)
      return .success(response.body.trailers?["x-number"] ?? "no trailers")
    } catch {
      return .failure(error)
    }
  }

  private func check(
    _ result: Result<String, TransportError>, _ fate: Fate, _ number: Int, isPost: Bool, isCancelled: Bool
  ) {
    let processed = servers.tally.withLock { $0.processed[number] ?? 0 }
    // What was processed may not be sent again, unless its method allows it.
    if isPost { #expect(processed <= 1, "\(fate) \(number) was sent again") }
    switch result {
    case .success(let text):
      servers.tally.withLock { $0.succeeded += 1 }
      #expect(text == "\(number)", "\(fate)")
      #expect(processed >= 1)
      #expect([.good, .large, .refused, .goAway, .graceful].contains(fate))
    case .failure(let error) where error.code == .cancelled:
      servers.tally.withLock { $0.cancelled += 1 }
      #expect(isCancelled, "\(fate) \(number)")
    case .failure(let error):
      servers.tally.withLock { $0.failed += 1 }
      let isExpected = Self.losses.contains(error.code) || (fate == .reset && error.code == .streamReset)
      #expect(isExpected, "\(fate) \(number): \(error)")
    }
  }

  private func run(_ count: Int, from first: Int) async {
    let tasks = 30
    await withTaskGroup { group in
      for worker in 0..<tasks {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(first + worker))
          for round in 0..<(count / tasks) {
            // Half of the requests are plain, so that connections live for a while.
            let isPlain = Bool.random(using: &random)
            let fate = isPlain ? Fate.good : Fate.allCases.randomElement(using: &random) ?? .good
            let isCancelled = fate == .stalled || Int.random(in: 0..<8, using: &random) == 0
            let yields = Int.random(in: 0..<200, using: &random)
            await meet(
              fate, number: first + worker + round * tasks, isPost: Bool.random(using: &random),
              cancelAfter: isCancelled ? yields : nil)
          }
        }
      }
    }
  }

  /// Both protocols below, a number of requests each.
  private static func run(_ count: Int, from first: Int, _ servers: Servers) async throws {
    for isSecure in [false, true] {
      let churn = HTTP2Churn(servers, isSecure: isSecure)
      await churn.run(count, from: isSecure ? first + count : first)
      await churn.client.waitForPools { $0.leasedStreams + $0.waiting + $0.dialling == 0 }
      await churn.client.shutdown(grace: .zero)
      #expect(churn.client.pendingCount == 0)
      #expect(churn.client.flowControlReports.isEmpty)
      #expect(ClientSockets.count(toPort: churn.server.port) == 0)
    }
  }

  static func run() async throws {
    let servers = try Servers()
    defer { servers.stop() }
    try await run(300, from: 0, servers)
    let descriptors = try await DescriptorCount.baseline()
    let (threads, memory) = (ThreadCount.now(), ResidentMemory.bytes)
    let count = TestSize.of(1500, long: 50_000)
    try await run(count, from: 1_000_000, servers)
    try await DescriptorCount.returned(to: descriptors)
    try await ThreadCount.fell(to: threads.count + 8)
    #expect(ResidentMemory.bytes - memory < 32 << 20)
    for server in [servers.plain, servers.secure] { #expect(server.snapshot.violations.isEmpty) }
    // The connections did not only die.
    let tally = servers.tally.withLock { $0 }
    #expect(tally.succeeded > count / 2, "\(tally.succeeded) succeeded, \(tally.failed) failed")
    #expect(tally.failed > count / 20 && tally.cancelled > count / 20)
  }
}
