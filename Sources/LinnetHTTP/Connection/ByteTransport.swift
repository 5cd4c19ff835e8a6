internal import LinnetBytes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// A connected socket without TLS, with TLS, or with TLS inside TLS (to an origin through an `https` proxy): bytes in, bytes
/// out, never blocking.
///
/// It is a plain value inside a connection's core; the core's lock is its only guard. Edge-triggered: `isReadable` and
/// `isWritable` stay set until a call would have blocked.
struct ByteTransport: ~Copyable {
  let descriptor: OwnedDescriptor
  /// The TLS whose plaintext is the connection's.
  var tls: TLSEngine?
  /// The TLS of an `https` proxy, which carries the ciphertext of ``tls``.
  var proxyTLS: TLSEngine?
  /// Ciphertext that waits for the socket.
  var wire = WriteBuffer()
  /// Ciphertext of the inner TLS that waits for the outer one.
  var innerWire = WriteBuffer()
  /// Bytes that came along with a proxy's answer and belong to the connection; nobody has read them yet.
  private var early: [UInt8] = []
  /// The engines may hold bytes that no read has brought to the machine, so the next one looks there although the socket
  /// may have nothing.
  var mayHoldUnread = false
  var isReadable = false
  var isWritable = true
  /// The peer has half-closed or reset: a short read does not mean that the socket is drained.
  var isPeerClosed = false
  /// What the system said when it told of the connection's loss. It says so once, to whichever call comes first; later
  /// receives look like the end of the stream.
  private var loss: SystemError?
  /// Bytes given to the network so far.
  var writtenBytes: UInt64 = 0
  private var writeMark: UInt64 = 0
  /// Bytes that came from the network so far.
  private(set) var receivedBytes: UInt64 = 0

  /// Any plaintext came: the server has accepted our side of the handshake too.
  var hasDecrypted = false

  /// How much ciphertext is read at a time: one record's worth until a read fills it, then many at once.
  var ciphertextReadBytes = ByteTransport.smallReadBytes

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  enum ReadOutcome {
    /// Plaintext bytes were handed to the machine (possibly none: a partial record).
    case progressed
    case wouldBlock
    case endOfFile
  }

  var fd: CInt { descriptor.raw }
  var hasPendingOutput: Bool { !wire.isEmpty || !innerWire.isEmpty }
  var isEncrypted: Bool { tls != nil }

  /// Bytes were given to the network since ``resetWriteMark()``.
  var hasWritten: Bool { writtenBytes != writeMark }

  mutating func resetWriteMark() { writeMark = writtenBytes }

  // MARK: Reading

  /// Reads once from the socket into the machine.
  mutating func read<Receiver: ByteReceiver & ~Copyable>(
    into machine: inout Receiver
  ) throws(TransportFailure) -> ReadOutcome {
    guard isReadable else { return .wouldBlock }
    if tls != nil { return try readCiphertext(into: &machine) }
    if !early.isEmpty { return readEarly(into: &machine) }
    let fd = descriptor.raw
    let wanted = machine.suggestedReadSize
    var receipt = Receipt()
    do throws(SystemError) {
      _ = try machine.withReceiveCapacity(minimum: wanted) { (room) throws(SystemError) -> Int in
        try receipt.receive(from: fd, into: room)
      }
    } catch {
      throw failReceiving(error)
    }
    return try conclude(receipt)
  }

  /// One receive: what it gave, and how much room it had.
  struct Receipt {
    private(set) var result = IOResult.wouldBlock
    private(set) var hasFilledRoom = false

    mutating func receive(from fd: CInt, into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
      result = try Syscalls.recv(fd, into: room)
      guard case .bytes(let count) = result else { return 0 }
      hasFilledRoom = count == room.count
      return count
    }
  }

