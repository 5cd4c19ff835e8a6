internal import LinnetBytes

/// What goes on between one client and its cache: fetches whose answers may be stored, and validations in the background.
///
/// The client owns one and cancels it when it shuts down.
package final class CacheActivity: Sendable {
  /// A fetch that began before its answer was known.
  struct Fetch: Sendable, Hashable {
    fileprivate let url: String
    fileprivate let number: UInt64
  }

  private struct Revalidation: Sendable {
    var number: UInt64
    /// Nil for the moment between reserving the place and starting the task.
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private struct State: Sendable {
    var lastNumber: UInt64 = 0
    /// The fetches under way by URL, and whether the resource was changed since.
    var fetches: [String: [UInt64: Bool]] = [:]
    var revalidations: [ResponseCacheKey: Revalidation] = [:]

    mutating func nextNumber() -> UInt64 {
      lastNumber &+= 1
      return lastNumber
    }
  }

  private let state = Lock(State())

  package init() {}

  /// How many validations run in the background.
  package var revalidationCount: Int { state.withLock { $0.revalidations.count } }

  /// How many fetches are noted; zero when nothing is under way.
  package var fetchCount: Int { state.withLock { $0.fetches.values.reduce(0) { $0 + $1.count } } }

  /// Cancels all validations in the background. Each still reports how it ended.
  package func cancelAll() {
    let tasks = state.withLock { state in
      for key in state.revalidations.keys { state.revalidations[key]?.isCancelled = true }
      return state.revalidations.values.compactMap(\.task)
    }
    for task in tasks { task.cancel() }
  }

  /// Returns when no validation runs in the background.
  package func waitUntilIdle() async {
    while true {
      let running = state.withLock { Array($0.revalidations.values) }
      guard let first = running.first else { return }
      if let task = first.task { await task.value } else { await Task.yield() }
    }
  }
}

/// Answers that were overtaken: a GET that was answered before a POST to the same URL and arrives after it must not be
/// stored, or it would hide the change for as long as it is fresh.
extension CacheActivity {
  /// Notes a fetch before it is sent. ``ended(_:)`` follows in every case.
  func began(url: String) -> Fetch {
    state.withLock { state in
      let number = state.nextNumber()
      state.fetches[url, default: [:]][number] = false
      return Fetch(url: url, number: number)
    }
  }

  /// Notes that a resource was changed.
  func changed(url: String) {
    state.withLock { state in
      guard let numbers = state.fetches[url]?.keys else { return }
      for number in numbers { state.fetches[url]?[number] = true }
    }
  }

  /// Whether the resource was changed since the fetch began.
  func isOvertaken(_ fetch: Fetch) -> Bool { state.withLock { $0.fetches[fetch.url]?[fetch.number] ?? true } }

  /// Forgets a fetch.
  func ended(_ fetch: Fetch) {
    state.withLock { state in
      state.fetches[fetch.url]?[fetch.number] = nil
      if state.fetches[fetch.url]?.isEmpty == true { state.fetches[fetch.url] = nil }
    }
  }
}

/// Validations in the background, one at a time for each key.
extension CacheActivity {
  /// Runs `operation` in a task of its own unless a validation of this key runs already.
  ///
  /// - Parameter scheduled: Called before the operation begins, only when it will.
  package func revalidate(
    _ key: ResponseCacheKey, scheduled: () -> Void, _ operation: @escaping @Sendable () async -> Void
  ) {
    let reserved: UInt64? = state.withLock { state in
      guard state.revalidations[key] == nil else { return nil }
      let number = state.nextNumber()
      state.revalidations[key] = Revalidation(number: number)
      return number
    }
    guard let number = reserved else { return }
    // Whoever ends a client cancels its calls first and then what is noted here, so one of the two is noticed.
    guard !Task.isCancelled else { return forget(key, number) }
    scheduled()
    let task = Task {
      await operation()
      self.forget(key, number)
    }
    // It may have ended, or been cancelled, before it could be noted.
    let isCancelled = state.withLock { state in
      guard state.revalidations[key]?.number == number else { return false }
      state.revalidations[key]?.task = task
      return state.revalidations[key]?.isCancelled == true
    }
    if isCancelled { task.cancel() }
  }

  private func forget(_ key: ResponseCacheKey, _ number: UInt64) {
    state.withLock { state in
      if state.revalidations[key]?.number == number { state.revalidations[key] = nil }
    }
  }
}
