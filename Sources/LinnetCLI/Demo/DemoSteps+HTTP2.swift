internal import LinnetHTTP
internal import LinnetTestSupport

/// The stops of HTTP/2: many requests at the same time on one connection.
extension DemoSteps {
  static let multiplexed: [DemoStep] = [
    DemoStep("50 at once on one connection") { stage in
      try await fiftyAtOnce(stage.multiplexing, stage.client, .automatic)
    },
    DemoStep("The same in cleartext") { stage in
      try await fiftyAtOnce(stage.cleartextMultiplexing, stage.client, .http2PriorKnowledge)
    },
  ]

  private static func fiftyAtOnce(
    _ hall: DemoHall, _ client: HTTPClient, _ version: HTTPVersionPolicy
  ) async throws -> DemoOutcome {
    let count = 50
    var outcome = DemoOutcome("")
    try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
      for number in 0..<count {
        group.addTask {
          var request = HTTPRequest.get(hall.server.url("/\(number)"))
          request.options.httpVersion = version
          let response = try await client.send(request)
          let text = try await response.text()
          try DemoFailure.require(text == "/\(number)", "the answer to /\(number) is \"\(text)\"")
          try DemoFailure.require(response.version == .http2, "the answer is of \(response.version)")
          return response
        }
      }
      // Nobody is answered before all are there: so all of them are under way at the same time.
      try await hall.server.waitForHeads(count)
      hall.door.open()
      for try await response in group { outcome = DemoOutcome("", response) }
    }
    let connections = hall.server.snapshot.connections
    let peak = connections.first?.http2?.peakStreams ?? 0
    try DemoFailure.require(connections.count == 1, "\(connections.count) connections were made")
    try DemoFailure.require(peak == count, "at most \(peak) streams were open")
    outcome.text = "\(count) answers over 1 connection, \(peak) streams at the same time"
    outcome.connection = "shared"
    return outcome
  }
}

/// A server that answers nobody before its door is open.
struct DemoHall: Sendable {
  let server: ScriptedServer
  let door: Gate

  init(_ options: ScriptedServer.Options) throws {
    let door = Gate()
    self.door = door
    server = try ScriptedServer.start(
      .handler { ServerResponse.text($0.path).waiting(for: door) }, options: options)
  }
}
