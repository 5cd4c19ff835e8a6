internal import LinnetBytes
package import LinnetHTTP
internal import LinnetPolicies

/// Lets equal requests share one exchange.
package final class CoalescingStage: Sendable {
  private typealias Table = CoalescingTable<CoalescingKey>

  /// What a passenger gets out of a flight.
  private struct Arrival {
    let outcome: Result<Response, NetworkError>
    /// One passenger of each flight counts the outcome for the breaker.
    let isCounting: Bool
  }

  /// Where a passenger is between boarding and going its way.
  private enum Seat {
    /// Boarded, and not waiting yet.
    case taken
    case waiting(CheckedContinuation<Arrival?, Never>)
    /// The flight landed, or the caller was cancelled (nil), before the caller waited.
    case left(Arrival?)
  }

  private struct State {
    var table = Table()
    var seats: [Table.Passenger: Seat] = [:]
    /// The flights under way. A flight has no task until it was started.
    var exchanges: [Table.Flight: Exchange] = [:]
  }

  private struct Exchange {
    var task: Task<Void, Never>?
  }

  private let policy: RequestCoalescingPolicy
  private let refresh: RefreshTokenCoordinator?
  private let state = Lock(State())

  /// - Parameter refresh: The coordinator of the client's tokens, if it has one.
  package init(policy: RequestCoalescingPolicy, refresh: RefreshTokenCoordinator?) {
    self.policy = policy
    self.refresh = refresh
  }

  /// Runs the exchange, or waits for an equal one that is under way.
  ///
  /// - Parameter share: Told when the outcome was counted for another caller of the same exchange.
  /// - Throws: What the exchange throws; `cancelled` at once when the task is cancelled.
  package func execute(
    _ request: HTTPRequest, call: CallContext, share: OutcomeShare? = nil, next: @escaping NextStage
  ) async throws(NetworkError) -> Response {
    guard policy.isEnabled, !call.isSigned, let key = CoalescingKey(request, policy: policy) else {
      return try await next(request)
    }
    // While a token is being refreshed an exchange may be about to end in a 401 that a newcomer need not have.
    if let refresh, await refresh.isRefreshing { return try await next(request) }
    guard !Task.isCancelled else { throw .cancelled }
    let boarding = board(key)
    if boarding.isFirst { start(boarding.passenger.flight, request, next) }
    guard let arrival = await arrival(of: boarding.passenger) else { throw .cancelled }
    if !arrival.isCounting { share?.countElsewhere() }
    var response = try arrival.outcome.get()
    response.request = request
    return response
  }

  /// How many callers wait for an exchange.
  package var waitingCount: Int {
    state.withLock { state in
      state.seats.values.reduce(0) { count, seat in
        if case .waiting = seat { count + 1 } else { count }
      }
    }
  }

  /// How many exchanges are under way.
  package var exchangeCount: Int { state.withLock { $0.exchanges.count } }

  private func board(_ key: CoalescingKey) -> Table.Boarding {
    state.withLock { state in
      let boarding = state.table.callerArrived(for: key)
      state.seats[boarding.passenger] = .taken
      if boarding.isFirst { state.exchanges[boarding.passenger.flight] = Exchange() }
      return boarding
    }
  }

  private func start(_ flight: Table.Flight, _ request: HTTPRequest, _ next: @escaping NextStage) {
    let task = Task {
      let outcome: Result<Response, NetworkError>
      do throws(NetworkError) {
        outcome = .success(try await next(request))
      } catch {
        outcome = .failure(error)
      }
      land(flight, outcome)
    }
    let isUnderWay = state.withLock { state in
      guard state.exchanges[flight] != nil else { return false }
      state.exchanges[flight] = Exchange(task: task)
      return true
    }
    // Everybody left before the task was known; or it is done already, and this changes nothing.
    if !isUnderWay { task.cancel() }
  }

  private func arrival(of passenger: Table.Passenger) async -> Arrival? {
    let arrival = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let left: Arrival?? = state.withLock { state in
          if case .left(let arrival) = state.seats[passenger] {
            state.seats[passenger] = nil
            return .some(arrival)
          }
          state.seats[passenger] = .waiting(continuation)
          return nil
        }
        if let left { continuation.resume(returning: left) }
      }
    } onCancel: {
      leave(passenger)
    }
    state.confirmHandOver()
    return arrival
  }

  private func leave(_ passenger: Table.Passenger) {
    let (waiting, abandoned) = state.withLock { state -> (CheckedContinuation<Arrival?, Never>?, Exchange?) in
      let waiting: CheckedContinuation<Arrival?, Never>?
      switch state.seats[passenger] {
      case nil, .left: return (nil, nil)
      case .taken:
        state.seats[passenger] = .left(nil)
        waiting = nil
      case .waiting(let continuation):
        state.seats[passenger] = nil
        waiting = continuation
      }
      let isLast = state.table.passengerLeft(passenger)
      return (waiting, isLast ? state.exchanges.removeValue(forKey: passenger.flight) : nil)
    }
    waiting?.resume(returning: nil)
    abandoned?.task?.cancel()
  }

  private func land(_ flight: Table.Flight, _ outcome: Result<Response, NetworkError>) {
    let waiting = state.withLock { state in
      state.exchanges[flight] = nil
      var isCounting = true
      return state.table.flightLanded(flight).compactMap { passenger in
        let arrival = Arrival(outcome: outcome, isCounting: isCounting)
        isCounting = false
        switch state.seats[passenger] {
        case .waiting(let continuation):
          state.seats[passenger] = nil
          return (continuation, arrival)
        case .taken, .left, nil:
          state.seats[passenger] = .left(arrival)
          return nil
        }
      } as [(CheckedContinuation<Arrival?, Never>, Arrival)]
    }
    for (continuation, arrival) in waiting { continuation.resume(returning: arrival) }
  }
}
