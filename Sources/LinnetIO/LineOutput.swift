internal import CLinnetPOSIX

/// Lines for people on a descriptor that other code of the process writes to as well.
package enum LineOutput {
  /// The longest line in bytes, its end included: `PIPE_BUF`, up to which a pipe takes a write as a whole (POSIX
  /// write(2)); a file opened for appending takes any as a whole.
  package static var maximumLineBytes: Int { 4096 }

  /// Writes `text` and a line end with one call, so that lines of several threads and processes are not mixed. A longer
  /// line is cut. Whatever goes wrong is ignored, a missing reader and a full non-blocking pipe included: output for
  /// people must not fail the program. May block where the descriptor does.
  package static func write(_ text: String, to fd: CInt) {
    var line = Array(text.utf8)
    if line.count >= maximumLineBytes {
      line.removeSubrange((maximumLineBytes - 4)...)
      // Not in the middle of a character.
      while let last = line.last, last & 0xC0 == 0x80 { line.removeLast() }
      if let last = line.last, last >= 0xC0 { line.removeLast() }
      line += [UInt8](repeating: UInt8(ascii: "."), count: 3)
    }
    line.append(UInt8(ascii: "\n"))
    // SAFETY: the pointer is used only during the call.
    unsafe line.withUnsafeBytes { bytes in
      _ = try? Syscalls.transfer("write", fd: fd, count: bytes.count) { count in
        unsafe linnet_write_without_signal(fd, bytes.baseAddress, count)
      }
    }
  }
}
