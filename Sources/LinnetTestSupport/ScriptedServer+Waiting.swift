extension ScriptedServer {
  /// Waits until the server has seen what `condition` asks for.
  ///
  /// - Parameters:
  ///   - expectation: What is awaited, for the error.
  ///   - limit: How long to wait at most; only a guard against hanging tests.
  ///   - condition: Whether a snapshot has what is awaited.
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func wait(
    for expectation: String, within limit: Duration = .seconds(30),
    until condition: @escaping @Sendable (ServerSnapshot) -> Bool
  ) async throws -> ServerSnapshot {
    try await core.snapshot.wait(for: expectation, within: limit, describe: Self.describe, until: condition)
  }

  /// Waits until `count` requests were received to their end, and returns all recorded requests.
  @discardableResult
  public func waitForRequests(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [RecordedRequest] {
    try await wait(for: "\(count) requests", within: limit) { $0.requestCount >= count }.requests
  }

  /// Waits until `count` request heads were received; their bodies may still be on the way.
  @discardableResult
  public func waitForHeads(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [RecordedRequest] {
    try await wait(for: "\(count) request heads", within: limit) { $0.headCount >= count }.requests
  }

  /// Waits until `count` connections were accepted.
  @discardableResult
  public func waitForConnections(
    _ count: Int, within limit: Duration = .seconds(30)
  ) async throws -> [ConnectionRecord] {
    try await wait(for: "\(count) connections", within: limit) { $0.connectionCount >= count }.connections
  }

  /// Waits until `count` connections ended.
  @discardableResult
  public func waitForConnectionsClosed(
    _ count: Int, within limit: Duration = .seconds(30)
  ) async throws -> [ConnectionRecord] {
    try await wait(for: "\(count) closed connections", within: limit) { $0.closedCount >= count }.connections
  }

  private static func describe(_ snapshot: ServerSnapshot) -> String {
    var text = "\(snapshot.connectionCount) connections (\(snapshot.closedCount) closed), \(snapshot.headCount) heads, "
    text += "\(snapshot.requestCount) requests"
    let endings = snapshot.connections.suffix(5).map { record in
      "#\(record.number) \(record.ending.map { "\($0)" } ?? "open")"
    }
    if !endings.isEmpty { text += "; \(endings.joined(separator: ", "))" }
    if !snapshot.violations.isEmpty { text += "; violations: \(snapshot.violations)" }
    return text
  }
}
