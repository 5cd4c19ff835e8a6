import Glibc
import LinnetTestSupport

/// The parser of queries and forms in Python's standard library, as a second opinion.
enum PythonURLParsing {
  private static let python = "/usr/bin/python3"

  static var isInstalled: Bool { access(python, X_OK) == 0 }

  /// For each line of `encoded` its pairs.
  static func pairs(of encoded: [String]) throws -> [[[String]]] {
    let program = """
      import sys, urllib.parse
      for line in open(sys.argv[1]):
        pairs = urllib.parse.parse_qsl(line.rstrip("\\n"), keep_blank_values=True, strict_parsing=bool(line.strip()))
        print(";".join(name.encode().hex() + ":" + value.encode().hex() for name, value in pairs))
      """
    let directory = try TemporaryDirectory()
    let input = try directory.write(encoded.map { $0 + "\n" }.joined(), to: "queries")
    let output = directory.path(of: "pairs")
    try run([python, "-c", program, input], output: output)
    let text = String(decoding: TemporaryDirectory.contents(of: output) ?? [], as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
      line.split(separator: ";").map { pair in
        pair.split(separator: ":", omittingEmptySubsequences: false).map { Self.text(hex: $0) }
      }
    }
  }

  private static func text(hex: Substring) -> String {
    let digits = Array(hex.utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { index in
      UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) ?? 0
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func run(_ command: [String], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
    guard failure == 0 else { throw TestSupportError(call: "posix_spawn", errno: failure) }
    var status: Int32 = 0
    guard waitpid(process, &status, 0) == process, status == 0 else {
      throw TestSupportError(call: "python3", errno: status)
    }
  }
}
