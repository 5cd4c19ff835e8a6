internal import Glibc

/// The process's signals and standard descriptors. Only the command touches them; the library never does.
enum Signals {
  /// Whether whoever started the command had SIGPIPE ignored: then a closed pipe is an error like any other.
  private static let brokenPipeIsIgnored = disposition(of: SIGPIPE) == ignored

  private static let ignored = unsafeBitCast(SIG_IGN, to: Int.self)

  /// Sets up SIGPIPE, SIGINT and SIGTERM.
  ///
  /// SIGINT and SIGTERM end the process by themselves: a shell goes on with its script after a command that exits when
  /// Ctrl-C is typed, with whatever status, and stops after one that died of the signal. Only for process 1 of a
  /// container, where the kernel drops signals without a handler, there are handlers, which exit. Signals that were
  /// ignored when the command was started (`nohup`, a background job) stay so.
  static func install() {
    _ = brokenPipeIsIgnored
    signal(SIGPIPE, SIG_IGN)
    if getpid() == 1 {
      if disposition(of: SIGINT) != ignored { signal(SIGINT) { _ in _exit(ExitCode.interrupted.rawValue) } }
      if disposition(of: SIGTERM) != ignored { signal(SIGTERM) { _ in _exit(ExitCode.terminated.rawValue) } }
    }
    // A parent that starts programs from a thread with blocked signals leaves them blocked.
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&set, number) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// What a write to a closed pipe means for the command.
  static func brokenPipe(writing name: String) -> CommandError {
    brokenPipeIsIgnored ? CommandError(.writeError, "cannot write \(name): \(systemText(EPIPE))") : .brokenPipe
  }

  /// Ends the process, by SIGPIPE itself when that is the status: a shell tells death by a signal from an exit.
  static func end(_ code: ExitCode) -> Never {
    if code == .brokenPipe {
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    }
    // Not `exit`: the handlers of C libraries would run while other threads still use those libraries.
    _exit(code.rawValue)
  }

  /// Puts something harmless where descriptors 0, 1 or 2 are closed, so that no socket or file becomes one of them.
  ///
  /// What is put there cannot be used in the descriptor's direction: reading standard input or writing standard output
  /// then fails, as it should.
  static func occupyStandardDescriptors() {
    for descriptor: CInt in 0...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      if open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0 { _ = open("/", O_RDONLY) }
    }
  }

  private static func disposition(of number: CInt) -> Int {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return 0 }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }
}
