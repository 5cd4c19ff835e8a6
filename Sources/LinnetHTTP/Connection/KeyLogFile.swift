internal import LinnetBytes
internal import LinnetIO

/// Appends session secrets to a file in the NSS key log format. The file is made with mode 0600.
///
/// Failing to write never fails a request: it is a debugging aid.
final class KeyLogFile: Sendable {
  private let path: String
  /// Keeps lines of concurrent handshakes whole.
  private let lock = Lock(())

  init(path: String) { self.path = path }

  func append(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    let text = lines.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
    lock.withLock { _ in
      try? FileIO.append(path, Array(text.utf8))
    }
  }
}
