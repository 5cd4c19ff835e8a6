import LinnetBytes
import LinnetHTTP
import LinnetTestRandom
import LinnetTestSupport
import Testing

extension HTTPClientConfiguration {
  /// HTTP/2 in clear text over one connection.
  static func oneHTTP2Connection(
    streams: Int = 128, _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    configuration.pool.maximumHTTP2ConnectionsPerOrigin = 1
    configuration.http2.maximumConcurrentStreams = streams
    change(&configuration)
    return configuration
  }
}

/// Counts bytes and finished transfers, for a watchdog and for consumers that wait for others.
final class FlowProgress: Sendable {
  fileprivate struct State {
    var moved: UInt64 = 0
    var ended = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var isAborted = false
  }

  private let state = Lock(State())

  func moved(_ count: Int) { state.withLock { $0.moved &+= UInt64(count) } }

  /// Everything that ever moves it.
  var mark: UInt64 { state.withLock { $0.moved &+ UInt64($0.ended) } }
  var bytes: UInt64 { state.withLock { $0.moved } }

  /// One transfer more is over.
  func ended() {
    let due = state.withLock { state in
      state.ended += 1
      return state.takeDue()
    }
    for waiter in due { waiter.resume() }
  }

  /// Returns when so many transfers are over.
  func waitUntilEnded(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        if state.isAborted || state.ended >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  /// Lets everybody go on.
  private func abort() {
    let due = state.withLock { state in
      state.isAborted = true
      return state.takeDue()
    }
    for waiter in due { waiter.resume() }
  }

  /// Runs transfers; when none of them moves for a long time, says what the connections' windows are, and ends them.
  func watch(
    _ client: HTTPClient, for limit: Duration = .seconds(20), _ work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let work = Task { try await work() }
    let watchdog = Task {
      var last: UInt64?
      while !Task.isCancelled {
        let present = mark
        if present == last {
          let report = client.flowControlReports.joined(separator: "\n")
          Issue.record("nothing moved for \(limit), after \(bytes) bytes; \(client.poolCounts)\n\(report)")
          work.cancel()
          abort()
          return
        }
        last = present
        // Only a guard: a run that goes well never waits for it.
        try? await Task.sleep(for: limit)
      }
    }
    defer { watchdog.cancel() }
    try await work.value
  }
}

extension FlowProgress.State {
  fileprivate mutating func takeDue() -> [CheckedContinuation<Void, Never>] {
    let due = waiters.filter { isAborted || $0.count <= ended }
    waiters.removeAll { isAborted || $0.count <= ended }
    return due.map(\.continuation)
  }
}

/// One of many downloads: what the server sends, and what its consumer does.
struct FlowDownload: Sendable {
  enum Consumer: Sendable, Equatable {
    /// Reads as fast as it can.
    case fast
    /// Lets others run between two chunks, so many times at most.
    case slow(yields: Int)
    /// Reads one chunk, and nothing more until all others are done.
    case stopped
    /// Cancels its own task after so many bytes.
    case cancelled(after: UInt64)
    /// Is cancelled from outside after so many turns of the executor.
    case cancelledOutside(yields: Int)
    /// Drops the response after so many bytes.
    case dropped(after: UInt64)
  }

  let number: Int
  let size: UInt64
  let consumer: Consumer
  let response: HTTP2FrameResponse
  let trailer: String?

