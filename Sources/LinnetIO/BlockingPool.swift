internal import CLinnetPOSIX
internal import LinnetBytes

package enum BlockingPoolError: Error, Equatable, Sendable {
  /// The waiting task was cancelled; the call goes on in the background, and its result is dropped.
  case cancelled
  /// No thread could be started.
  case noThread(SystemError)
}

/// A few threads for calls that block: `getaddrinfo`, `fsync`, reads of a disk. Never a shard's thread and never one of
/// the pool that runs Swift's tasks.
///
/// A thread starts with the work and ends when there is no more, so an idle process has none.
package final class BlockingPool: Sendable {
  /// 16 threads: enough for that many slow name look-ups at a time, and few enough for a small machine.
  package static let shared = BlockingPool(maximumThreads: 16)

  private typealias Work = @Sendable () -> Void

  private struct State {
    var queue = RingDeque<Work>()
    var threads = 0
  }

  private let maximumThreads: Int
  private let state = Lock(State())

  package init(maximumThreads: Int) { self.maximumThreads = max(1, maximumThreads) }

  /// For tests: how many threads live.
  package var threadCount: Int { state.withLock { $0.threads } }

  /// Runs `work` on one of the threads, and returns at once.
  ///
  /// - Throws: When no thread runs and none can be started; then `work` is not run.
  package func submit(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
    let mustStart = state.withLock { state in
      state.queue.append(work)
      guard state.threads < maximumThreads else { return false }
      state.threads += 1
      return true
    }
    guard mustStart else { return }
    let context = unsafe Unmanaged.passRetained(self)
    // SAFETY: the thread takes over the reference that was retained for it.
    let result = unsafe linnet_start_thread(
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<BlockingPool>.fromOpaque(context).takeRetainedValue().serve()
        }
        return nil
      }, context.toOpaque())
    guard result != 0 else { return }
    unsafe context.release()
    let isLost = state.withLock { state in
      state.threads -= 1
      // With other threads alive the work is done by one of them.
      guard state.threads == 0 else { return false }
      state.queue = RingDeque()
      return true
    }
    if isLost { throw SystemError(number: -result, call: "pthread_create") }
  }

  /// Runs `work` on one of the threads and waits for its result.
  ///
  /// Cancellation returns at once: work that did not begin is skipped, and a call under way ends in the background.
  package func run<R: Sendable>(_ work: @escaping @Sendable () -> R) async throws(BlockingPoolError) -> R {
    let outcome = OneShot<Result<R, BlockingPoolError>>()
    let isCancelled = Lock(false)
    do throws(SystemError) {
      try submit {
        if isCancelled.withLock({ $0 }) { return }
        outcome.fulfil(.success(work()))
      }
    } catch {
      throw .noThread(error)
    }
    return try await outcome.wait {
      isCancelled.withLock { $0 = true }
      return .failure(.cancelled)
    }.get()
  }

  private func serve() {
    while let work = next() { work() }
  }

  private func next() -> Work? {
    state.withLock { state in
      if let work = state.queue.popFirst() { return work }
      state.threads -= 1
      return nil
    }
  }
}
