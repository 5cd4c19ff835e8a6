#if LINNET_TSAN
  internal import Glibc
#else
  public import Synchronization
#endif

/// The one lock of the project: a value that is only reachable while the lock is held.
///
/// Rules for its users: never resume a continuation, run user code or block while holding it.
///
/// It is `Synchronization.Mutex`, except in builds for ThreadSanitizer, which does not understand `Mutex` and reports
/// races in correct programs; there it is a pthread mutex. `Mutex.withLock` is not used because it demands a `sending`
/// result, which a value taken out of the guarded state is not for the compiler.
@safe
public final class Lock<Value: ~Copyable>: @unchecked Sendable {
  // SAFETY: `value` is only touched between acquiring and releasing the mutex in `withLock`.
  #if LINNET_TSAN
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Guards `value`.
    public init(_ value: consuming sending Value) {
      // SAFETY: allocated and initialised here, destroyed and freed by `deinit`, and never copied.
      unsafe mutex = .allocate(capacity: 1)
      unsafe mutex.initialize(to: pthread_mutex_t())
      unsafe pthread_mutex_init(mutex, nil)
      self.value = value
    }

    deinit {
      // SAFETY: nobody can hold the lock of an object that is being destroyed.
      unsafe pthread_mutex_destroy(mutex)
      unsafe mutex.deallocate()
    }

    /// Calls `body` with the value while the lock is held.
    public func withLock<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
      unsafe pthread_mutex_lock(mutex)
      // SAFETY: the mutex was initialised in `init` and lives as long as `self`.
      defer { unsafe pthread_mutex_unlock(mutex) }
      return try body(&value)
    }

    /// See the other branch.
    public func confirmHandOver() { withLock { _ in } }
  #else
    @usableFromInline let mutex = Mutex<Void>(())
    // The mutex already excludes what the runtime would check for at each use.
    @exclusivity(unchecked)
    @usableFromInline var value: Value

    /// Guards `value`.
    @inlinable public init(_ value: consuming sending Value) {
      // SAFETY: nobody else has the object yet.
      unsafe self.value = value
    }

    /// Calls `body` with the value while the lock is held.
    @inlinable public func withLock<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
      // SAFETY: `_unsafeLock` and `_unsafeUnlock` are paired on every path by `defer`; nobody else has the value between.
      mutex._unsafeLock()
      defer { mutex._unsafeUnlock() }
      return try unsafe body(&value)
    }

    /// Called after a continuation that was resumed by somebody who had held this lock before. The runtime orders the two
    /// also when the resumption overtakes the suspension, but ThreadSanitizer is not told there; in its builds this
    /// acquires the lock once. Does nothing otherwise.
    @inlinable public func confirmHandOver() {}
  #endif
}
