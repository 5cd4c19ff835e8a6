import FoundationEssentials
import Glibc

/// Writes replies to standard output, whole lines one after the other.
actor ReplyWriter {
  private let encoder = JSONEncoder()

  func write(_ reply: AdapterReply) {
    guard var line = try? encoder.encode(reply) else { return }
    line.append(UInt8(ascii: "\n"))
    line.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
        let count = Glibc.write(STDOUT_FILENO, start, rest.count)
        if count < 0 {
          if errno == EINTR { continue }
          return
        }
        rest = rest.dropFirst(count)
      }
    }
  }
}
