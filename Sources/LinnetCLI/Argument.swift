internal import Glibc

/// One word of the command line, byte for byte: Linux does not promise that it is UTF-8.
package struct Argument: Sendable, Hashable {
  package let bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package init(_ text: String) { bytes = Array(text.utf8) }

  /// The word as text; bytes that are not UTF-8 become U+FFFD.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The word as text, or nil when it is not UTF-8.
  package var exactText: String? { String(validating: bytes, as: UTF8.self) }

  /// The words that the process was started with, without its own name. `CommandLine.arguments` would repair what is not
  /// UTF-8, and a repaired file name is another file.
  static var ofProcess: [Argument] {
    let count = Int(CommandLine.argc)
    let words = CommandLine.unsafeArgv
    guard count > 1 else { return [] }
    return (1..<count).compactMap { index in
      words[index].map { word in
        Argument(UnsafeRawBufferPointer(start: word, count: strlen(word)))
      }
    }
  }

  /// Puts asterisks over the secrets of the process's own words, so that the list of processes does not show them; until
  /// then it does. As far as they were copied before, nothing else changes.
  static func hideSecrets(of options: CommandLineOptions) {
    let values =
      options.given.compactMap { given in given.value.map { ($0, given.name) } } + options.urls.map { ($0, "url") }
    let words = CommandLine.unsafeArgv
    for (value, option) in values {
      let secrets = SecretArguments.ranges(in: value, of: option)
      guard !secrets.isEmpty else { continue }
      for index in 0..<Int(CommandLine.argc) where index > 0 {
        // The value is a word of its own, or ends one: `-uNAME:PASSWORD`, `--user=NAME:PASSWORD`.
        guard let word = words[index] else { continue }
        let start = strlen(word) - value.bytes.count
        guard start >= 0, memcmp(word + start, value.bytes, value.bytes.count) == 0 else { continue }
        for secret in secrets { memset(word + start + secret.lowerBound, CInt(UInt8(ascii: "*")), secret.count) }
      }
    }
  }

  /// Calls `body` with the word as a C string: how a path reaches the system unchanged.
  func withCString<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    var terminated = bytes.map { CChar(bitPattern: $0) }
    terminated.append(0)
    return terminated.withUnsafeBufferPointer { buffer in
      // The buffer is never empty: it has at least the terminator.
      buffer.baseAddress.map(body) ?? body("")
    }
  }
}
