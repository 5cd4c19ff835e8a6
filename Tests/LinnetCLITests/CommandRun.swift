import Dispatch
import Glibc
import LinnetTestSupport

/// A run of the built command as a process of its own: what users and scripts see.
struct CommandRun: Sendable {
  /// Where standard output goes.
  enum Output: Sendable {
    case captured
    case closed
    /// A pipe that nobody reads any more.
    case brokenPipe
  }

  struct Result: Sendable {
    /// The exit status, or 128 and the signal's number, as shells show it.
    var status: Int32
    var isSignalled: Bool
    var outputBytes: [UInt8]
    var error: String

    var output: String { String(decoding: outputBytes, as: UTF8.self) }
  }

  private let process: pid_t
  private let files: TemporaryDirectory

  /// The command lies in the folder of the test bundle.
  static let path: String = {
    var room = [UInt8](repeating: 0, count: 4096)
    let length = room.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { names in
        names.baseAddress.map { readlink("/proc/self/exe", $0, names.count) } ?? -1
      }
    }
    let bundle = String(decoding: room[..<max(0, length)], as: UTF8.self)
    let folder = bundle[..<(bundle.lastIndex(of: "/") ?? bundle.startIndex)]
    if access("\(folder)/linnet", X_OK) == 0 { return "\(folder)/linnet" }
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/\(root)/.build/debug/linnet"
  }()

  /// Runs `linnet` with these words and waits for its end.
  static func linnet(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:], directory: String? = nil,
    output: Output = .captured
  ) async throws -> Result {
    let words = arguments.map { Array($0.utf8) }
    return try await CommandRun(
      [Array(path.utf8)] + words, input: input, environment: environment, directory: directory, output: output
    ).result()
  }

  /// Runs `linnet` with words that need not be UTF-8.
  static func linnet(bytes arguments: [[UInt8]], directory: String? = nil) async throws -> Result {
    try await CommandRun([Array(path.utf8)] + arguments, directory: directory).result()
  }

  /// Runs a script of the shell; `$LINNET` is the command.
  static func shell(_ script: String, environment: [String: String] = [:]) async throws -> Result {
    let words = ["/bin/sh", "-c", script].map { Array($0.utf8) }
    return try await CommandRun(words, environment: environment).result()
  }

  init(
    _ words: [[UInt8]], input: String? = nil, environment: [String: String] = [:], directory: String? = nil,
    output: Output = .captured
  ) throws {
    let files = try TemporaryDirectory()
    self.files = files
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let inputPath = try input.map { try files.write($0, to: "input") } ?? "/dev/null"
    posix_spawn_file_actions_addopen(&actions, 0, inputPath, O_RDONLY, 0)
    var pipeEnd: CInt = -1
    switch output {
    case .captured: posix_spawn_file_actions_addopen(&actions, 1, files.path(of: "output"), O_WRONLY | O_CREAT, 0o600)
    case .closed: posix_spawn_file_actions_addclose(&actions, 1)
    case .brokenPipe:
      var ends: [CInt] = [-1, -1]
      pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      close(ends[0])
      pipeEnd = ends[1]
      posix_spawn_file_actions_adddup2(&actions, pipeEnd, 1)
    }
    defer { if pipeEnd >= 0 { close(pipeEnd) } }
    posix_spawn_file_actions_addopen(&actions, 2, files.path(of: "error"), O_WRONLY | O_CREAT, 0o600)

    // Another test may have just accepted a connection and not marked it yet: a command that keeps it open would keep
    // that test's client from seeing its end. Closing what is not open is no error.
    for descriptor: CInt in 3..<200 { posix_spawn_file_actions_addclose(&actions, descriptor) }

    var variables = environment
    variables["LINNET"] = Self.path
    variables["PATH"] = "/usr/bin:/bin"
    if let options = getenv("ASAN_OPTIONS") { variables["ASAN_OPTIONS"] = String(cString: options) }
    let prefix = directory.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0].map { Array($0.utf8) } } ?? []
    process = try Self.spawn(prefix + words, variables, &actions)
  }

  private static func spawn(
    _ words: [[UInt8]], _ variables: [String: String], _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGINT, SIGTERM] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // Threads of the test process have signals blocked, which a command would inherit.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    func duplicate(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
      (bytes + [0]).withUnsafeBytes { $0.baseAddress.flatMap { strdup($0.assumingMemoryBound(to: CChar.self)) } }
    }
    var argv = words.map(duplicate) + [nil]
    var envp = variables.map { duplicate(Array("\($0.key)=\($0.value)".utf8)) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process: pid_t = 0
    let program = String(decoding: words.first ?? [], as: UTF8.self)
    let failure = posix_spawn(&process, program, &actions, &attributes, &argv, &envp)
    guard failure == 0 else { throw SpawnFailure(program: program, number: failure) }
    return process
  }

  struct SpawnFailure: Error {
    let program: String
    let number: CInt
  }

  func signal(_ number: CInt) { kill(process, number) }

  /// The words of the running command as the list of processes shows them.
  var commandLine: [UInt8]? { TemporaryDirectory.contents(of: "/proc/\(process)/cmdline") }

  /// The most memory that the running command has had resident so far. `wait4` does not tell: what it reports includes the
  /// memory of the process that spawned the command.
  var peakResidentBytes: Int? {
    guard let status = TemporaryDirectory.contents(of: "/proc/\(process)/status") else { return nil }
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
  }

  /// Waits for the end.
  func result() async -> Result {
    let process = process
    let status = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        continuation.resume(returning: status)
      }
    }
    let signal = status & 0x7F
    return Result(
      status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, isSignalled: signal != 0,
      outputBytes: TemporaryDirectory.contents(of: files.path(of: "output")) ?? [],
      error: String(decoding: TemporaryDirectory.contents(of: files.path(of: "error")) ?? [], as: UTF8.self))
  }
}
