internal import LinnetBytes

/// The middleware of a live client, which any task may add and remove at any time.
final class ClientMiddleware: Sendable {
  private struct State: Sendable {
    var entries: [(id: UInt64, middleware: Middleware)] = []
    var nextID: UInt64 = 0
    var stage = MiddlewareStage([])
  }

  private let state = Lock(State())

  /// The stage of the moment.
  var stage: MiddlewareStage { state.withLock { $0.stage } }

  func add(_ middleware: Middleware) -> MiddlewareRegistration {
    state.withLock { state in
      let id = state.nextID
      state.nextID &+= 1
      state.entries.append((id, middleware))
      state.stage = MiddlewareStage(state.entries.map(\.middleware))
      return MiddlewareRegistration(id: id)
    }
  }

  func remove(where matches: @Sendable (_ id: UInt64, _ middleware: Middleware) -> Bool) {
    state.withLock { state in
      state.entries.removeAll { matches($0.id, $0.middleware) }
      state.stage = MiddlewareStage(state.entries.map(\.middleware))
    }
  }
}

/// What removes a middleware again; see ``DefaultNetworkClient/addMiddleware(_:)``.
public struct MiddlewareRegistration: Sendable, Hashable {
  let id: UInt64
}
