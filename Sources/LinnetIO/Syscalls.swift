internal import CLinnetPOSIX
internal import Glibc

/// What a non-blocking transfer did.
package enum IOResult: Sendable, Equatable {
  /// At least one byte moved (for an empty buffer: none).
  case bytes(Int)
  /// The peer finished sending; only from a receive.
  case eof
  /// Nothing can be moved now: wait for readiness.
  case wouldBlock
}

/// The system calls of the project: typed errors, `EINTR` retried, one fault hook for tests.
///
/// Any thread may call them. None of them blocks on a socket; those of ``FileIO`` may
/// block on a disk and belong on ``BlockingPool``.
package enum Syscalls {
  /// Runs a wrapper that gives a result or a negated error number, again while it is interrupted.
  @inline(__always)
  static func call(
    _ name: StaticString, fd: CInt = -1, _ body: () -> Int
  ) throws(SystemError) -> Int {
    while true {
      #if DEBUG
        if case .fail(let number) = SyscallFaults.fault(name, fd) {
          if number == EINTR { continue }
          throw SystemError(number: number, call: name)
        }
      #endif
      let result = body()
      if result >= 0 { return result }
      if result != -Int(EINTR) { throw SystemError(number: CInt(truncatingIfNeeded: -result), call: name) }
    }
  }

  /// The same for transfers, which may be shortened by a fault and may report that they would block.
  @inline(__always)
  static func transfer(
    _ name: StaticString, fd: CInt, count: Int, _ body: (Int) -> Int
  ) throws(SystemError) -> Int? {
    while true {
      var allowed = count
      #if DEBUG
        switch SyscallFaults.fault(name, fd) {
        case .fail(EINTR): continue
        case .fail(EAGAIN): return nil
        case .fail(let number): throw SystemError(number: number, call: name)
        case .limit(let limit): allowed = min(max(limit, 1), count)
        case nil: break
        }
      #else
        allowed = count
      #endif
      let result = body(allowed)
      if result >= 0 { return result }
      if result == -Int(EAGAIN) { return nil }
      if result != -Int(EINTR) { throw SystemError(number: CInt(truncatingIfNeeded: -result), call: name) }
    }
  }

  /// Receives into `buffer` without blocking. An empty buffer gives `.bytes(0)` without a call, never `.eof`.
  package static func recv(_ fd: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> IOResult {
    guard unsafe !buffer.isEmpty else { return .bytes(0) }
    // SAFETY: the kernel writes at most `allowed <= buffer.count` bytes, during the call.
    guard
      let received = try transfer(
        "recv", fd: fd, count: buffer.count, { allowed in unsafe linnet_recv(fd, buffer.baseAddress, allowed) })
    else { return .wouldBlock }
    return received == 0 ? .eof : .bytes(received)
  }

  /// Sends without blocking and without `SIGPIPE`; may send only a part.
  ///
  /// - Parameter more: More bytes follow at once, so the kernel may hold back a partial segment (`MSG_MORE`).
  package static func send(
    _ fd: CInt, _ bytes: UnsafeRawBufferPointer, more: Bool = false
  ) throws(SystemError) -> IOResult {
    guard unsafe !bytes.isEmpty else { return .bytes(0) }
    // SAFETY: the kernel reads at most `allowed <= bytes.count` bytes, during the call.
    guard
      let sent = try transfer(
        "send", fd: fd, count: bytes.count,
        { allowed in unsafe linnet_send(fd, bytes.baseAddress, allowed, more ? 1 : 0) })
    else { return .wouldBlock }
    return .bytes(sent)
  }

  /// Tells the peer that nothing more is sent.
  package static func shutdownWrite(_ fd: CInt) throws(SystemError) {
    _ = try call("shutdown", fd: fd) { linnet_shutdown_write(fd) }
  }

  static func setOption(
    _ fd: CInt, level: CInt, _ option: CInt, _ value: CInt
  ) throws(SystemError) {
    _ = try call("setsockopt", fd: fd) { linnet_set_option(fd, level, option, value) }
  }

  static func option(_ fd: CInt, level: CInt, _ option: CInt) throws(SystemError) -> CInt {
    var value: CInt = 0
    // SAFETY: the kernel writes one `int` during the call.
    _ = try call("getsockopt", fd: fd) { unsafe linnet_get_option(fd, level, option, &value) }
    return value
  }
}
