#if DEBUG
  internal import LinnetBytes

  /// Faults for tests, in debug builds only: what the kernel does rarely, on demand.
  ///
  /// Every wrapper of ``Syscalls`` asks here first. A hook reaches the calls made by one task
  /// (``during(_:_:)``) or those on one descriptor, by whatever thread (``set(_:for:)``); so tests that run at the same
  /// time do not disturb each other.
  package enum SyscallFaults {
    package enum Fault: Sendable {
      /// The call fails with this error number and is not made.
      case fail(CInt)
      /// The call is made with at most this many bytes.
      case limit(Int)
    }

    /// Gets the name of the call and the descriptor (-1 when it has none); nil lets the call pass.
    package typealias Hook = @Sendable (_ call: String, _ fd: CInt) -> Fault?

    @TaskLocal private static var hookOfTask: Hook?
    private static let hooksOfDescriptors = Lock<[CInt: Hook]>([:])

    /// Runs `body` with `hook` in place for the system calls of this task and its child tasks.
    package nonisolated(nonsending) static func during<R, E: Error>(
      _ hook: @escaping Hook, _ body: nonisolated(nonsending) () async throws(E) -> R
    ) async throws(E) -> R {
      var result: Result<R, E>?
      await $hookOfTask.withValue(hook) {
        do throws(E) { result = .success(try await body()) } catch { result = .failure(error) }
      }
      guard let result else { return try await body() }
      return try result.get()
    }

    package static func set(_ hook: Hook?, for fd: CInt) {
      hooksOfDescriptors.withLock { $0[fd] = hook }
    }

    static func fault(_ call: StaticString, _ fd: CInt) -> Fault? {
      let hook = hookOfTask ?? hooksOfDescriptors.withLock { $0[fd] }
      return hook?(call.description, fd)
    }
  }
#endif
