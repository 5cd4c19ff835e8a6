import Glibc
import LinnetBytes
import LinnetTestSupport

/// A server program of the system that runs for one test. `stop()`, or dropping the last reference, ends it and waits
/// for its end; should the test process die first, the program ends by itself after a quarter of an hour.
final class ServerProcess: Sendable {
  private let process: pid_t
  private let output: CInt
  private let isStopped = Lock(false)

  /// Where a program is installed; nil when it is not. Servers are not always on `PATH`.
  static func path(of name: String) -> String? {
    if name.hasPrefix("/") { return access(name, X_OK) == 0 ? name : nil }
    return ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/sbin", "/bin"].map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }

  static func isInstalled(_ name: String) -> Bool { path(of: name) != nil && path(of: "timeout") != nil }

  /// Starts a program, given by its name or path and its arguments, with a bare environment.
  init(_ command: [String]) throws(TestSupportError) {
    guard let name = command.first, let program = Self.path(of: name), let timeout = Self.path(of: "timeout") else {
      throw TestSupportError(call: "posix_spawn", errno: ENOENT, detail: command.first ?? "")
    }
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TestSupportError(call: "pipe", errno: errno) }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    // The runtime's threads block signals, and a program would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let failure = Self.withCStrings([timeout, "--kill-after=2", "900", program] + command.dropFirst()) { arguments in
      Self.withCStrings(["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]) { environment in
        posix_spawn(&process, timeout, &actions, &attributes, arguments, environment)
      }
    }
    guard failure == 0 else {
      close(ends[0])
      throw TestSupportError(call: "posix_spawn", errno: failure, detail: program)
    }
    self.process = process
    output = ends[0]
  }

  deinit {
    stop()
    close(output)
  }

  /// Ends the program and waits until it is gone.
  func stop() {
    let isFirst = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    guard isFirst else { return }
    kill(process, SIGTERM)
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  }

  /// Reads what the program prints until a line contains `text`, and returns that line.
  ///
  /// - Throws: ``TestSupportError`` with all output when the program ends before, or says nothing for ten seconds.
  func line(containing text: String) throws(TestSupportError) -> String {
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      var interest = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let count = poll(&interest, 1, 10_000) > 0 ? read(output, &room, room.count) : 0
      guard count > 0 else {
        throw TestSupportError(call: "server start", errno: 0, detail: String(decoding: all, as: UTF8.self))
      }
      all += room[..<count]
      let lines = String(decoding: all, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      // The last piece has no line end yet.
      if let line = lines.dropLast().first(where: { $0.contains(text) }) { return String(line) }
    }
  }

  /// Waits until somebody accepts connections on this port of 127.0.0.1. For programs that do not tell when they are ready.
  ///
  /// - Throws: ``TestSupportError`` with all output when the program ends before, or is not ready after ten seconds.
  func accepts(on port: UInt16) throws(TestSupportError) {
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<2_000 {
      if Self.canConnect(to: port) { return }
      // What it prints, or its end, interrupts the pause between two attempts.
      var interest = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&interest, 1, 5) > 0 else { continue }
      let count = read(output, &room, room.count)
      guard count > 0 else { break }
      all += room[..<count]
    }
    throw TestSupportError(call: "server start", errno: 0, detail: String(decoding: all, as: UTF8.self))
  }

  private static func canConnect(to port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return FreePort.withLoopback(port) { connect(descriptor, $0, $1) == 0 }
  }

  private static func withCStrings<R>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

/// Ports for servers that want to be told theirs.
enum FreePort {
  /// Below the range from which the system takes ports of outgoing connections, so that none of these comes between the
  /// choice and the server.
  private static let candidates: ClosedRange<UInt16> = 20_000...32_000
  private static let last = Lock(UInt16.random(in: candidates))

  /// A port of 127.0.0.1 that nobody listens on; each call gives another one.
  static func next() throws(TestSupportError) -> UInt16 {
    for _ in candidates {
      let port = last.withLock { last in
        last = last == candidates.upperBound ? candidates.lowerBound : last + 1
        return last
      }
      if try isFree(port) { return port }
    }
    throw TestSupportError(call: "bind", errno: EADDRINUSE)
  }

  private static func isFree(_ port: UInt16) throws(TestSupportError) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TestSupportError(call: "socket", errno: errno) }
    defer { close(descriptor) }
    return withLoopback(port) { bind(descriptor, $0, $1) == 0 }
  }

  /// Calls `body` with the address of a port of 127.0.0.1.
  fileprivate static func withLoopback<R>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
  ) -> R {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
