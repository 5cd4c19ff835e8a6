internal import Linnet
internal import LinnetHTTP
internal import LinnetTestSupport

/// `linnet demo`: a tour of the client against servers of its own on the loopback interface. It needs no network, and
/// nothing of it is left afterwards: no file, no process, no open socket.
enum Demo {
  /// Runs the tour and prints a line for each stop. Returns whether everything went as it should.
  static func run() async -> Bool {
    let table = DemoTable()
    table.printTitle()
    let descriptors = DescriptorCount.now()
    let steps = DemoSteps.all + DemoSteps.multiplexed + DemoSteps.typed
    var failures = 0
    do {
      let stage = try DemoStage()
      defer { stage.stop() }
      for step in steps {
        if await !run(step, stage, table) { failures += 1 }
      }
      await stage.client.shutdown(grace: .seconds(5))
      await stage.typedClient.shutdown()
    } catch {
      Console.error("the demo cannot start: \(error)")
      return false
    }
    if await !run(DemoSteps.cleanUp(baseline: descriptors), nil, table) { failures += 1 }
    let count = steps.count + 1
    table.printEnd(
      failures == 0 ? "all \(count) went as they should" : "\(failures) of \(count) did not go as they should")
    return failures == 0
  }

  private static func run(_ step: DemoStep, _ stage: DemoStage?, _ table: DemoTable) async -> Bool {
    let start = ContinuousClock.now
    var row = DemoRow(title: step.title)
    var isGood = false
    do {
      row.outcome = try await step.run(stage)
      isGood = true
    } catch {
      row.outcome = DemoOutcome("FAILED: \(error)")
    }
    row.time = start.duration(to: .now)
    table.print(row, isGood: isGood)
    return isGood
  }
}

/// One stop of the tour.
struct DemoStep: Sendable {
  let title: String
  /// Does it, and throws when anything is not as it should be.
  let run: @Sendable (DemoStage?) async throws -> DemoOutcome

  init(_ title: String, _ run: @escaping @Sendable (DemoStage) async throws -> DemoOutcome) {
    self.title = title
    self.run = { stage in
      guard let stage else { throw DemoFailure("the servers are gone") }
      return try await run(stage)
    }
  }

  init(withoutStage title: String, _ run: @escaping @Sendable () async throws -> DemoOutcome) {
    self.title = title
    self.run = { _ in try await run() }
  }
}

/// What a stop shows.
struct DemoOutcome: Sendable {
  var text: String
  var version = "-"
  var connection = "-"

  init(_ text: String) { self.text = text }

  /// With the protocol and connection of a response.
  init(_ text: String, _ response: HTTPResponse) {
    self.text = text
    version = "\(response.version)\(response.connection.tls.map { " \($0.version)" } ?? "")"
    connection = response.connection.isReused ? "reused" : "new"
  }
}

/// Something that is not as it should be.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static func require(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws(DemoFailure) {
    if !condition { throw DemoFailure(otherwise()) }
  }
}
