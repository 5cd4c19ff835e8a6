internal import FoundationEssentials
internal import Linnet
internal import LinnetTestSupport

/// The stops of the typed client: endpoints in, values out.
extension DemoSteps {
  static let typed: [DemoStep] = [
    DemoStep("Typed GET", typedGet),
    DemoStep("Typed POST", typedPost),
    DemoStep("Typed: 404 with the server's message", typedNotFound),
    DemoStep("Typed: which field did not decode", typedDecodingError),
    DemoStep("Typed: cancel by tag", typedCancel),
    DemoStep("Typed: a mock instead of a network", typedMock),
  ]

  /// An error in place of a value; a value is a failure of the tour.
  private static func failure<T: APIDefinition>(
    of request: T, on client: DefaultNetworkClient
  ) async throws -> NetworkError {
    do throws(NetworkError) {
      _ = try await client.request(request)
    } catch {
      return error
    }
    throw DemoFailure("the request went well, but should not")
  }

  private static func outcome(_ text: String, _ response: Response) -> DemoOutcome {
    var outcome = DemoOutcome(text)
    outcome.version = "\(response.response.version)\(response.connection?.tls.map { " \($0.version)" } ?? "")"
    outcome.connection = response.connection?.isReused == true ? "reused" : "new"
    return outcome
  }

  @Sendable
  private static func typedGet(_ stage: DemoStage) async throws -> DemoOutcome {
    let (bird, response) = try await stage.typedClient.requestWithResponse(GetBird(name: "linnet"))
    try DemoFailure.require(bird == Bird(name: "linnet", grams: 20), "got \(bird)")
    return outcome("\(response.statusCode) is \(bird)", response)
  }

  @Sendable
  private static func typedPost(_ stage: DemoStage) async throws -> DemoOutcome {
    let bird = Bird(name: "hawfinch", grams: 55)
    let (stored, response) = try await stage.typedClient.requestWithResponse(AddBird(body: bird))
    try DemoFailure.require(stored == bird, "the server received \(stored)")
    return outcome("\(response.statusCode): JSON there and back", response)
  }

  @Sendable
  private static func typedNotFound(_ stage: DemoStage) async throws -> DemoOutcome {
    let error = try await failure(of: GetBird(name: "dodo"), on: stage.typedClient)
    try DemoFailure.require(error.httpStatusCode == 404 && error.serverMessage == "extinct", "\(error)")
    return DemoOutcome("NetworkError \(error.errorCode), the server says: \(error.serverMessage ?? "-")")
  }

  @Sendable
  private static func typedDecodingError(_ stage: DemoStage) async throws -> DemoOutcome {
    let error = try await failure(of: EndpointBuilder<[Bird]>.get("/birds"), on: stage.typedClient)
    guard let detail = error.decodingDetail else { throw DemoFailure("\(error)") }
    try DemoFailure.require(detail.path == "[1].grams", "the path is \(detail.path)")
    return DemoOutcome("\(detail.path): expected \(detail.expected ?? "-"), found \(detail.found ?? "-")")
  }

  @Sendable
  private static func typedCancel(_ stage: DemoStage) async throws -> DemoOutcome {
    let heads = stage.server.snapshot.headCount
    let client = stage.typedClient
    let cancelled = Task { () -> NetworkError? in
      do throws(NetworkError) {
        _ = try await client.request(EndpointBuilder<Bird>.get("/never"), tag: "screen")
        return nil
      } catch {
        return error
      }
    }
    try await stage.server.wait(for: "the request") { $0.headCount > heads }
    await client.cancelAll(matching: "screen")
    guard case .cancelled? = await cancelled.value else { throw DemoFailure("the request was not cancelled") }
    return DemoOutcome("its requests ended, others would go on")
  }

  @Sendable
  private static func typedMock(_ stage: DemoStage) async throws -> DemoOutcome {
    let heads = stage.server.snapshot.headCount
    let transport = MockTransport()
    try transport.setMockJSON(Bird(name: "siskin", grams: 13))
    let client = DefaultNetworkClient(configuration: try stage.typedConfiguration(), transport: transport)
    let bird = try await client.request(GetBird(name: "siskin"))
    try DemoFailure.require(bird.grams == 13 && stage.server.snapshot.headCount == heads, "the server was asked")
    return DemoOutcome("\(transport.capturedRequest?.method.rawValue ?? "?") answered without a socket")
  }
}

/// What the demo's server knows about.
struct Bird: Codable, Sendable, Hashable {
  let name: String
  let grams: Int
}

@APIDefinition(method: .get, path: "/birds/{name}", auth: .anonymous)
struct GetBird {
  typealias APIResponse = Bird

  let name: String
}

@APIDefinition(method: .post, path: "/birds", auth: .anonymous)
struct AddBird {
  typealias APIResponse = Bird

  let body: Bird
}
