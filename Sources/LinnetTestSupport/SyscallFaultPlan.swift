#if DEBUG
  package import LinnetIO

  /// Which system calls of the engine go wrong, and a trace of all that were made. Debug builds only.
  ///
  /// ```swift
  /// let plan = SyscallFaultPlan().failing("connect", at: 1, with: ENETUNREACH).limiting("send", to: 1)
  /// try await plan.during { try await … }
  /// #expect(plan.trace.filter { $0 == "connect" }.count == 2)
  /// ```
  package final class SyscallFaultPlan: Sendable {
    private struct Rule: Sendable {
      var call: String
      /// The numbers of the calls that it applies to, counted from 1 for each name.
      var applies: @Sendable (Int) -> Bool
      var fault: @Sendable (Int) -> SyscallFaults.Fault
    }

    private struct State: Sendable {
      var counts: [String: Int] = [:]
      var trace: [String] = []
    }

    private let rules: [Rule]
    private let state = Observed(State())

    package convenience init() { self.init(rules: []) }

    private init(rules: [Rule]) { self.rules = rules }

    private func adding(_ rule: Rule) -> SyscallFaultPlan { SyscallFaultPlan(rules: rules + [rule]) }

    /// The `number`-th call with this name (from 1 on) fails with `error`.
    package func failing(_ call: String, at number: Int, with error: CInt) -> SyscallFaultPlan {
      adding(Rule(call: call, applies: { $0 == number }, fault: { _ in .fail(error) }))
    }

    /// Every call with this name from the `number`-th on fails with `error`.
    package func failingAll(_ call: String, from number: Int = 1, with error: CInt) -> SyscallFaultPlan {
      adding(Rule(call: call, applies: { $0 >= number }, fault: { _ in .fail(error) }))
    }

    /// Transfers with this name move at most these numbers of bytes, one after the other and again from the start.
    package func limiting(_ call: String, to sizes: Int...) -> SyscallFaultPlan { limiting(call, to: sizes) }

    /// Transfers with this name move at most these numbers of bytes, one after the other and again from the start.
    package func limiting(_ call: String, to sizes: [Int]) -> SyscallFaultPlan {
      guard !sizes.isEmpty else { return self }
      return adding(Rule(call: call, applies: { _ in true }, fault: { .limit(sizes[($0 - 1) % sizes.count]) }))
    }

    /// Every call with this name is interrupted by a signal (`EINTR`) once before it is made.
    package func interrupting(_ call: String) -> SyscallFaultPlan {
      adding(Rule(call: call, applies: { $0 % 2 == 1 }, fault: { _ in .fail(4) }))
    }

    /// The names of the calls so far, in order.
    package var trace: [String] { state.read { $0.trace } }

    /// How often a call was made or failed.
    package func count(of call: String) -> Int { state.read { $0.counts[call] ?? 0 } }

    /// Waits until a call was made `count` times.
    package func waitForCalls(_ count: Int, of call: String, within limit: Duration = .seconds(30)) async throws {
      _ = try await state.wait(for: "\(count) calls of \(call)", within: limit, describe: { "\($0.counts)" }) {
        $0.counts[call] ?? 0 >= count
      }
    }

    /// What the calls of `LinnetIO` ask.
    package var hook: SyscallFaults.Hook {
      { [self] call, _ in
        let number = state.mutate { state in
          state.trace.append(call)
          state.counts[call, default: 0] += 1
          return state.counts[call] ?? 0
        }
        return rules.first { $0.call == call && $0.applies(number) }?.fault(number)
      }
    }

    /// Applies the plan to the calls of the present task and of its child tasks.
    package nonisolated(nonsending) func during<R, E: Error>(
      _ body: nonisolated(nonsending) () async throws(E) -> R
    ) async throws(E) -> R {
      try await SyscallFaults.during(hook, body)
    }

    /// Applies the plan to the calls on one descriptor, whichever thread makes them, until ``remove(from:)``.
    package func apply(to fd: CInt) { SyscallFaults.set(hook, for: fd) }

    /// Ends ``apply(to:)``; to be called before the descriptor is closed, because its number is given out again.
    package func remove(from fd: CInt) { SyscallFaults.set(nil, for: fd) }
  }
#endif