  init(_ number: Int, stopped: Int, random: inout SeededGenerator) {
    self.number = number
    let isStopped = number < stopped
    let size = isStopped ? 2 << 20 : Self.size(&random)
    self.size = size
    var response = HTTP2FrameResponse.pattern(size)
    if Bool.random(using: &random) { response = response.withoutLength() }
    if Int.random(in: 0..<4, using: &random) == 0 { response.padding = UInt8.random(in: 0...255, using: &random) }
    response.frameBytes = Int.random(in: 0..<4, using: &random) == 0 ? 3000 : 16_384
    trailer = Int.random(in: 0..<8, using: &random) == 0 ? "\(number)" : nil
    if let trailer { response.trailers = [HeaderLine("x-number", trailer)] }
    if !isStopped, Int.random(in: 0..<8, using: &random) == 0 {
      let codes: [HTTP2Frame.ErrorCode] = [.internalError, .cancel, .streamClosed, .connectError]
      response.reset = HTTP2FrameResponse.Reset(
        at: UInt64.random(in: 0...size, using: &random), codes.randomElement(using: &random) ?? .cancel)
    }
    self.response = response
    consumer = isStopped ? .stopped : Self.consumer(of: size, &random)
  }

  /// Some are empty, most are small, some are large.
  private static func size(_ random: inout SeededGenerator) -> UInt64 {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: 0
    case 1: UInt64.random(in: 1...100, using: &random)
    case 2: UInt64.random(in: 500_000...3_000_000, using: &random)
    default: UInt64.random(in: 1000...200_000, using: &random)
    }
  }

  private static func consumer(of size: UInt64, _ random: inout SeededGenerator) -> Consumer {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: .cancelled(after: UInt64.random(in: 0...size, using: &random))
    case 1: .cancelledOutside(yields: Int.random(in: 0..<300, using: &random))
    case 2: .dropped(after: UInt64.random(in: 0...size, using: &random))
    case 3, 4, 5: .slow(yields: Int.random(in: 1...50, using: &random))
    default: .fast
    }
  }

  /// Does what is to be done, and checks what came.
  func run(_ client: HTTPClient, _ url: String, _ progress: FlowProgress, of total: Int) async {
    guard case .cancelledOutside(let yields) = consumer else {
      return await receive(client, url, progress, of: total)
    }
    let task = Task { await receive(client, url, progress, of: total) }
    for _ in 0..<yields { await Task.yield() }
    task.cancel()
    await task.value
  }

  private func receive(_ client: HTTPClient, _ url: String, _ progress: FlowProgress, of total: Int) async {
    var received: UInt64 = 0
    do throws(TransportError) {
      let response = try await client.send(.get(url))
      #expect(response.status.code == 200)
      while isWanted(received), let chunk = try await response.body.next() {
        #expect(TestPattern.firstMismatch(in: chunk, from: received) == nil, "download \(number)")
        received += UInt64(chunk.count)
        progress.moved(chunk.count)
        await rest(progress, of: total)
      }
      if case .dropped(let limit) = consumer, received >= limit { return }
      #expect(self.response.reset == nil, "download \(number) was reset, and ended after \(received) bytes")
      #expect(received == size, "download \(number)")
      #expect(response.body.trailers?["x-number"] == trailer)
    } catch {
      check(error, after: received)
    }
  }

  /// Whether to read on; cancels when the time has come.
  private func isWanted(_ received: UInt64) -> Bool {
    switch consumer {
    case .cancelled(let limit) where received >= limit:
      withUnsafeCurrentTask { $0?.cancel() }
      return true
    case .dropped(let limit): return received < limit
    default: return true
    }
  }

  private func rest(_ progress: FlowProgress, of total: Int) async {
    switch consumer {
    case .slow(let yields):
      for _ in 0..<yields { await Task.yield() }
    case .stopped: await progress.waitUntilEnded(total)
    default: break
    }
  }

  private func check(_ error: TransportError, after received: UInt64) {
    switch (error.code, consumer) {
    case (.cancelled, .cancelled(let limit)): #expect(received >= limit, "download \(number)")
    case (.cancelled, .cancelledOutside): break
    default:
      guard error.code == .streamReset, let reset = response.reset else {
        Issue.record("download \(number) failed after \(received) of \(size) bytes: \(error)")
        return
      }
      #expect(error.http2ErrorCode == reset.code.rawValue)
      #expect(received == reset.offset, "download \(number)")
    }
  }
}
