import LinnetBytes
import LinnetPolicies
import Testing

@Suite struct CircuitBreakerTableTests {
  static let start = Instant(nanoseconds: 1 << 40)
  static let limits = CircuitBreakerMachine.Limits(
    failureThreshold: 1, windowSize: 1, resetAfter: .seconds(1000), maximumResetAfter: .seconds(1000), probesToClose: 1)

  private func permit(
    _ table: inout CircuitBreakerTable<String>, _ key: String, at now: Instant
  ) -> CircuitBreakerMachine.Permit? {
    if case .admitted(let permit) = table.requestArrived(for: key, now: now) { permit } else { nil }
  }

  @Test("each server has a breaker of its own")
  func separate() throws {
    var table = CircuitBreakerTable<String>(limits: Self.limits)
    let permit = try #require(permit(&table, "a", at: Self.start))
    table.exchangeEnded(permit, for: "a", .failure, now: Self.start)
    #expect(self.permit(&table, "a", at: Self.start) == nil)
    #expect(self.permit(&table, "b", at: Self.start) != nil)
  }

  @Test("a breaker that is not touched for five minutes is forgotten, open or not")
  func forgets() throws {
    var table = CircuitBreakerTable<String>(limits: Self.limits)
    let permit = try #require(permit(&table, "a", at: Self.start))
    table.exchangeEnded(permit, for: "a", .failure, now: Self.start)
    let almost = Self.start.advanced(by: .milliseconds(299_999))
    #expect(self.permit(&table, "a", at: almost) == nil)
    // Asking touched it.
    #expect(self.permit(&table, "a", at: almost.advanced(by: .milliseconds(299_999))) == nil)
    #expect(self.permit(&table, "a", at: almost.advanced(by: .seconds(700))) != nil)
  }

  @Test("servers that are not asked for any more leave the table")
  func sweeps() {
    var table = CircuitBreakerTable<Int>(limits: Self.limits)
    for key in 0..<100 { _ = table.requestArrived(for: key, now: Self.start) }
    #expect(table.count == 100)
    _ = table.requestArrived(for: 1000, now: Self.start.advanced(by: .seconds(400)))
    #expect(table.count == 1)
  }

  @Test("a permit of a forgotten breaker means nothing to its successor")
  func latePermit() throws {
    var table = CircuitBreakerTable<String>(limits: Self.limits)
    let old = try #require(permit(&table, "a", at: Self.start))
    let later = Self.start.advanced(by: .seconds(301))
    let new = try #require(permit(&table, "a", at: later))
    table.exchangeEnded(old, for: "a", .failure, now: later)
    #expect(permit(&table, "a", at: later) != nil)
    table.exchangeEnded(new, for: "a", .failure, now: later)
    #expect(permit(&table, "a", at: later) == nil)
  }
}
