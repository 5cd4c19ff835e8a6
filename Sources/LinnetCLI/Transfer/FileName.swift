package import LinnetHTTP

/// Names of files that come from somewhere else than the command line.
package enum FileName {
  /// The longest name that Linux's file systems take.
  private static let maximumBytes = 255

  /// The last segment of the URL's path as `-O` uses it; nil when it is empty.
  package static func last(of url: HTTPURL) -> Argument? {
    let segments = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let name = segments.last, !name.isEmpty else { return nil }
    return Argument(name)
  }

  /// A name that a server chose, as one component of a path that is harmless in any directory: without what precedes the
  /// last slash or backslash, without control characters, not hidden (a server must not make a `.profile`), not longer
  /// than a name can be. Nil when nothing is left.
  package static func sanitised(_ name: some Sequence<UInt8>) -> Argument? {
    let bytes = Array(name)
    let separators: Set = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
    let component = bytes.lastIndex(where: separators.contains).map { bytes[($0 + 1)...] } ?? bytes[...]
    var safe = component.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "_") : $0 }
    while let last = safe.last, last == UInt8(ascii: " ") { safe.removeLast() }
    guard safe.contains(where: { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: " ") }) else { return nil }
    if safe.first == UInt8(ascii: ".") { safe[0] = UInt8(ascii: "_") }
    return Argument(safe.prefix(maximumBytes))
  }

  /// The name with a number that `--no-clobber` takes when the name itself is in use.
  package static func numbered(_ name: Argument, _ number: Int) -> Argument {
    Argument(name.bytes + Array(".\(number)".utf8))
  }

  /// The file in the directory of `--output-dir`.
  package static func inside(_ directory: Argument?, _ name: Argument) -> Argument {
    guard let directory, !directory.bytes.isEmpty else { return name }
    return Argument(directory.bytes + [UInt8(ascii: "/")] + name.bytes)
  }
}
