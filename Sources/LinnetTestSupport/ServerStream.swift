internal import Glibc
internal import LinnetBytes
internal import LinnetTLS

/// The bytes of one accepted connection: blocking reads and writes, and waits that notice when the client goes away.
///
/// Used by the thread of its connection only.
final class ServerStream {
  private let socket: BlockingSocket
  private let tls: ServerTLSLayer?
  private var scratch: [UInt8] = []
  private(set) var receivedBytes: UInt64 = 0
  private(set) var sentBytes: UInt64 = 0
  /// What the TLS handshake agreed on.
  private(set) var recordedTLS: RecordedTLS?
  /// Called with every run of bytes from the client, after decryption.
  var onReceive: ((UnsafeRawBufferPointer) -> Void)?

  /// For waits; the bytes go through this class.
  var descriptor: CInt { socket.descriptor }

  /// `POLLRDHUP` of Linux, which the Glibc module does not export.
  static let peerClosedEvent: Int16 = 0x2000

  /// - Parameter context: For TLS; nil for clear text.
  init(descriptor: CInt, tls context: TLSContext?) throws(ConnectionEnd) {
    socket = BlockingSocket(descriptor)
    if let context {
      tls = try ServerTLSLayer(context: context, socket: socket)
    } else {
      tls = nil
    }
  }

  /// Whether the client announced the end of its data with `close_notify`.
  var receivedCloseNotify: Bool { tls?.receivedCloseNotify ?? false }

  /// Runs the TLS handshake; nothing without TLS.
  func handshake() throws(ConnectionEnd) { recordedTLS = try tls?.handshake() }

