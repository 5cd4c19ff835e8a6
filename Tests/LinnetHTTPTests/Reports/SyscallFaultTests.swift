#if DEBUG
  import Glibc
  import LinnetBytes
  import LinnetHTTP
  import LinnetIO
  import LinnetTestSupport
  import Testing

  /// Every system call of two exchanges fails in turn.
  @Suite("System call faults", .timeLimit(.minutes(2)), .serialized)
  struct SyscallFaultTests {
    @Test(
      "each failing system call of a request gives success or one error of the right phase, and leaves nothing",
      arguments: [false, true])
    func eachCallFails(isSecure: Bool) async {
      if isSecure {
        await #expect(processExitsWith: .success) { await recordingErrors { try await Self.failEach(isSecure: true) } }
      } else {
        await #expect(processExitsWith: .success) { await recordingErrors { try await Self.failEach(isSecure: false) } }
      }
    }

    @Test("so it does over HTTP/2", arguments: [false, true])
    func eachCallFailsOverHTTP2(isSecure: Bool) async {
      if isSecure {
        await #expect(processExitsWith: .success) { await recordingErrors { try await Self.failEach(over: .http2TLS) } }
      } else {
        await #expect(processExitsWith: .success) { await recordingErrors { try await Self.failEach(over: .http2) } }
      }
    }

    private static func failEach(isSecure: Bool) async throws {
      try await failEach(over: isSecure ? .http1TLS : .http1)
    }

    private static func failEach(over version: WireProtocol) async throws {
      let wire = try Wire(version)
      let server = try wire.start(.handler { $0.path == "/slow" ? .never : .pattern(100_000) })
      defer { server.stop() }
      let configuration = wire.configuration
      // The runtime opens what it keeps, for timers too.
      let slow = HTTPRequest.get(server.url("/slow")).with { $0.options.timeouts.total = .after(.milliseconds(5)) }
      #expect(await HTTPClient(configuration: configuration).failure(of: slow)?.code == .totalTimeout)
      _ = try await exchange(configuration, server, FaultInTurn(number: .max, error: EIO))
      let descriptors = try await DescriptorCount.baseline()
      for error in [EIO, ECONNRESET, EMFILE, ENOMEM] {
        var number = 1
        while true {
          let fault = FaultInTurn(number: number, error: error)
          let outcome = try await exchange(configuration, server, fault)
          guard let call = fault.failedCall else {
            #expect(number > 12, "only \(number) system calls")
            break
          }
          check(outcome, call, error, version)
          // Every connection of the client is gone, so the server's are too.
          try await server.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
          try await returned(to: descriptors)
          number += 1
        }
      }
    }

    /// Waits until nothing is open in addition; the runtime opens its timers when it likes, and keeps them.
    private static func returned(to baseline: DescriptorCount) async throws {
      for _ in 0..<5000 {
        let added = DescriptorCount.now().added(since: baseline).values
        if added.allSatisfy({ $0.contains("timerfd") }) { return }
        try await Task.sleep(for: .milliseconds(1))
      }
      Issue.record("left open: \(DescriptorCount.now().added(since: baseline))")
    }

    private static func check(_ outcome: TransportError?, _ call: String, _ error: CInt, _ version: WireProtocol) {
      guard let outcome else { return }
      let isSecure = version.isSecure
      // Over HTTP/2 frames are sent at any time, not only those of a request.
      let sending: Set<TransportError.Phase> = version.isHTTP2 ? [.send, .head, .body] : [.send]
      let phases: Set<TransportError.Phase> =
        switch call {
        case "socket", "connect", "getsockopt", "epoll_create1", "eventfd": [.connect]
        case "setsockopt", "getsockname": [.connect]
        case "epoll_ctl": isSecure ? [.connect, .tls] : [.connect]
        case "send": isSecure ? sending.union([.tls]) : sending
        case "recv": isSecure ? [.tls, .send, .head, .body] : [.send, .head, .body]
        default: []
        }
      #expect(
        phases.contains(outcome.phase), "\(call), \(strerror(error).map { String(cString: $0) } ?? ""): \(outcome)")
      #expect(!outcome.code.isTimeout, "\(call): \(outcome)")
      let isOurs = error == EMFILE || error == ENOMEM || error == EIO
      if isOurs, outcome.phase != .tls, outcome.phase != .connect {
        #expect(outcome.code == .systemError, "\(call): \(outcome)")
      }
    }

    /// An upload and a download, then another exchange on the same connection, by a client of its own.
    private static func exchange(
      _ configuration: HTTPClientConfiguration, _ server: ScriptedServer, _ fault: FaultInTurn
    ) async throws -> TransportError? {
      let shards = ShardGroup(count: 1)
      let error = await SyscallFaults.during(fault.hook) {
        let client = HTTPClient(configuration: configuration, environment: EngineEnvironment(shards: shards))
        var request = HTTPRequest.post(server.url("/"), body: .bytes(TestPattern.bytes(50_000)))
        request.options.timeouts.total = .after(.seconds(10))
        var error = await client.failure(of: request)
        let second = await client.failure(of: .get(server.url("/")))
        if error == nil {
          error = second
        } else {
          #expect(second == nil, "the fault is over: \(String(describing: second)), after \(String(describing: error))")
        }
        await client.shutdown(grace: .zero)
        #expect(client.pendingCount == 0)
        return error
      }
      fault.end()
      #expect(shards.next().timerCount == 0)
      await shards.shutDown()
      return error
    }
  }

  /// Fails one system call, counted over all calls of a task and over those of its descriptors on any thread.
  private final class FaultInTurn: Sendable {
    private struct State {
      var count = 0
      var failedCall: String?
      var descriptors: Set<CInt> = []
    }

    private let number: Int
    private let error: CInt
    private let state = Lock(State())

    init(number: Int, error: CInt) {
      self.number = number
      self.error = error
    }

    var failedCall: String? { state.withLock { $0.failedCall } }

    var hook: SyscallFaults.Hook {
      { [self] call, fd in
        let (isNew, fails) = state.withLock { state -> (Bool, Bool) in
          state.count += 1
          let fails = state.count == number
          if fails { state.failedCall = call }
          return (fd >= 0 && state.descriptors.insert(fd).inserted, fails)
        }
        if isNew { SyscallFaults.set(hook, for: fd) }
        return fails ? .fail(error) : nil
      }
    }

    func end() {
      for fd in state.withLock({ $0.descriptors }) { SyscallFaults.set(nil, for: fd) }
    }
  }
#endif
