import Glibc
import LinnetBytes
import LinnetIO

/// A clock that moves only when told to, and pokes the shards that use it.
final class ManualClock: MonotonicClock {
  private let time = Lock(Instant(nanoseconds: 1_000_000_000))

  var now: Instant { time.withLock { $0 } }

  func advance(by duration: Duration, _ shard: IOShard) {
    time.withLock { $0 = $0.advanced(by: duration) }
    shard.clockAdvanced()
  }
}

/// Keeps what it is told, and lets a test wait for the next piece.
final class Mailbox<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var waiter: CheckedContinuation<Value, Never>?
  }

  private let state = Lock(State())

  func post(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
      guard let waiter = state.waiter.take() else {
        state.values.append(value)
        return nil
      }
      return waiter
    }
    waiter?.resume(returning: value)
  }

  func next() async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.withLock { state -> Value? in
        guard !state.values.isEmpty else {
          state.waiter = continuation
          return nil
        }
        return state.values.removeFirst()
      }
      if let value { continuation.resume(returning: value) }
    }
  }

  var pending: [Value] { state.withLock { $0.values } }
}

final class ReadinessRecorder: ReadinessReceiver {
  let mailbox = Mailbox<Readiness>()
  private let action: (@Sendable (Readiness) -> Void)?

  init(_ action: (@Sendable (Readiness) -> Void)? = nil) { self.action = action }

  func ready(_ readiness: Readiness) {
    action?(readiness)
    mailbox.post(readiness)
  }

  /// Waits until everything in `wanted` was told; edges may come one by one.
  func wait(for wanted: Readiness) async {
    var seen: Readiness = []
    while !seen.isSuperset(of: wanted) { seen.formUnion(await mailbox.next()) }
  }
}

final class TimerRecorder: TimerReceiver {
  let mailbox = Mailbox<(name: Int, timer: ShardTimer, now: Instant)>()
  private let name: Int
  private let shared: Mailbox<Int>?

  init(_ name: Int = 0, shared: Mailbox<Int>? = nil) {
    self.name = name
    self.shared = shared
  }

  func timerFired(_ timer: ShardTimer, now: Instant) {
    mailbox.post((name, timer, now))
    shared?.post(name)
  }
}

/// Closes a raw descriptor of a test.
func closeRaw(_ fd: CInt) { OwnedDescriptor(owning: fd).close() }

func send(_ fd: CInt, _ bytes: [UInt8]) throws -> IOResult {
  try bytes.withUnsafeBytes { buffer throws in try Syscalls.send(fd, buffer) }
}

/// What one receive gives, at most `limit` bytes; nil when it would block, empty at the end.
func receive(_ fd: CInt, limit: Int = 4096) throws -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: limit)
  switch try bytes.withUnsafeMutableBytes({ buffer throws in try Syscalls.recv(fd, into: buffer) }) {
  case .bytes(let count): return Array(bytes.prefix(count))
  case .eof: return []
  case .wouldBlock: return nil
  }
}

/// How many sockets of this machine are connected or connecting to a loopback port and still owned by a process.
///
/// The port belongs to one test, so other tests in the same process do not disturb the count.
func ownedSockets(toPort port: UInt16) throws -> Int {
  var count = 0
  for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
    guard let bytes = try? FileIO.readAll(table, limit: 1 << 24) else { continue }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ")
      guard fields.count > 9, let remote = fields[2].split(separator: ":").last else { continue }
      if UInt16(remote, radix: 16) == port, fields[9] != "0" { count += 1 }
    }
  }
  return count
}

/// A listening socket that answers no more connections: its backlog is full, so an attempt hangs.
final class FullListener {
  let address: SocketAddress
  let fillerCount = 8
  private var descriptors: [CInt] = []

  init() throws {
    let listener = try Socket.listen(on: .loopbackIPv4(port: 0), backlog: 0)
    let bound = try Socket.localAddress(listener.raw)
    address = bound ?? .loopbackIPv4(port: 0)
    descriptors.append(listener.release())
    for _ in 0..<fillerCount {
      let socket = try Socket.make(for: address)
      _ = try Socket.connect(socket.raw, to: address)
      descriptors.append(socket.release())
    }
  }

  deinit { for descriptor in descriptors { closeRaw(descriptor) } }
}

/// A port that refuses: it was bound a moment ago and nobody listens.
func refusingAddress(_ family: SocketAddress.Family = .ipv4) throws -> SocketAddress {
  let socket = try Socket.make(for: family == .ipv6 ? .loopbackIPv6(port: 0) : .loopbackIPv4(port: 0))
  try Socket.bind(socket.raw, to: family == .ipv6 ? .loopbackIPv6(port: 0) : .loopbackIPv4(port: 0))
  guard let address = try Socket.localAddress(socket.raw) else { throw SystemError(number: EINVAL, call: "test") }
  return address
}

func temporaryPath(_ name: String) -> String {
  "/tmp/linnet-io-\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))-\(name)"
}
