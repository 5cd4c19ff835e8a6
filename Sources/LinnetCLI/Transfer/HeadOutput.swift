internal import Glibc
internal import LinnetHTTP

/// A file that is written to besides the body, open for the whole run: heads of `-D`, traces of `--trace`.
final class SideFile: Sendable {
  private let descriptor: CInt
  private let name: String

  /// Makes or empties the file; `-` stands for standard output and `%` for standard error.
  ///
  /// - Parameter mode: The permissions of a new file.
  init(_ path: Argument, mode: mode_t) throws(CommandError) {
    name = path.text
    switch path.bytes {
    case [UInt8(ascii: "-")]: descriptor = 1
    case [UInt8(ascii: "%")]: descriptor = 2
    default: descriptor = try OutputFile(path).open(O_CREAT | O_TRUNC | O_APPEND, mode: mode)
    }
  }

  /// Looks whether the file can be written; nothing is made or emptied.
  static func check(_ path: Argument) throws(CommandError) {
    guard !path.isDash, path.bytes != [UInt8(ascii: "%")] else { return }
    try OutputFile(path).checkOpens()
  }

  deinit { if descriptor > 2 { close(descriptor) } }

  func write(_ bytes: [UInt8]) throws(CommandError) {
    let number = Descriptor.writeAll(descriptor, bytes)
    guard number != 0 else { return }
    if descriptor == 1 && number == EPIPE { throw Signals.brokenPipe(writing: "standard output") }
    throw CommandError(.writeError, "cannot write '\(name)': \(systemText(number))")
  }
}

/// Where the heads of all responses go (`-D`).
struct HeadOutput: Sendable {
  private let file: SideFile

  init(_ path: Argument) throws(CommandError) { file = try SideFile(path, mode: 0o666) }

  func write(_ head: ResponseHead) throws(CommandError) { try file.write(Array(Self.text(head).utf8)) }

  /// The head as `-i`, `-I` and `-D` write it.
  static func text(_ head: ResponseHead) -> String {
    let fields = head.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    return "\(head.version) \(head.status.code) \(head.reason)\r\n\(fields)\r\n"
  }
}
