/// Gets the session's tokens for all requests of a client: one refresh at a time, however many ask for it.
package actor RefreshTokenCoordinator {
  /// A token, and what the coordinator knew when it was read.
  package struct Credential: Sendable, Hashable {
    /// Nil when there is none.
    package let token: String?
    /// How many refreshes had succeeded.
    package let generation: UInt64

    package init(token: String?, generation: UInt64) {
      self.token = token
      self.generation = generation
    }
  }

  private enum State {
    /// *Exits:* refreshing.
    case idle
    /// `identity` tells a refresh that was given up from the one that replaced it. *Exits:* idle, cooling.
    case refreshing(Task<Void, Never>, identity: UInt64)
    /// The latest refresh failed, and is not repeated before the time. *Exits:* refreshing.
    case cooling(NetworkError, until: ContinuousClock.Instant)
  }

  /// The coordinators whose refreshes the current task is part of: those of clients that get tokens by each other.
  @TaskLocal private static var refreshing: Set<ObjectIdentifier> = []

  private let policy: RefreshTokenPolicy
  private let clock: any PolicyClock
  private var state = State.idle
  private var waiters: [UInt64: CheckedContinuation<Result<String, NetworkError>, Never>] = [:]
  private var nextNumber: UInt64 = 0
  /// Refreshes that succeeded.
  private var generation: UInt64 = 0
  private var latestToken: String?
  /// Refreshes that failed since the latest success.
  private var failures = 0
  private var isShutDown = false

  package init(policy: RefreshTokenPolicy, clock: any PolicyClock = SystemPolicyClock()) {
    self.policy = policy
    self.clock = clock
  }

  deinit {
    if case .refreshing(let task, _) = state { task.cancel() }
  }

  /// Whether a refresh is under way.
  package var isRefreshing: Bool {
    if case .refreshing = state { true } else { false }
  }

  /// How many requests wait for the refresh.
  package var waiterCount: Int { waiters.count }

  /// The current task is part of this coordinator's refresh: it must not wait for it.
  nonisolated var isInsideRefresh: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

  /// The token at present.
  ///
  /// - Throws: What the policy throws, mapped.
  package func currentCredential() async throws(NetworkError) -> Credential {
    // Read before the token: at worst a token that is newer than its generation is compared by value below.
    let generation = self.generation
    do {
      return Credential(token: try await policy.currentToken(), generation: generation)
    } catch {
      throw NetworkError.map(error)
    }
  }

  /// A token in the place of one that was refused, or of none: the one that was got since, or one from a refresh that
  /// this call starts or joins.
  ///
  /// - Throws: The error of the refresh, also while it is not to be repeated yet; `cancelled` at once when the task is
  ///   cancelled, which leaves the refresh to the others.
  package func token(replacing refused: Credential) async throws(NetworkError) -> String {
    if let latestToken, generation > refused.generation, latestToken != refused.token { return latestToken }
    guard !Task.isCancelled, !isShutDown else { throw .cancelled }
    switch state {
    case .refreshing: break
    case .cooling(let error, let until) where clock.now < until: throw error
    case .idle, .cooling: startRefresh()
    }
    return try await refreshedToken().get()
  }

  /// Cancels the refresh and whoever waits for it. Later requests fail as cancelled.
  package func shutDown() {
    isShutDown = true
    if case .refreshing(let task, _) = state { task.cancel() }
    state = .idle
    finish(.failure(.cancelled))
  }

  private func startRefresh() {
    let identity = takeNumber()
    let refreshToken = policy.refreshToken
    // The task does not keep the coordinator: the end of the client ends its refresh.
    // It is detached because it works for all requests, not in the context of the one that came first.
    let owners = Self.refreshing.union([ObjectIdentifier(self)])
    let task = Task.detached { [weak self] in
      let outcome: Result<String, any Error>
      do {
        outcome = .success(try await Self.$refreshing.withValue(owners) { try await refreshToken() })
      } catch {
        outcome = .failure(error)
      }
      await self?.refreshEnded(outcome, identity: identity)
    }
    state = .refreshing(task, identity: identity)
  }

  private func refreshEnded(_ outcome: Result<String, any Error>, identity: UInt64) {
    guard case .refreshing(_, identity) = state else { return }
    switch outcome {
    case .success(let token):
      generation &+= 1
      latestToken = token
      failures = 0
      state = .idle
      finish(.success(token))
    case .failure(let error):
      let error = NetworkError.map(error)
      if case .cancelled = error {
        state = .idle
      } else {
        failures += 1
        state = .cooling(
          error, until: clock.now.advanced(by: policy.failureCooldown.duration(afterFailures: failures)))
      }
      finish(.failure(error))
    }
  }

  private func refreshedToken() async -> Result<String, NetworkError> {
    let number = takeNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancellation before this found nobody to wake.
        if Task.isCancelled {
          continuation.resume(returning: .failure(.cancelled))
        } else {
          waiters[number] = continuation
        }
      }
    } onCancel: {
      Task { await waiterCancelled(number) }
    }
  }

  private func waiterCancelled(_ number: UInt64) {
    waiters.removeValue(forKey: number)?.resume(returning: .failure(.cancelled))
  }

  private func finish(_ result: Result<String, NetworkError>) {
    let finished = waiters
    waiters = [:]
    for waiter in finished.values { waiter.resume(returning: result) }
  }

  private func takeNumber() -> UInt64 {
    nextNumber &+= 1
    return nextNumber
  }
}
