internal import Glibc

/// Why the command ends: its exit status, and one line for the user that names the culprit.
package struct CommandError: Error, Sendable, Equatable {
  package let exitCode: ExitCode
  package let message: String
  /// The message begins with the file and line at fault.
  let isPlaced: Bool

  package init(_ exitCode: ExitCode, _ message: String) { self.init(exitCode, message, isPlaced: false) }

  init(_ exitCode: ExitCode, _ message: String, isPlaced: Bool) {
    self.exitCode = exitCode
    self.message = message
    self.isPlaced = isPlaced
  }

  static func usage(_ message: String) -> CommandError { CommandError(.usage, message) }

  /// The reader of standard output is gone. Nothing is said about it, as with every tool that SIGPIPE ends.
  static let brokenPipe = CommandError(.brokenPipe, "")
}

/// An error number in words, such as `No such file or directory`.
func systemText(_ number: CInt) -> String {
  strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
