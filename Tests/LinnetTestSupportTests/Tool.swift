import Glibc

/// Runs programs that know nothing of this project, as second opinions.
enum Tool {
  struct Output: Sendable {
    var status: Int32
    var text: String
  }

  static func exists(_ name: String) -> Bool { access("/usr/bin/\(name)", X_OK) == 0 }

  /// Runs a Python program with arguments and returns what it printed.
  static func python(_ program: String, _ arguments: String...) -> Output {
    run(["/usr/bin/python3", "-c", program] + arguments)
  }

  /// Runs a program of /usr/bin and returns what it printed.
  static func run(_ name: String, _ arguments: String...) -> Output { run(["/usr/bin/\(name)"] + arguments) }

  static func run(_ command: [String]) -> Output {
    var ends: [CInt] = [-1, -1]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard failure == 0 else { return Output(status: failure, text: "cannot be started") }
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &room, room.count)
      if count <= 0 { break }
      all += room[..<count]
    }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return Output(status: status, text: String(decoding: all, as: UTF8.self))
  }
}
