internal import Glibc

/// A joinable thread with a stack of a chosen size, so that thousands of blocking connections fit into one process.
struct PosixThread: Sendable {
  let id: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// - Throws: ``TestSupportError`` when the system gives no thread.
  static func start(
    stackBytes: Int, _ run: @escaping @Sendable () -> Void
  ) throws(TestSupportError) -> PosixThread {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackBytes)
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(run))
    let failure = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard failure == 0 else {
      body.release()
      throw TestSupportError(call: "pthread_create", errno: failure)
    }
    return PosixThread(id: thread)
  }

  func join() { pthread_join(id, nil) }

  static var current: PosixThread { PosixThread(id: pthread_self()) }
}
