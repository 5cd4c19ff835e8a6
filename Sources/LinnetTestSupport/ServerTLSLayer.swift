internal import LinnetBytes
internal import LinnetTLS

/// The server's end of TLS over a blocking socket. Used by the thread of its connection only.
final class ServerTLSLayer {
  private var engine: TLSEngine
  private let socket: BlockingSocket
  /// Ciphertext that the socket did not take at once.
  private var unsent = WriteBuffer()
  private var inputEnded = false
  private lazy var scratch = [UInt8](repeating: 0, count: 64 << 10)
  /// Whether the client announced the end of its data.
  private(set) var receivedCloseNotify = false

  init(context: TLSContext, socket: BlockingSocket) throws(ConnectionEnd) {
    do throws(TLSError) {
      engine = try TLSEngine(serverContext: context)
    } catch {
      throw ConnectionEnd(.handshakeFailed(error.description))
    }
    self.socket = socket
  }

  /// Runs the handshake to its end.
  func handshake() throws(ConnectionEnd) -> RecordedTLS {
    while true {
      let progress: HandshakeProgress
      do throws(TLSError) {
        progress = try engine.handshake()
      } catch {
        // The alert that tells the client why. Input that is left unread would turn the close into a reset, which can
        // overtake the alert.
        try? flush()
        socket.finishSending()
        while (try? fill()) == true {}
        throw ConnectionEnd(.handshakeFailed(error.description))
      }
      try flush()
      if progress == .complete { break }
      if try !fill() { engine.receiveEOF() }
    }
    let certificates = (try? engine.peerCertificates()) ?? []
    return RecordedTLS(
      serverName: engine.requestedServerName, applicationProtocol: engine.negotiatedProtocol,
      version: engine.version?.description ?? "", isResumed: engine.isResumed,
      clientCertificateSubject: certificates.first?.subject)
  }

  /// - Returns: How many bytes of plaintext came; 0 when the client closed, with or without `close_notify`.
  func receive(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int {
    try receive(into: room, blocks: true) ?? 0
  }

  /// - Returns: What ``receive(into:)`` returns; nil when it would block.
  func receiveIfAvailable(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int? {
    try receive(into: room, blocks: false)
  }

  private func receive(
    into room: UnsafeMutableRawBufferPointer, blocks: Bool
  ) throws(ConnectionEnd) -> Int? {
    while true {
      let result: TLSReadResult
      do throws(TLSError) {
        result = try engine.read(into: room)
      } catch {
        try? flush()
        if error.code == .truncated { return 0 }
        throw ConnectionEnd(.tlsFailed(error.description))
      }
      try flush()
      switch result {
      case .bytes(let count): return count
      case .closed:
        receivedCloseNotify = true
        return 0
      case .needsInput:
        guard blocks || socket.isReadable else { return nil }
        if try !fill() { engine.receiveEOF() }
      }
    }
  }

  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionEnd) {
    var plaintext = WriteBuffer()
    plaintext.append(ByteChunk([UInt8](bytes)))
    while !plaintext.isEmpty {
      do throws(TLSError) {
        guard try engine.write(from: &plaintext, upTo: 256 << 10) > 0 else {
          throw TLSError(.protocolViolation, detail: "nothing can be written")
        }
      } catch {
        try? flush()
        throw ConnectionEnd(.tlsFailed(error.description))
      }
      try flush()
    }
  }

  /// Takes what is there from the socket.
  ///
  /// - Returns: False when the client closed, with or without `close_notify`.
  func receiveAvailable(_ take: (UnsafeRawBufferPointer) -> Void) throws(ConnectionEnd) -> Bool {
    let socket = socket
    _ = try engine.withCiphertextCapacity(minimum: 64 << 10) { (room) throws(ConnectionEnd) -> Int in
      let count = try socket.receiveAvailable(into: room)
      if count == 0 { inputEnded = true }
      return count ?? 0
    }
    if inputEnded { engine.receiveEOF() }
    while true {
      var result = TLSReadResult.needsInput
      do throws(TLSError) {
        var failure: TLSError?
        scratch.withUnsafeMutableBytes { room in
          do throws(TLSError) { result = try engine.read(into: room) } catch { failure = error }
        }
        if let failure { throw failure }
      } catch {
        if error.code == .truncated { return false }
        throw ConnectionEnd(.tlsFailed(error.description))
      }
      switch result {
      case .bytes(let count): scratch.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      case .closed:
        receivedCloseNotify = true
        return false
      case .needsInput: return true
      }
    }
  }

  /// Encrypts and sends what the socket takes now. What is left in `plaintext` or in ``hasUnsentOutput`` waits for it.
  ///
  /// - Returns: How many bytes of plaintext were taken.
  func sendAvailable(_ plaintext: inout WriteBuffer) throws(ConnectionEnd) -> Int {
    var taken = 0
    while true {
      engine.drainCiphertext(into: &unsent)
      try socket.sendAvailable(&unsent)
      guard unsent.isEmpty, !plaintext.isEmpty else { return taken }
      do throws(TLSError) {
        let count = try engine.write(from: &plaintext, upTo: 64 << 10)
        if count == 0 { return taken }
        taken += count
      } catch {
        throw ConnectionEnd(.tlsFailed(error.description))
      }
    }
  }

  /// Whether ciphertext waits for the socket.
  var hasUnsentOutput: Bool { !unsent.isEmpty || engine.pendingCiphertextCount > 0 }

  func sendCloseNotify() throws(ConnectionEnd) {
    engine.sendCloseNotify()
    try flush()
  }

  private func fill() throws(ConnectionEnd) -> Bool {
    let socket = socket
    return try engine.withCiphertextCapacity(minimum: 17 << 10) { (room) throws(ConnectionEnd) in
      try socket.receive(into: room)
    } > 0
  }

  private func flush() throws(ConnectionEnd) {
    guard engine.pendingCiphertextCount > 0 else { return }
    var output = WriteBuffer()
    engine.drainCiphertext(into: &output)
    while !output.isEmpty {
      _ = try output.withFirstSegment { (bytes) throws(ConnectionEnd) in
        try socket.send(bytes)
        return bytes.count
      }
    }
  }
}
