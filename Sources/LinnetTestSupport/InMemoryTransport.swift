internal import Glibc
package import LinnetIO

/// A pair of connected sockets: one end for the code under test, the other driven by the test byte for byte.
///
/// No port, no address, no other process. In debug builds the reads and writes of the engine's end move only as many
/// bytes as the test chose, so that every cut of a message can be tried.
package final class InMemoryTransport: Sendable {
  private struct State: Sendable {
    var bytes: [UInt8] = []
    var taken = 0
    var isFinished = false
  }

  private let received = Observed(State())
  private let peer: CInt
  private let engine: CInt
  private let thread: PosixThread

  /// - Parameters:
  ///   - readSizes: How many bytes each read of the engine gets at most, in turn; empty for no limit.
  ///   - writeSizes: How many bytes each write of the engine moves at most, in turn; empty for no limit.
  /// - Throws: ``TestSupportError`` when the system refuses.
  package init(readSizes: [Int] = [], writeSizes: [Int] = []) throws(TestSupportError) {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .last("socketpair")
    }
    (engine, peer) = (ends[0], ends[1])
    _ = fcntl(engine, F_SETFL, O_NONBLOCK)
    #if DEBUG
      SyscallFaultPlan().limiting("recv", to: readSizes).limiting("send", to: writeSizes).apply(to: engine)
    #endif
    let (peer, received) = (peer, received)
    do throws(TestSupportError) {
      thread = try PosixThread.start(stackBytes: 128 << 10) { Self.collect(from: peer, into: received) }
    } catch {
      close(ends[0])
      close(ends[1])
      throw error
    }
  }

  deinit {
    #if DEBUG
      SyscallFaults.set(nil, for: engine)
    #endif
    shutdown(peer, CInt(SHUT_RDWR))
    thread.join()
    close(peer)
  }

  /// The end for the code under test, which owns it from then on. To be called once.
  package func takeEngineSide() -> OwnedDescriptor { OwnedDescriptor(owning: engine) }

  /// Sends to the engine; waits while its buffer is full.
  ///
  /// - Throws: ``TestSupportError`` when the engine closed its end.
  package func send(_ bytes: some Collection<UInt8>) throws(TestSupportError) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(peer, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      if count < 0 && errno != EINTR { throw .last("send") }
      rest = rest.dropFirst(max(0, count))
    }
  }

  /// Sends a text to the engine.
  package func send(_ text: String) throws(TestSupportError) { try send(text.utf8) }

  /// Ends the stream to the engine, which reads an end of file after what was sent.
  package func finish() { shutdown(peer, CInt(SHUT_WR)) }

  /// Whether the engine ended its side.
  package var isFinished: Bool { received.read { $0.isFinished } }

  /// Waits until the engine has sent `count` more bytes and takes them.
  ///
  /// - Returns: Fewer bytes when the engine ended its side before.
  package func receive(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [UInt8] {
    _ = try await received.wait(
      for: "\(count) bytes from the engine", within: limit, describe: { "\($0.bytes.count - $0.taken) bytes" }
    ) { $0.isFinished || $0.bytes.count - $0.taken >= count }
    return received.mutate { state in
      let bytes = Array(state.bytes.dropFirst(state.taken).prefix(count))
      state.taken += bytes.count
      return bytes
    }
  }

  /// Waits until the engine has ended its side and takes all bytes that are left.
  package func receiveToEnd(within limit: Duration = .seconds(30)) async throws -> [UInt8] {
    _ = try await received.wait(
      for: "the engine to end its side", within: limit, describe: { "\($0.bytes.count - $0.taken) bytes" },
      until: \.isFinished)
    return try await receive(.max, within: limit)
  }

  private static func collect(from descriptor: CInt, into received: Observed<State>) {
    var room = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &room, room.count, 0)
      if count < 0 && errno == EINTR { continue }
      received.mutate { state in
        if count > 0 { state.bytes.append(contentsOf: room[..<count]) } else { state.isFinished = true }
      }
      if count <= 0 { return }
    }
  }
}