  /// Waits for bytes.
  ///
  /// - Returns: How many came; 0 when the client closed its side.
  func receive(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int {
    let count = if let tls { try tls.receive(into: room) } else { try socket.receive(into: room) }
    received(UnsafeRawBufferPointer(rebasing: room[..<count]))
    return count
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    receivedBytes &+= UInt64(bytes.count)
    onReceive?(bytes)
  }

  /// - Returns: What ``receive(into:)`` returns; nil when it would block.
  func receiveIfAvailable(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int? {
    let count: Int?
    if let tls {
      count = try tls.receiveIfAvailable(into: room)
    } else {
      count = socket.isReadable ? try socket.receive(into: room) : nil
    }
    if let count { received(UnsafeRawBufferPointer(rebasing: room[..<count])) }
    return count
  }

  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionEnd) {
    if let tls { try tls.send(bytes) } else { try socket.send(bytes) }
    sentBytes &+= UInt64(bytes.count)
  }

  func send(_ bytes: some Collection<UInt8>) throws(ConnectionEnd) {
    let contiguous = Array(bytes)
    var failure: ConnectionEnd?
    contiguous.withUnsafeBytes { buffer in
      do throws(ConnectionEnd) { try send(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  // MARK: Without waiting

  /// Takes what is there now.
  ///
  /// - Returns: False when the client closed its side.
  func receiveAvailable(_ take: (UnsafeRawBufferPointer) -> Void) throws(ConnectionEnd) -> Bool {
    if let tls {
      return try tls.receiveAvailable { bytes in
        received(bytes)
        take(bytes)
      }
    }
    if scratch.isEmpty { scratch = [UInt8](repeating: 0, count: 64 << 10) }
    var outcome: Result<Int?, ConnectionEnd> = .success(nil)
    scratch.withUnsafeMutableBytes { room in
      do throws(ConnectionEnd) { outcome = .success(try socket.receiveAvailable(into: room)) } catch {
        outcome = .failure(error)
      }
    }
    guard let count = try outcome.get() else { return true }
    scratch.withUnsafeBytes { whole in
      let bytes = UnsafeRawBufferPointer(rebasing: whole[..<count])
      received(bytes)
      take(bytes)
    }
    return count > 0
  }

  /// Sends what the socket takes now from the front of `output`.
  func sendAvailable(_ output: inout WriteBuffer) throws(ConnectionEnd) {
    if let tls {
      sentBytes &+= UInt64(try tls.sendAvailable(&output))
    } else {
      let before = output.count
      try socket.sendAvailable(&output)
      sentBytes &+= UInt64(before - output.count)
    }
  }

  /// Whether bytes that were taken from an output buffer still wait for the socket.
  var hasUnsentOutput: Bool { tls?.hasUnsentOutput ?? false }

  /// Waits for the client, for room to send if that is wanted, for a byte from `wake`, or for the time to be over.
  func waitForAny(wake: CInt, wantsToSend: Bool, milliseconds: CInt) throws(ConnectionEnd) {
    var interests = [
      pollfd(fd: socket.descriptor, events: Int16(wantsToSend ? POLLIN | POLLOUT : POLLIN), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&interests, 2, milliseconds) >= 0 || errno == EINTR else { throw ConnectionEnd(.failed(errno)) }
    guard interests[1].revents != 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = read(wake, &bytes, bytes.count)
  }

  // MARK: Closing

  /// Tells the client that nothing more comes, and goes on receiving.
  func finishSending() throws(ConnectionEnd) {
    try sendCloseNotify()
    socket.finishSending()
  }

  /// Tells the client that the data is complete; nothing without TLS.
  func sendCloseNotify() throws(ConnectionEnd) { try tls?.sendCloseNotify() }

  /// Reads and drops everything until the client closes.
  func discardUntilClosed() throws(ConnectionEnd) {
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      var outcome: Result<Int, ConnectionEnd> = .success(0)
      room.withUnsafeMutableBytes { buffer in
        do throws(ConnectionEnd) { outcome = .success(try receive(into: buffer)) } catch { outcome = .failure(error) }
      }
      if try outcome.get() == 0 { return }
    }
  }

  /// Forwards to another server until the client closes. Bytes of a TLS connection cannot be forwarded.
  func relay(toPort port: UInt16, first: [UInt8], frozenBy gate: Gate) throws(ConnectionEnd) {
    guard tls == nil else { throw ConnectionEnd(.failed(EPROTONOSUPPORT)) }
    try Relay(client: socket, port: port).run(first: first, frozenBy: gate)
    throw ConnectionEnd(.peerClosed)
  }

  // MARK: Waiting

  /// Waits until the gate is open.
  func wait(for gate: Gate) throws(ConnectionEnd) {
    guard !gate.isOpen else { return }
    let wake: (read: CInt, write: CInt)
    do throws(TestSupportError) { wake = try Pipe.open() } catch { throw ConnectionEnd(.failed(error.errno)) }
    // Removed first: after that the gate no longer writes to the number.
    defer {
      gate.removeWakeDescriptor(wake.write)
      close(wake.write)
      close(wake.read)
    }
    guard gate.addWakeDescriptor(wake.write) else { return }
    try waitForWake(wake.read, milliseconds: -1)
  }

  /// Waits until there is something to read or one of the gates is open, whichever is first. Bytes that TLS holds already
  /// do not count, so everything available must have been read before.
  ///
  /// - Returns: Whether a gate is open.
  func waitForInput(orOneOf gates: [Gate]) throws(ConnectionEnd) -> Bool {
    guard !gates.contains(where: \.isOpen) else { return true }
    let wake: (read: CInt, write: CInt)
    do throws(TestSupportError) { wake = try Pipe.open() } catch { throw ConnectionEnd(.failed(error.errno)) }
    // Removed first: after that the gates no longer write to the number.
    defer {
      for gate in gates { gate.removeWakeDescriptor(wake.write) }
      close(wake.write)
      close(wake.read)
    }
    for gate in gates where !gate.addWakeDescriptor(wake.write) { return true }
    var interests = [
      pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&interests, 2, -1) < 0 {
      guard errno == EINTR else { throw ConnectionEnd(.failed(errno)) }
    }
    return interests[1].revents != 0
  }

  /// Lets time pass.
  func pause(_ duration: Duration) throws(ConnectionEnd) {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    try waitForWake(-1, milliseconds: CInt(clamping: max(0, milliseconds)))
  }

  /// Waits until the client closes, without reading.
  func stall() throws(ConnectionEnd) {
    try waitForWake(-1, milliseconds: -1)
  }

  /// Returns when `wake` is readable or the time is over, and throws when the client closed.
  private func waitForWake(_ wake: CInt, milliseconds: CInt) throws(ConnectionEnd) {
    var interests = [
      pollfd(fd: socket.descriptor, events: Self.peerClosedEvent, revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&interests, 2, milliseconds)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw ConnectionEnd(.failed(errno)) }
      if interests[0].revents != 0 {
        // All that the client sent before its FIN is here; reading it tells FIN from RST and finds a close_notify.
        try discardUntilClosed()
        throw ConnectionEnd(.peerClosed)
      }
      return
    }
  }
}
