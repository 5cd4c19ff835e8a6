import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite struct ExecutionPolicyTests {
  private struct Named: RequestExecutionPolicy {
    let name: String
    let log: EventRecorder<String>

    func execute(
      input: RequestExecutionInput, context: RequestExecutionContext, next: RequestExecutionNext
    ) async throws -> Response {
      log.record("\(name) before \(input.retryIndex)")
      let response = try await next.execute()
      log.record("\(name) after")
      return response
    }
  }

  private func run(
    _ policies: [any RequestExecutionPolicy], sent: EventRecorder<String> = EventRecorder()
  ) async throws(NetworkError) -> Response {
    let stage = ExecutionPolicyStage(policies: policies, eventObservers: [])
    return try await stage.execute(.get("https://a.test/"), call: CallContext(retryIndex: 2)) {
      request throws(NetworkError) in
      sent.record(request.url)
      do { return try .made(200, for: request) } catch { throw NetworkError.map(error) }
    }
  }

  @Test("policies nest in their order, and see the call")
  func order() async throws {
    let log = EventRecorder<String>()
    _ = try await run([Named(name: "a", log: log), AnyRequestExecutionPolicy(Named(name: "b", log: log))])
    #expect(log.events == ["a before 2", "b before 2", "b after", "a after"])
  }

  @Test("a policy may run the rest not at all, or several times")
  func times() async throws {
    let sent = EventRecorder<String>()
    let substitute = try Response.made(418)
    let skipped = try await run([AnyRequestExecutionPolicy { _, _, _ in substitute }], sent: sent)
    #expect(skipped.statusCode == 418 && sent.events.isEmpty)
    let twice = AnyRequestExecutionPolicy { _, _, next in
      _ = try await next.execute()
      return try await next.execute()
    }
    _ = try await run([twice], sent: sent)
    #expect(sent.events == ["https://a.test/", "https://a.test/"])
  }

  private struct Refusal: Error {}

  @Test("a policy's errors are mapped, and those of the rest pass unchanged")
  func errors() async {
    await #expect {
      try await run([AnyRequestExecutionPolicy { _, _, _ in throw Refusal() }])
    } throws: {
      if case NetworkError.underlying = $0 { true } else { false }
    }
    await #expect {
      try await run([AnyRequestExecutionPolicy { _, _, _ in throw CancellationError() }])
    } throws: {
      if case NetworkError.cancelled = $0 { true } else { false }
    }
    await #expect {
      try await run([
        AnyRequestExecutionPolicy { _, _, _ in throw NetworkError.timeout(reason: .resourceTimeout, underlying: nil) }
      ])
    } throws: {
      if case NetworkError.timeout = $0 { true } else { false }
    }
  }
}

@Suite struct ConcurrencyLimitExecutionPolicyTests {
  private final class Load: Sendable {
    let gate: Gate
    let started = EventRecorder<Int>()

    init(isOpen: Bool) { gate = Gate(isOpen: isOpen) }
  }

  private func run(
    _ policy: ConcurrencyLimitExecutionPolicy, _ number: Int, _ load: Load
  ) -> Task<Result<Response, NetworkError>, Never> {
    start { () async throws(NetworkError) in
      try await ExecutionPolicyStage(policies: [policy], eventObservers: []).execute(
        .get("https://a.test/"), call: CallContext()
      ) { request throws(NetworkError) in
        load.started.record(number)
        do {
          try await load.gate.opened()
          return try .made(200, for: request)
        } catch {
          throw NetworkError.map(error)
        }
      }
    }
  }

  @Test("at least one runs", arguments: [(-1, 1), (0, 1), (3, 3)])
  func minimum(count: Int, expected: Int) {
    #expect(ConcurrencyLimitExecutionPolicy(maxConcurrent: count).maxConcurrent == expected)
  }

  @Test("those who wait run in the order in which they came, without the cancelled ones")
  func order() async throws {
    let policy = ConcurrencyLimitExecutionPolicy(maxConcurrent: 1)
    let load = Load(isOpen: false)
    var tasks: [Task<Result<Response, NetworkError>, Never>] = []
    for number in 0..<6 {
      tasks.append(run(policy, number, load))
      try await eventually("\(number) waits") { policy.waitingCount == number }
      if number == 0 { try await load.started.waitForCount(1) }
    }
    tasks[2].cancel()
    tasks[4].cancel()
    #expect(await tasks[2].value.failureCategory == "cancelled")
    #expect(await tasks[4].value.failureCategory == "cancelled")
    #expect(load.started.events == [0])
    load.gate.open()
    for number in [0, 1, 3, 5] { #expect(await tasks[number].value.value?.statusCode == 200) }
    #expect(load.started.events == [0, 1, 3, 5])
  }

  @Test("an exchange that is cancelled gives its place away")
  func cancelledExchange() async throws {
    let policy = ConcurrencyLimitExecutionPolicy(maxConcurrent: 1)
    let load = Load(isOpen: false)
    let first = run(policy, 0, load)
    try await load.started.waitForCount(1)
    let second = run(policy, 1, load)
    try await eventually("it waits") { policy.waitingCount == 1 }
    first.cancel()
    try await load.started.waitForCount(2)
    load.gate.open()
    #expect(await second.value.value != nil)
  }

  @Test("the limit holds under churn, and no place is lost")
  func churn() async throws {
    let policy = ConcurrencyLimitExecutionPolicy(maxConcurrent: 3)
    let load = Load(isOpen: true)
    let tasks = (0..<400).map { number in
      let task = run(policy, number, load)
      if number % 3 == 0 { task.cancel() }
      return task
    }
    for task in tasks { _ = await task.value }
    let held = Load(isOpen: false)
    let holders = (0..<4).map { run(policy, $0, held) }
    try await held.started.waitForCount(3)
    try await eventually("one waits") { policy.waitingCount == 1 }
    #expect(held.started.events.count == 3)
    held.gate.open()
    for holder in holders { #expect(await holder.value.value != nil) }
  }
}
