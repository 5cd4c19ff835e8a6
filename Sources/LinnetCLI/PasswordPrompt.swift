internal import Glibc

/// Asks for a password on the terminal, so that it stands neither in the history of a shell nor in the list of processes.
enum PasswordPrompt {
  /// - Throws: A usage error when there is no terminal to ask at.
  static func ask(for user: String, option: String) throws(CommandError) -> String {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else {
      throw .usage("option \(option): there is no password for '\(user)', and no terminal to ask for one")
    }
    defer { close(terminal) }
    var settings = termios()
    let isTerminal = tcgetattr(terminal, &settings) == 0
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    // A person who ends the command at the prompt must not be left with a terminal that shows nothing: SIGINT waits.
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGTSTP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    if isTerminal { tcsetattr(terminal, TCSAFLUSH, &silent) }
    defer {
      if isTerminal { tcsetattr(terminal, TCSAFLUSH, &settings) }
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    _ = Descriptor.writeAll(terminal, Array("\(Console.singleLine("Password for '\(user)': "))".utf8))
    var line: [UInt8] = []
    while let byte = try? Descriptor.read(terminal, upTo: 1).first, byte != 0x0A { line.append(byte) }
    _ = Descriptor.writeAll(terminal, [0x0A])
    guard let password = String(validating: line, as: UTF8.self) else {
      throw .usage("the password for '\(user)' is not UTF-8")
    }
    return password
  }
}
