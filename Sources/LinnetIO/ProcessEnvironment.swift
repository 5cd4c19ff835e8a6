internal import Glibc

/// The process's environment variables, as a value.
package enum ProcessEnvironment {
  /// All variables at the time of the call; of repeated names the first counts, as for `getenv`.
  package static var variables: [String: String] {
    var found: [String: String] = [:]
    var index = 0
    // SAFETY: the C library ends the list with a null pointer and each entry with a zero byte. A program that changes
    // its environment on another thread at the same time breaks every reader of it, `getenv` included.
    while let entry = unsafe environ[index] {
      index += 1
      let text = unsafe String(cString: entry)
      guard let separator = text.firstIndex(of: "=") else { continue }
      let name = String(text[..<separator])
      if found[name] == nil { found[name] = String(text[text.index(after: separator)...]) }
    }
    return found
  }
}
