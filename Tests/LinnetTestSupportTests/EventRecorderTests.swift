import LinnetTestSupport
import Testing

@Suite("EventRecorder and Gate", .timeLimit(.minutes(2)))
struct EventRecorderTests {
  @Test("events keep their order, and a wait ends with the event that fulfils it")
  func order() async throws {
    let recorder = EventRecorder<Int>()
    async let seen = recorder.wait(for: "a 3") { $0.contains(3) }
    for number in 1...5 { recorder.record(number) }
    #expect(try await seen.starts(with: [1, 2, 3]))
    #expect(try await recorder.waitForCount(5) == [1, 2, 3, 4, 5])
    #expect(recorder.takeAll() == [1, 2, 3, 4, 5])
    #expect(recorder.events.isEmpty)
  }

  @Test("events from many tasks are all there")
  func concurrent() async throws {
    let recorder = EventRecorder<Int>()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<20 { group.addTask { for index in 0..<50 { recorder.record(task * 50 + index) } } }
    }
    #expect(Set(recorder.events) == Set(0..<1000))
  }

  @Test("a gate opens for all who wait and closes again")
  func gate() async throws {
    let gate = Gate()
    async let first: Void = gate.opened()
    async let second: Void = gate.opened()
    gate.open()
    _ = try await (first, second)
    gate.close()
    #expect(!gate.isOpen)
    await #expect(throws: WaitTimeout.self) { try await gate.opened(within: .milliseconds(5)) }
  }
}
