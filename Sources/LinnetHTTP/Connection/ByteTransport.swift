internal import LinnetBytes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// A connected socket with or without TLS: bytes in, bytes out, never blocking.
///
/// It is a plain value inside a connection's core; the core's lock is its only guard. Edge-triggered: `isReadable` and
/// `isWritable` stay set until a call would have blocked.
struct ByteTransport: ~Copyable {
  private let descriptor: OwnedDescriptor
  private var tls: TLSEngine?
  /// Ciphertext that waits for the socket.
  private var wire = WriteBuffer()
  var isReadable = false
  var isWritable = true
  /// The peer has half-closed or reset: a short read does not mean that the socket is drained.
  var isPeerClosed = false
  /// Bytes given to the network so far.
  private(set) var writtenBytes: UInt64 = 0
  private var writeMark: UInt64 = 0
  /// Bytes that came from the network so far.
  private(set) var receivedBytes: UInt64 = 0

  /// Any plaintext came: the server has accepted our side of the handshake too.
  private var hasDecrypted = false

  /// How much ciphertext is read at a time: one record's worth until a read fills it, then many at once.
  private var ciphertextReadBytes = ByteTransport.smallReadBytes
  private static var smallReadBytes: Int { 17 << 10 }
  private static var largeReadBytes: Int { 128 << 10 }
  /// Plaintext is encrypted only this far ahead of the socket.
  private static var ciphertextAheadBytes: Int { 64 << 10 }

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  /// Puts TLS on the connection; ``handshake()`` comes next.
  mutating func startTLS(_ engine: consuming TLSEngine) { tls = consume engine }

  enum ReadOutcome {
    /// Plaintext bytes were handed to the machine (possibly none: a partial record).
    case progressed
    case wouldBlock
    case endOfFile
  }

