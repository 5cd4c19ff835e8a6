internal import LinnetBytes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

extension ByteTransport {
  static var smallReadBytes: Int { 17 << 10 }
  private static var largeReadBytes: Int { 128 << 10 }
  /// Plaintext is encrypted only this far ahead of the socket.
  private static var ciphertextAheadBytes: Int { 64 << 10 }

  /// Puts TLS on what there is, which may have TLS already: then the new one runs inside it. ``handshake()`` comes next.
  mutating func startTLS(_ engine: consuming TLSEngine) {
    if tls != nil { swap(&proxyTLS, &tls) }
    tls = consume engine
    hasDecrypted = false
    let early = takeEarly()
    tls?.receiveCiphertext(early.span)
    // What came along is looked at although the socket may stay silent.
    if !early.isEmpty || proxyTLS != nil {
      mayHoldUnread = true
      isReadable = true
    }
  }

  // MARK: Reading

  mutating func readCiphertext<Receiver: ByteReceiver & ~Copyable>(
    into machine: inout Receiver
  ) throws(TransportFailure) -> ReadOutcome {
    if case .wouldBlock = try receiveCiphertext() { return .wouldBlock }
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
    let wanted = ciphertextReadBytes
    var receipt = Receipt()
    do throws(SystemError) {
      if proxyTLS == nil {
        _ = try tls?.withCiphertextCapacity(minimum: wanted) { (room) throws(SystemError) -> Int in
          try receipt.receive(from: fd, into: room)
        }
      } else {
        _ = try proxyTLS?.withCiphertextCapacity(minimum: wanted) { (room) throws(SystemError) -> Int in
          try receipt.receive(from: fd, into: room)
        }
      }
    } catch {
      throw failReceiving(error)
    }
    ciphertextReadBytes = receipt.hasFilledRoom ? Self.largeReadBytes : Self.smallReadBytes
    var outcome = try conclude(receipt)
    if mayHoldUnread {
      mayHoldUnread = false
      if case .wouldBlock = outcome { outcome = .progressed }
    }
    if case .wouldBlock = outcome { return outcome }
    let isAtEnd = if case .endOfFile = outcome { true } else { false }
    if proxyTLS == nil {
      if isAtEnd { tls?.receiveEOF() }
    } else {
      if isAtEnd { proxyTLS?.receiveEOF() }
      Self.unwrap(&proxyTLS, into: &tls)
    }
    return outcome
  }

  /// Decrypts everything that the outer TLS holds into the inner one. The inner one is the judge of what is missing, so
  /// every end of the outer one, whether in order or not, is no more than the end of its transport.
  private static func unwrap(_ outer: inout TLSEngine?, into inner: inout TLSEngine?) {
    while true {
      var outcome = TLSReadResult.closed
      do throws(TLSError) {
        _ = try inner?.withCiphertextCapacity(minimum: smallReadBytes) { (room) throws(TLSError) -> Int in
          outcome = try outer?.read(into: room) ?? .closed
          if case .bytes(let count) = outcome { return count }
          return 0
        }
      } catch {
        outcome = .closed
      }
      switch outcome {
      case .bytes: continue
      case .needsInput: return
      case .closed: return inner?.receiveEOF() ?? ()
      }
    }
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

  mutating func flushEncrypted(_ output: inout WriteBuffer) throws(TransportFailure) {
    while true {
      do throws(TLSError) {
        try drainCiphertext()
      } catch {
        throw TransportFailure(error, phase: .send)
      }
      try sendWire()
      guard !hasPendingOutput, !output.isEmpty else { return }
      do throws(TLSError) {
        // Nothing taken and nothing to send: the engine waits for the peer, and so does the rest.
        let taken = try tls?.write(from: &output, upTo: Self.ciphertextAheadBytes) ?? 0
        guard taken > 0 || (tls?.pendingCiphertextCount ?? 0) > 0 else { return }
      } catch {
        throw TransportFailure(error, phase: .send)
      }
    }
  }

  /// Moves what the engines want to say to the wire.
  private mutating func drainCiphertext() throws(TLSError) {
    guard proxyTLS != nil else {
      tls?.drainCiphertext(into: &wire)
      return
    }
    tls?.drainCiphertext(into: &innerWire)
    // What the inner TLS wrote is bounded already.
    _ = try proxyTLS?.write(from: &innerWire, upTo: .max)
    proxyTLS?.drainCiphertext(into: &wire)
  }

  mutating func sendCloseNotify() throws {
    tls?.sendCloseNotify()
    try drainCiphertext()
    if proxyTLS != nil {
      proxyTLS?.sendCloseNotify()
      proxyTLS?.drainCiphertext(into: &wire)
    }
    try sendWire()
  }

  // MARK: Handshake

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
    do throws(TLSError) {
      try drainCiphertext()
    } catch {
      failure = failure ?? TransportFailure(error, phase: .tls)
    }
    do throws(TransportFailure) {
      try sendWire()
    } catch {
      // The peer's alert, which may wait in the socket, explains more than our failing to answer it.
      failure = failure ?? receivedRefusal() ?? error.at(.tls)
    }
    if let failure { throw failure }
    guard progress == .complete else { return progress }
    if hasPendingOutput { return .inProgress }
    // Data may have come along with the end of the handshake.
    if tls?.hasUnreadInput == true {
      mayHoldUnread = true
      isReadable = true
    }
    return .complete
  }

  /// Answers `needsVerification`.
  mutating func decide(_ decision: TLSVerificationDecision) { tls?.decide(decision) }

  /// What is wrong with the handshake by the bytes that wait in the socket, if anything.
  private mutating func receivedRefusal() -> TransportFailure? {
    isReadable = true
    forgetLoss()
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

  // MARK: What was agreed

  /// What the handshake agreed on, inside of that with a proxy.
  var negotiated: ConnectionInfo.TLSInfo? {
    switch tls {
    case .none: nil
    case .some(let engine): ConnectionInfo.TLSInfo(engine)
    }
  }

  mutating func takeNewSessions() -> SmallList<TLSSession> {
    // A proxy's come right behind its handshake and are taken before the tunnel is there; later ones must not pile up.
    _ = proxyTLS?.takeNewSessions()
    return tls?.takeNewSessions() ?? .none
  }

  mutating func takeKeyLogLines() -> [String] {
    tls?.takeKeyLogLines() ?? []
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
