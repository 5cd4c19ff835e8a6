import Linnet
import LinnetTestSupport
import Testing

@Suite struct RefreshTokenCoordinatorTests {
  private func stage(_ service: TokenService, _ clock: any PolicyClock = SystemPolicyClock()) -> (
    SessionAuthStage, RefreshTokenCoordinator
  ) {
    let policy = service.policy()
    let coordinator = RefreshTokenCoordinator(policy: policy, clock: clock)
    return (SessionAuthStage(policy: policy, coordinator: coordinator), coordinator)
  }

  private func request(
    _ stage: SessionAuthStage, _ server: TokenServer
  ) -> Task<Result<Response, NetworkError>, Never> {
    start { () async throws(NetworkError) in
      try await stage.execute(.get("https://a.test/"), call: CallContext(sessionAuthentication: .required)) {
        request throws(NetworkError) in try await server.answer(request)
      }
    }
  }

  @Test("a thousand refusals at once make one refresh")
  func singleFlight() async throws {
    let service = TokenService(isOpen: false)
    let server = TokenServer(accepting: "t1")
    let (stage, coordinator) = stage(service)
    let tasks = (0..<1_000).map { _ in request(stage, server) }
    try await eventually("all wait") { await coordinator.waiterCount == 1_000 }
    #expect(await coordinator.isRefreshing)
    service.gate.open()
    for task in tasks { #expect(await task.value.value?.statusCode == 200) }
    #expect(await service.refreshCount == 1)
    #expect(await !coordinator.isRefreshing)
  }

  @Test("a refusal of an older token takes the one that was got since")
  func generations() async throws {
    let service = TokenService()
    let (_, coordinator) = stage(service)
    let old = try await coordinator.currentCredential()
    #expect(try await coordinator.token(replacing: old) == "t1")
    #expect(try await coordinator.token(replacing: old) == "t1")
    #expect(await service.refreshCount == 1)
    let current = try await coordinator.currentCredential()
    #expect(try await coordinator.token(replacing: current) == "t2")
    #expect(await service.refreshCount == 2)
  }

  @Test("a refused token that is the latest, though read earlier, is refreshed")
  func sameToken() async throws {
    let service = TokenService(token: nil)
    let (_, coordinator) = stage(service)
    let none = try await coordinator.currentCredential()
    let first = try await coordinator.token(replacing: none)
    let refused = RefreshTokenCoordinator.Credential(token: first, generation: none.generation)
    #expect(try await coordinator.token(replacing: refused) == "t2")
  }

  @Test("cancelling waiters returns them at once and leaves the refresh to the others")
  func cancelledWaiters() async throws {
    let service = TokenService(isOpen: false)
    let server = TokenServer(accepting: "t1")
    let (stage, coordinator) = stage(service)
    let tasks = (0..<20).map { _ in request(stage, server) }
    try await eventually("all wait") { await coordinator.waiterCount == 20 }
    // The one that started it is among them.
    for task in tasks.prefix(19) { task.cancel() }
    for task in tasks.prefix(19) { #expect(await task.value.failureCategory == "cancelled") }
    #expect(await coordinator.waiterCount == 1)
    #expect(await coordinator.isRefreshing)
    service.gate.open()
    #expect(await tasks[19].value.value?.statusCode == 200)
    #expect(await service.refreshCount == 1)
  }

  @Test("a refresh goes on when all its waiters left, and serves those who come later")
  func abandoned() async throws {
    let service = TokenService(isOpen: false)
    let server = TokenServer(accepting: "t1")
    let (stage, coordinator) = stage(service)
    let first = request(stage, server)
    try await eventually("it waits") { await coordinator.waiterCount == 1 }
    first.cancel()
    _ = await first.value
    let second = request(stage, server)
    try await eventually("it waits") { await coordinator.waiterCount == 1 }
    service.gate.open()
    #expect(await second.value.value?.statusCode == 200)
    #expect(await service.refreshCount == 1)
  }

  @Test("a failure reaches all who wait")
  func failureFansOut() async throws {
    let service = TokenService(failures: [TokenServiceDown()], isOpen: false)
    let (stage, coordinator) = stage(service)
    let server = TokenServer(accepting: "t1")
    let tasks = (0..<50).map { _ in request(stage, server) }
    try await eventually("all wait") { await coordinator.waiterCount == 50 }
    service.gate.open()
    for task in tasks { #expect(await task.value.failureCategory?.hasPrefix("transport.") == true) }
    #expect(await service.refreshCount == 1)
  }

  @Test("a failed refresh is not tried again during the cooldown, which doubles, and ends with a success")
  func cooldown() async throws {
    let clock = ManualPolicyClock()
    let service = TokenService(failures: [TokenServiceDown(), TokenServiceDown(), TokenServiceDown()])
    let server = TokenServer(accepting: "t4")
    let (stage, _) = stage(service, clock)
    for (refreshes, cooldown) in [(1, 1), (2, 2), (3, 4)] {
      #expect(await request(stage, server).value.failureCategory != nil)
      #expect(await service.refreshCount == refreshes)
      clock.advance(by: .seconds(cooldown) - .milliseconds(1))
      #expect(await request(stage, server).value.failureCategory != nil)
      #expect(await service.refreshCount == refreshes)
      clock.advance(by: .milliseconds(1))
    }
    #expect(await request(stage, server).value.value?.statusCode == 200)
    #expect(await service.refreshCount == 4)
  }

  @Test("a refresh that throws cancellation counts as no failure")
  func cancelledRefresh() async throws {
    let service = TokenService(failures: [CancellationError()])
    let server = TokenServer(accepting: "t2")
    let (stage, _) = stage(service, ManualPolicyClock())
    #expect(await request(stage, server).value.failureCategory == "cancelled")
    #expect(await request(stage, server).value.value?.statusCode == 200)
  }

  @Test("the end of the coordinator cancels its refresh")
  func endOfLife() async throws {
    let ended = Gate()
    let began = Gate()
    var coordinator: RefreshTokenCoordinator? = RefreshTokenCoordinator(
      policy: RefreshTokenPolicy(
        currentToken: { nil },
        refreshToken: {
          began.open()
          defer { ended.open() }
          try await Gate().opened()
          return "never"
        }))
    // Nobody keeps the coordinator but the one who waits.
    let waiter = start { [coordinator] () async throws(NetworkError) in
      guard let coordinator else { return "" }
      return try await coordinator.token(replacing: .init(token: nil, generation: 0))
    }
    coordinator = nil
    try await began.opened()
    waiter.cancel()
    #expect(await waiter.value.failureCategory == "cancelled")
    try await ended.opened()
  }

  @Test("shutting down ends the refresh and whoever waits")
  func shutDown() async throws {
    let service = TokenService(isOpen: false)
    let (stage, coordinator) = stage(service)
    let server = TokenServer(accepting: "t1")
    let task = request(stage, server)
    try await eventually("it waits") { await coordinator.waiterCount == 1 }
    await coordinator.shutDown()
    #expect(await task.value.failureCategory == "cancelled")
    #expect(await request(stage, server).value.failureCategory == "cancelled")
  }

  @Test("the cooldown doubles up to its maximum")
  func cooldownDurations() {
    let cooldown = RefreshFailureCooldown.exponentialBackoff()
    let waits = [0, 1, 2, 3, 5, 6, 1_000_000].map { cooldown.duration(afterFailures: $0) }
    #expect(waits == [0, 1, 2, 4, 16, 30, 30].map { .seconds($0) })
    #expect(RefreshFailureCooldown.disabled.duration(afterFailures: 3) == .zero)
    #expect(RefreshFailureCooldown.exponentialBackoff(base: .seconds(-1)).duration(afterFailures: 9) == .zero)
    let huge = RefreshFailureCooldown.exponentialBackoff(base: .seconds(1), max: .seconds(Int64.max))
    #expect(huge.duration(afterFailures: 1000) == .seconds(Int64.max))
  }
}
