import Linnet
import LinnetTestSupport

/// A token store and the service that renews tokens, as an application has them.
actor TokenService {
  private(set) var token: String?
  private(set) var refreshCount = 0
  private var failures: [any Error]
  /// Refreshes wait for it.
  nonisolated let gate: Gate
  /// The numbers of the refreshes, as they begin.
  nonisolated let refreshes = EventRecorder<Int>()

  /// - Parameters:
  ///   - token: The token at first.
  ///   - failures: What the first refreshes throw.
  ///   - isOpen: Whether refreshes pass at once.
  init(token: String? = "t0", failures: [any Error] = [], isOpen: Bool = true) {
    self.token = token
    self.failures = failures
    gate = Gate(isOpen: isOpen)
  }

  func refresh() async throws -> String {
    refreshCount += 1
    let number = refreshCount
    refreshes.record(number)
    try await gate.opened()
    if !failures.isEmpty { throw failures.removeFirst() }
    token = "t\(number)"
    return "t\(number)"
  }

  func set(_ token: String?) { self.token = token }

  nonisolated func policy(
    appliesTo: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
    failureCooldown: RefreshFailureCooldown = .exponentialBackoff()
  ) -> RefreshTokenPolicy {
    RefreshTokenPolicy(
      appliesTo: appliesTo, failureCooldown: failureCooldown, currentToken: { await self.token },
      refreshToken: { try await self.refresh() })
  }
}

struct TokenServiceDown: Error {}

/// A server that accepts one token, and remembers what it was sent.
actor TokenServer {
  private(set) var accepted: String
  private(set) var authorizations: [String?] = []

  init(accepting token: String) { accepted = token }

  func accept(_ token: String) { accepted = token }

  func answer(_ request: HTTPRequest) throws(NetworkError) -> Response {
    authorizations.append(request.headers["Authorization"])
    let isAccepted = request.headers["Authorization"] == "Bearer \(accepted)"
    do {
      return try .made(isAccepted ? 200 : 401, for: request)
    } catch {
      throw NetworkError.map(error)
    }
  }
}
