internal import LinnetHTTP
internal import LinnetTestSupport

extension DemoSteps {
  /// What a request fails with; an answer instead is a failure of the tour.
  private static func failure(
    of request: HTTPRequest, on client: HTTPClient
  ) async throws -> TransportError {
    do throws(TransportError) {
      let response = try await client.send(request)
      _ = try await response.collect()
    } catch {
      return error
    }
    throw DemoFailure("the request went well, but should not")
  }

  private static func require(_ error: TransportError, is code: TransportError.Code) throws {
    try DemoFailure.require(error.code == code, "\(error)")
  }

  @Sendable
  static func timeout(_ stage: DemoStage) async throws -> DemoOutcome {
    var request = HTTPRequest.get(stage.server.url("/never"))
    request.options.timeouts.responseHead = .after(.milliseconds(200))
    let error = try await failure(of: request, on: stage.client)
    try require(error, is: .headTimeout)
    return DemoOutcome("gave up: \(error.reason)")
  }

  @Sendable
  static func truncated(_ stage: DemoStage) async throws -> DemoOutcome {
    let error = try await failure(of: .get(stage.server.url("/half")), on: stage.client)
    try require(error, is: .truncated)
    return DemoOutcome("noticed: \(error.reason)")
  }

  @Sendable
  static func stale(_ stage: DemoStage) async throws -> DemoOutcome {
    let url = stage.forgetfulServer.url("/")
    _ = try await stage.client.send(.get(url)).collect()
    let resent = EventRecorder<String>()
    var request = HTTPRequest.get(url)
    request.options.onEvent = { if case .resent(let reason) = $0 { resent.record(reason) } }
    let response = try await stage.client.send(request)
    let text = try await response.text()
    try DemoFailure.require(text == "again" && resent.events.count == 1, "\"\(text)\", resent: \(resent.events)")
    return DemoOutcome("sent again on a new connection: \(response.status.code)", response)
  }

  @Sendable
  static func untrusted(_ stage: DemoStage) async throws -> DemoOutcome {
    let error = try await failure(of: .get(stage.impostor.url("/")), on: stage.client)
    try require(error, is: .certificateRejected)
    try DemoFailure.require(stage.impostor.snapshot.headCount == 0, "the request was sent all the same")
    return DemoOutcome("refused before anything was sent: \(error.reason)")
  }

  @Sendable
  static func cancel(_ stage: DemoStage) async throws -> DemoOutcome {
    let response = try await stage.client.send(.get(stage.server.url("/endless")))
    let closedBefore = stage.server.snapshot.closedCount
    let isRunning = Gate()
    let download = Task { () -> TransportError? in
      do throws(TransportError) {
        while try await response.body.next() != nil { isRunning.open() }
        return nil
      } catch {
        return error
      }
    }
    try await isRunning.opened()
    download.cancel()
    guard let error = await download.value else { throw DemoFailure("the download ended by itself") }
    try require(error, is: .cancelled)
    try await stage.server.wait(for: "the connection to close") { $0.closedCount > closedBefore }
    return DemoOutcome("stopped, and the server saw the connection close", response)
  }

  @Sendable
  static func refused(_ stage: DemoStage) async throws -> DemoOutcome {
    let gone = try ScriptedServer.start(.handler { _ in .text("") })
    let url = gone.url("/")
    gone.stop()
    let error = try await failure(of: .get(url), on: stage.client)
    try require(error, is: .connectionRefused)
    return DemoOutcome(error.reason)
  }

  /// The last stop: no socket is left open. The kernel closes them a moment after the threads let go, so this looks more
  /// than once.
  static func cleanUp(baseline: DescriptorCount) -> DemoStep {
    DemoStep(withoutStage: "Clean up") {
      let deadline = ContinuousClock.now + .seconds(5)
      while true {
        let sockets = DescriptorCount.now().added(since: baseline).filter { $0.value.hasPrefix("socket:") }
        if sockets.isEmpty { return DemoOutcome("no socket and no file is left") }
        try DemoFailure.require(ContinuousClock.now < deadline, "\(sockets.count) sockets are still open")
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }
}
