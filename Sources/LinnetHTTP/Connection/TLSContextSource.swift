internal import LinnetBytes
internal import LinnetIO
internal import LinnetTLS

/// The TLS context of one set of settings: made with the first connection, and made anew for later ones when a file that it
/// was made from has changed.
///
/// Files are looked at on ``BlockingPool``, at most once a second and only when a connection is made. What cannot be read
/// then, because it is half written or its key is not replaced yet, changes nothing: the last good context stays until the
/// files change again. A first context that cannot be made is an error each time, until the files change.
final class TLSContextSource: Sendable {
  typealias Outcome = Result<TLSContext, TLSError>

  private struct Made {
    let outcome: Outcome
    let files: [FileStamp?]
    var lookedAt: Instant
  }

  private struct State {
    var made: Made?
    var generation: UInt64 = 0
    /// Those who wait for the look that is under way; nil when there is none.
    var waiting: [OneShot<Outcome?>]?

    func ready(_ now: Instant, isWatching: Bool) -> Outcome? {
      guard let made, !isWatching || made.lookedAt.advanced(by: TLSContextSource.interval) > now else { return nil }
      return made.outcome
    }
  }

  private let settings: TLSSettings
  private let paths: [String]
  private let clock: any MonotonicClock
  private let pool: BlockingPool
  private let state = Lock(State())

  /// How long nobody looks at the files again: a burst of connections looks once.
  private static var interval: Duration { .seconds(1) }

  init(_ settings: TLSSettings, clock: any MonotonicClock, pool: BlockingPool = .shared) {
    self.settings = settings
    paths = settings.watchedPaths
    self.clock = clock
    self.pool = pool
  }

  /// The context for a new connection, when the files need no look.
  var ready: Outcome? {
    let now = clock.now
    return state.withLock { $0.ready(now, isWatching: !paths.isEmpty) }
  }

  /// The context for a new connection.
  ///
  /// - Returns: Nil when the task was cancelled meanwhile.
  func context() async throws(TLSError) -> TLSContext? {
    let answer = OneShot<Outcome?>()
    let now = clock.now
    let (ready, isFirst) = state.withLock { state -> (Outcome?, Bool) in
      if let ready = state.ready(now, isWatching: !paths.isEmpty) { return (ready, false) }
      defer { state.waiting = (state.waiting ?? []) + [answer] }
      return (nil, state.waiting == nil)
    }
    if let ready { return try ready.get() }
    if isFirst { start() }
    return try await answer.wait { nil }?.get()
  }

  private func start() {
    do throws(SystemError) {
      try pool.submit { self.look() }
    } catch {
      // Without a thread the files are read here: slow, and better than no connection.
      look()
    }
  }

  /// Reads the files if they are others than before. Blocks.
  private func look() {
    let now = clock.now
    // Before they are read: what changes meanwhile is seen next time.
    let files = paths.map { try? FileStamp(path: $0) }
    let (before, generation) = state.withLock { ($0.made, $0.generation) }
    var made = before
    if let before, before.files == files {
      made?.lookedAt = now
    } else {
      let outcome: Outcome
      do throws(TLSError) {
        outcome = .success(try TLSContext(settings, role: .client, generation: generation + 1))
      } catch {
        outcome = .failure(error)
      }
      let isWorse =
        switch (before?.outcome, outcome) {
        case (.success, .failure): true
        default: false
        }
      made = Made(outcome: isWorse ? before?.outcome ?? outcome : outcome, files: files, lookedAt: now)
    }
    let waiting = state.withLock { state in
      state.made = made
      if case .success(let context) = made?.outcome { state.generation = context.generation }
      defer { state.waiting = nil }
      return state.waiting ?? []
    }
    for answer in waiting { answer.fulfil(made?.outcome) }
  }
}
