internal import Glibc

/// Text for people, on standard error. Failing to write there never fails the command.
enum Console {
  /// Sends everything for people to a file (`--stderr`); `-` is standard output.
  static func redirect(to path: Argument) throws(CommandError) {
    let descriptor = path.isDash ? 1 : try OutputFile(path).open(O_CREAT | O_TRUNC | O_APPEND, mode: 0o666)
    defer { if descriptor > 2 { close(descriptor) } }
    guard dup2(descriptor, 2) >= 0 else {
      throw CommandError(.writeError, "cannot write '\(path.text)': \(systemText(errno))")
    }
  }

  static func error(_ message: String) { line("linnet: \(message)") }

  /// An error of the command itself; as JSON with its exit status.
  static func error(_ error: CommandError, asJSON: Bool) {
    guard asJSON else {
      self.error(error.message)
      return
    }
    write("{\"exitcode\":\(error.exitCode.rawValue),\"errormsg\":\(WriteOut.quoted(error.message))}\n")
  }

  static func warning(_ message: String, asJSON: Bool) {
    if asJSON { write("{\"warning\":\(WriteOut.quoted(message))}\n") } else { line("linnet: warning: \(message)") }
  }

  static func line(_ text: String) { write(singleLine(text) + "\n") }

  static func write(_ text: String) { write(Array(text.utf8)) }

  static func write(_ bytes: [UInt8]) { _ = Descriptor.writeAll(2, bytes) }

  /// The text without control characters: neither an argument nor a server may start a new line or move the cursor.
  static func singleLine(_ text: String) -> String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { line.append(isControl(scalar) ? " " : scalar) }
    return String(line)
  }
}

/// Plain calls on file descriptors, repeated when a signal interrupts them.
enum Descriptor {
  /// Writes all bytes. Returns 0, or the error number.
  static func writeAll(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> CInt {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count == 0 {
        return EIO
      } else if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      } else if errno == EAGAIN {
        // Whoever shares the descriptor may have made it non-blocking.
        var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&interest, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  static func writeAll(_ descriptor: CInt, _ bytes: [UInt8]) -> CInt {
    bytes.withUnsafeBytes { writeAll(descriptor, $0) }
  }

  /// Reads once, at most `limit` bytes; empty at the end. Throws the error number.
  static func read(_ descriptor: CInt, upTo limit: Int) throws(SystemFailure) -> [UInt8] {
    var failure: CInt = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { room, count in
      while true {
        let result = Glibc.read(descriptor, room.baseAddress, room.count)
        if result >= 0 {
          count = result
          return
        }
        if errno == EAGAIN {
          var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          _ = poll(&interest, 1, -1)
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    guard failure == 0 else { throw SystemFailure(number: failure) }
    return bytes
  }
}

/// A failed system call.
struct SystemFailure: Error {
  let number: CInt

  var text: String { systemText(number) }
}
