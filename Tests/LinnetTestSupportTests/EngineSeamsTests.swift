import LinnetBytes
import LinnetIO
import LinnetTestSupport
import Testing

@Suite("Stand-ins for the parts of the engine", .timeLimit(.minutes(2)))
struct EngineSeamsTests {
  private final class Alarm: TimerReceiver {
    let recorder = EventRecorder<UInt64>()
    func timerFired(_ timer: ShardTimer, now: Instant) { recorder.record(now.nanoseconds) }
  }

  @Test("a timer is due when the clock was moved, and not before")
  func manualClock() async throws {
    let clock = ManualClock(now: Instant(nanoseconds: 5_000_000_000))
    let shards = clock.makeGroup()
    let alarm = Alarm()
    _ = shards.next().schedule(alarm, at: clock.now.advanced(by: .seconds(60)))
    try await clock.waitForTimers(1)
    clock.advance(by: .seconds(59))
    #expect(clock.timerCount == 1)
    await #expect(throws: WaitTimeout.self) { try await clock.expectNoTimers(within: .milliseconds(5)) }
    #expect(alarm.recorder.events.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(try await alarm.recorder.waitForCount(1) == [65_000_000_000])
    try await clock.expectNoTimers()
    await shards.shutDown()
  }

  @Test("a resolver gives what was set, waits for its gate, and remembers")
  func resolver() async throws {
    let resolver = FakeResolver()
    resolver.set([.loopbackIPv6(port: 0), .loopbackIPv4(port: 9)], for: "a.test")
    let addresses = try await resolver.resolve(host: "a.test", port: 80)
    #expect(addresses == [.loopbackIPv6(port: 80), .loopbackIPv4(port: 9)])
    await #expect(throws: ResolveError(host: "b.test", reason: .notFound)) {
      try await resolver.resolve(host: "b.test", port: 80)
    }
    let gate = Gate()
    resolver.fail("c.test", .temporary, after: gate)
    let task = Task { try await resolver.resolve(host: "c.test", port: 80) }
    try await resolver.waitForQueries(3)
    gate.open()
    await #expect(throws: ResolveError(host: "c.test", reason: .temporary)) { try await task.value }
    #expect(resolver.queries == ["a.test", "b.test", "c.test"])
    resolver.addressesFailed(host: "a.test")
    #expect(resolver.failedHosts == ["a.test"])
  }

  @Test("a cancelled look-up ends though its gate stays shut")
  func resolverCancelled() async throws {
    let resolver = FakeResolver()
    resolver.set([.loopbackIPv4(port: 1)], for: "a.test", after: Gate())
    let task = Task { try await resolver.resolve(host: "a.test", port: 80) }
    try await resolver.waitForQueries(1)
    task.cancel()
    await #expect(throws: ResolveError(host: "a.test", reason: .cancelled)) { try await task.value }
  }

  #if DEBUG
    @Test("a transport cuts the reads and writes of the engine's end at the chosen sizes")
    func transport() async throws {
      let transport = try InMemoryTransport(readSizes: [1, 3], writeSizes: [2])
      let engine = transport.takeEngineSide()
      try transport.send("abcdefgh")
      transport.finish()
      var pieces: [String] = []
      var room = [UInt8](repeating: 0, count: 100)
      reading: while true {
        let result = try room.withUnsafeMutableBytes { try Syscalls.recv(engine.raw, into: $0) }
        switch result {
        case .bytes(let count): pieces.append(String(decoding: room[..<count], as: UTF8.self))
        case .eof: break reading
        case .wouldBlock: Issue.record("all bytes were sent before")
        }
      }
      #expect(pieces == ["a", "bcd", "e", "fgh"])
      let sent = try Array("xyz".utf8).withUnsafeBytes { try Syscalls.send(engine.raw, $0) }
      #expect(sent == .bytes(2))
      #expect(try await transport.receive(2) == Array("xy".utf8))
      engine.close()
      #expect(try await transport.receiveToEnd().isEmpty)
      #expect(transport.isFinished)
    }

    @Test("the Nth call fails, and the trace has all of them")
    func faults() async throws {
      let transport = try InMemoryTransport()
      let engine = transport.takeEngineSide()
      let plan = SyscallFaultPlan().failing("send", at: 2, with: 32).interrupting("recv")
      let descriptor = engine.raw
      let results = await plan.during {
        [
          Self.send(to: descriptor), Self.send(to: descriptor), Self.send(to: descriptor),
          Self.receive(from: descriptor),
        ]
      }
      let failure = SystemError(number: 32, call: "send")
      #expect(results == [.success(.bytes(1)), .failure(failure), .success(.bytes(1)), .success(.wouldBlock)])
      #expect(plan.trace == ["send", "send", "send", "recv", "recv"])
      #expect(plan.count(of: "send") == 3)
      try await plan.waitForCalls(2, of: "recv")
    }

    private static func send(to descriptor: CInt) -> Result<IOResult, SystemError> {
      let byte: [UInt8] = [1]
      return byte.withUnsafeBytes { bytes in
        do throws(SystemError) { return .success(try Syscalls.send(descriptor, bytes)) } catch {
          return .failure(error)
        }
      }
    }

    private static func receive(from descriptor: CInt) -> Result<IOResult, SystemError> {
      var room: [UInt8] = [0]
      return room.withUnsafeMutableBytes { room in
        do throws(SystemError) {
          return .success(try Syscalls.recv(descriptor, into: room))
        } catch {
          return .failure(error)
        }
      }
    }
  #endif
}