  /// Notes what a receive says about the socket.
  mutating func conclude(_ receipt: Receipt) throws(TransportFailure) -> ReadOutcome {
    switch receipt.result {
    case .bytes(let count):
      receivedBytes &+= UInt64(count)
      // A short read drained the socket; the next bytes make a new edge (epoll(7)).
      if !receipt.hasFilledRoom && !isPeerClosed { isReadable = false }
      return .progressed
    case .wouldBlock:
      isReadable = false
      return .wouldBlock
    case .eof:
      isReadable = false
      if let loss { throw TransportFailure(receiving: loss) }
      return .endOfFile
    }
  }

  /// Notes that the socket cannot be read.
  mutating func failReceiving(_ error: SystemError) -> TransportFailure {
    isReadable = false
    note(error)
    return TransportFailure(receiving: error)
  }

  /// Not `EPIPE`: unless a reset was told before, the end of the peer's stream came in order then.
  private mutating func note(_ error: SystemError) {
    if loss == nil, error.isLoss { loss = error }
  }

  /// For a handshake, which takes every end of the stream for the same.
  mutating func forgetLoss() { loss = nil }

  /// Gives back bytes that were read from the connection and belong to what comes next on it: plaintext, or ciphertext when
  /// ``startTLS(_:)`` follows.
  mutating func unread(_ bytes: Span<UInt8>) {
    for index in bytes.indices { early.append(bytes[index]) }
    if !early.isEmpty { isReadable = true }
  }

  /// What the socket has is read next: nothing is known of it.
  private mutating func readEarly<Receiver: ByteReceiver & ~Copyable>(into machine: inout Receiver) -> ReadOutcome {
    let bytes = takeEarly()
    let taken = machine.withReceiveCapacity(minimum: bytes.count) { room in
      let count = min(room.count, bytes.count)
      // SAFETY: the room is for at least `count` bytes.
      unsafe room.copyBytes(from: bytes.prefix(count))
      return count
    }
    early = Array(bytes.dropFirst(taken))
    return .progressed
  }

  mutating func takeEarly() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &early)
    return taken
  }

  // MARK: Writing

  /// Sends as much as the socket takes. What is left stays in `output` (or as ciphertext in here).
  mutating func flush(_ output: inout WriteBuffer) throws(TransportFailure) {
    guard tls != nil else {
      do throws(SystemError) {
        try Self.send(&output, to: descriptor.raw, &isWritable, &writtenBytes)
      } catch {
        throw failSending(error)
      }
      return
    }
    try flushEncrypted(&output)
  }

  /// Sends the ciphertext that waits.
  mutating func sendWire() throws(TransportFailure) {
    do throws(SystemError) {
      try Self.send(&wire, to: descriptor.raw, &isWritable, &writtenBytes)
    } catch {
      throw failSending(error)
    }
  }

  private mutating func failSending(_ error: SystemError) -> TransportFailure {
    isWritable = false
    note(error)
    return TransportFailure(sending: error)
  }

  private static func send(
    _ buffer: inout WriteBuffer, to fd: CInt, _ isWritable: inout Bool, _ writtenBytes: inout UInt64
  ) throws(SystemError) {
    while isWritable && !buffer.isEmpty {
      var outcome = IOResult.wouldBlock
      var offered = 0
      _ = try buffer.withFirstSegment { (bytes) throws(SystemError) -> Int in
        offered = bytes.count
        outcome = try Syscalls.send(fd, bytes)
        if case .bytes(let count) = outcome { return count }
        return 0
      }
      switch outcome {
      case .bytes(let count):
        writtenBytes &+= UInt64(count)
        // A short write filled the socket's buffer; room makes a new edge.
        if count < offered { isWritable = false }
      case .wouldBlock, .eof:
        isWritable = false
      }
    }
  }

  // MARK: Ends

  /// Says goodbye once, without waiting: close_notify for each TLS. The socket is closed by ``close()``.
  mutating func sendGoodbye() {
    guard tls != nil, isWritable else { return }
    // A peer that is gone cannot be told; the descriptor is closed in any case.
    try? sendCloseNotify()
  }

  /// Makes ``close()`` a reset, which drops what the kernel has not sent yet.
  func resetOnClose() {
    // What is left without it is an ordinary close.
    try? Socket.resetOnClose(descriptor.raw)
  }

  consuming func close() {
    descriptor.close()
  }
}
