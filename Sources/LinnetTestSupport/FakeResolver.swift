package import LinnetIO

/// A name resolver that answers what a test says, when the test says it, and remembers what it was asked.
package final class FakeResolver: NameResolver {
  /// An answer for one name.
  package struct Answer: Sendable {
    var result: Result<[SocketAddress], ResolveError>
    var gate: Gate?
  }

  private struct State: Sendable {
    var answers: [String: Answer] = [:]
    var queries: [String] = []
    var failedHosts: [String] = []
  }

  private let state = Observed(State())

  /// Knows no names: every look-up fails with ``ResolveError/Reason/notFound``.
  package init() {}

  /// Sets the addresses of a name.
  ///
  /// - Parameters:
  ///   - addresses: Those with port 0 get the port of the look-up.
  ///   - gate: The look-up waits until it is open.
  package func set(_ addresses: [SocketAddress], for host: String, after gate: Gate? = nil) {
    state.mutate { $0.answers[host] = Answer(result: .success(addresses), gate: gate) }
  }

  /// Makes look-ups of a name fail.
  package func fail(_ host: String, _ reason: ResolveError.Reason, after gate: Gate? = nil) {
    state.mutate { $0.answers[host] = Answer(result: .failure(ResolveError(host: host, reason: reason)), gate: gate) }
  }

  /// The names that were looked up, in order.
  package var queries: [String] { state.read { $0.queries } }

  /// The names whose addresses were reported as unreachable, in order.
  package var failedHosts: [String] { state.read { $0.failedHosts } }

  /// Waits until `count` look-ups began.
  package func waitForQueries(_ count: Int, within limit: Duration = .seconds(30)) async throws {
    _ = try await state.wait(
      for: "\(count) look-ups", within: limit, describe: { "\($0.queries)" }, until: { $0.queries.count >= count })
  }

  package func resolve(host: String, port: UInt16) async throws(ResolveError) -> [SocketAddress] {
    let answer = state.mutate { state in
      state.queries.append(host)
      return state.answers[host]
    }
    guard let answer else { throw ResolveError(host: host, reason: .notFound) }
    if let gate = answer.gate {
      do { try await gate.opened(within: .seconds(3600)) } catch {
        throw ResolveError(host: host, reason: error is CancellationError ? .cancelled : .timedOut)
      }
    }
    return try answer.result.get().map { $0.port == 0 ? $0.withPort(port) : $0 }
  }

  package func addressesFailed(host: String) { state.mutate { $0.failedHosts.append(host) } }
}