  var fd: CInt { descriptor.raw }
  var hasPendingOutput: Bool { !wire.isEmpty }
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
    let fd = descriptor.raw
    let wanted = machine.suggestedReadSize
    var receipt = Receipt()
    do throws(SystemError) {
      _ = try machine.withReceiveCapacity(minimum: wanted) { (room) throws(SystemError) -> Int in
        try receipt.receive(from: fd, into: room)
      }
    } catch {
      isReadable = false
      throw TransportFailure(receiving: error)
    }
    return conclude(receipt)
  }

  /// One receive: what it gave, and how much room it had.
  private struct Receipt {
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
  private mutating func conclude(_ receipt: Receipt) -> ReadOutcome {
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
      return .endOfFile
    }
  }

  private mutating func readCiphertext<Receiver: ByteReceiver & ~Copyable>(
    into machine: inout Receiver
  ) throws(TransportFailure) -> ReadOutcome {
    let outcome = try receiveCiphertext()
    if case .wouldBlock = outcome { return .wouldBlock }
    // At the end of the stream the engine knows whether the peer said goodbye; without that it throws.
    if try decrypt(into: &machine) { return .endOfFile }
    return .progressed
  }

  /// What a failure of TLS means for the response; returns when it is no more than the end of the stream.
  private func judge(_ error: TLSError, isDelimitedByClose: Bool) throws(TransportFailure) {
    switch error.code {
    // Many servers leave out close_notify. Every framing but that by close tells whether something is missing (RFC 9112
    // §9.8).
    case .truncated where !isDelimitedByClose: return
    // In TLS 1.3 the server judges the client's certificate when the handshake is over for the client (RFC 8446 §4.4.3).
    case .alert where !hasDecrypted: throw TransportFailure(error, phase: .tls)
    default: throw TransportFailure(error, phase: .body)
    }
  }

  /// Moves ciphertext from the socket into the engine, once.
  mutating func receiveCiphertext() throws(TransportFailure) -> ReadOutcome {
    let fd = descriptor.raw
    var receipt = Receipt()
    do throws(SystemError) {
      _ = try tls?.withCiphertextCapacity(minimum: ciphertextReadBytes) { (room) throws(SystemError) -> Int in
        try receipt.receive(from: fd, into: room)
      }
    } catch {
      isReadable = false
      throw TransportFailure(receiving: error)
    }
    ciphertextReadBytes = receipt.hasFilledRoom ? Self.largeReadBytes : Self.smallReadBytes
    let outcome = conclude(receipt)
    if case .endOfFile = outcome { tls?.receiveEOF() }
    return outcome
  }

  /// Decrypts everything that the engine holds into the machine. Returns whether the peer has ended its stream cleanly.
  ///
  /// Bytes that came before a failure are in the machine when this throws.
  private mutating func decrypt<Receiver: ByteReceiver & ~Copyable>(
    into machine: inout Receiver
  ) throws(TransportFailure) -> Bool {
    while true {
      var outcome = TLSReadResult.needsInput
      do throws(TLSError) {
        let wanted = max(machine.suggestedReadSize, 16 << 10)
        _ = try machine.withReceiveCapacity(minimum: wanted) { (room) throws(TLSError) -> Int in
          outcome = try tls?.read(into: room) ?? .needsInput
          if case .bytes(let count) = outcome { return count }
          return 0
        }
      } catch {
        try judge(error, isDelimitedByClose: machine.isDelimitedByClose)
        return true
      }
      switch outcome {
      case .bytes: hasDecrypted = true
      case .needsInput: return false
      case .closed: return true
      }
    }
  }

  // MARK: Writing

  /// Sends as much as the socket takes. What is left stays in `output` (or as ciphertext in here).
  mutating func flush(_ output: inout WriteBuffer) throws(TransportFailure) {
    guard tls != nil else { return try Self.send(&output, to: descriptor.raw, &isWritable, &writtenBytes) }
    while true {
      drainCiphertext()
      try Self.send(&wire, to: descriptor.raw, &isWritable, &writtenBytes)
      guard wire.isEmpty, !output.isEmpty else { return }
      do throws(TLSError) {
        // Nothing taken and nothing to send: the engine waits for the peer, and so does the rest.
        let taken = try tls?.write(from: &output, upTo: Self.ciphertextAheadBytes) ?? 0
        guard taken > 0 || (tls?.pendingCiphertextCount ?? 0) > 0 else { return }
      } catch {
        throw TransportFailure(error, phase: .send)
      }
    }
  }

  private mutating func drainCiphertext() {
    tls?.drainCiphertext(into: &wire)
  }

  private static func send(
    _ buffer: inout WriteBuffer, to fd: CInt, _ isWritable: inout Bool, _ writtenBytes: inout UInt64
  ) throws(TransportFailure) {
    while isWritable && !buffer.isEmpty {
      var outcome = IOResult.wouldBlock
      var offered = 0
      do throws(SystemError) {
        _ = try buffer.withFirstSegment { (bytes) throws(SystemError) -> Int in
          offered = bytes.count
          outcome = try Syscalls.send(fd, bytes)
          if case .bytes(let count) = outcome { return count }
          return 0
        }
      } catch {
        isWritable = false
        throw TransportFailure(sending: error)
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

  // MARK: TLS handshake

  /// One step of the handshake with what was received so far; sends what the engine wants to say, also after an error.
  ///
  /// - Returns: `complete` once everything is sent, too.
  mutating func handshake() throws(TransportFailure) -> HandshakeProgress {
    guard tls != nil else { return .complete }
    var progress = HandshakeProgress.inProgress
    var failure: TransportFailure?
    do throws(TLSError) {
      progress = try tls?.handshake() ?? .complete
    } catch {
      failure = TransportFailure(error, phase: .tls)
    }
    drainCiphertext()
    do throws(TransportFailure) {
      try Self.send(&wire, to: descriptor.raw, &isWritable, &writtenBytes)
    } catch {
      // The peer's alert, which may wait in the socket, explains more than our failing to answer it.
      failure = failure ?? receivedRefusal() ?? error.at(.tls)
    }
    if let failure { throw failure }
    return progress == .complete && !wire.isEmpty ? .inProgress : progress
  }

  /// Answers `needsVerification`.
  mutating func decide(_ decision: TLSVerificationDecision) { tls?.decide(decision) }

  /// What is wrong with the handshake by the bytes that wait in the socket, if anything.
  private mutating func receivedRefusal() -> TransportFailure? {
    isReadable = true
    // An alert is small; what does not fit into one read is none. An error of the socket tells less than what came
    // before it.
    _ = try? receiveCiphertext()
    do throws(TLSError) {
      _ = try tls?.handshake()
      return nil
    } catch {
      return TransportFailure(error, phase: .tls)
    }
  }

  /// What the handshake agreed on.
  var negotiated: ConnectionInfo.TLSInfo? {
    switch tls {
    case .none: nil
    case .some(let engine): ConnectionInfo.TLSInfo(engine)
    }
  }

  mutating func takeNewSessions() -> SmallList<TLSSession> {
    tls?.takeNewSessions() ?? .none
  }

  mutating func takeKeyLogLines() -> [String] {
    tls?.takeKeyLogLines() ?? []
  }

  /// Says goodbye once, without waiting: close_notify for TLS. The socket is closed by ``close()``.
  mutating func sendGoodbye() {
    guard tls != nil, isWritable else { return }
    tls?.sendCloseNotify()
    drainCiphertext()
    // A peer that is gone cannot be told; the descriptor is closed in any case.
    try? Self.send(&wire, to: descriptor.raw, &isWritable, &writtenBytes)
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

extension ConnectionInfo.TLSInfo {
  fileprivate init(_ engine: borrowing TLSEngine) {
    let names = engine.peerNames
    self.init(
      version: engine.version?.description ?? "", cipher: engine.cipher,
      applicationProtocol: engine.negotiatedProtocol, isResumed: engine.isResumed, peerSubject: names?.subject,
      peerIssuer: names?.issuer)
  }
}
