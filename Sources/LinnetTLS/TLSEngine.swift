package import LinnetBytes

internal import CLinnetOpenSSL

package enum HandshakeProgress: Sendable, Equatable {
  case inProgress
  case complete
  /// The handshake waits until ``TLSEngine/decide(_:)`` says what to think of these certificates; input may still be fed.
  case needsVerification(TLSPeerVerification)
}

package enum TLSReadResult: Sendable, Equatable {
  /// This many bytes of plaintext were written to the caller's memory.
  case bytes(Int)
  case needsInput
  /// The peer said `close_notify`: the data is complete.
  case closed
}

/// One TLS connection as a pure machine: ciphertext in, plaintext out, and the reverse. It knows no socket.
///
/// Order of calls: feed what arrived (``receiveCiphertext(_:)`` or ``withCiphertextCapacity(minimum:_:)``), then call
/// ``handshake()`` until it is complete and ``read(into:)`` until it needs input, and after *every* call, also one that
/// failed, send what ``drainCiphertext(into:)`` gives: it may be an alert that tells the peer why.
///
/// An error is final: the same one is thrown by every later call. An engine has one owner and is not thread-safe; its
/// owner may move it between threads.
package struct TLSEngine: ~Copyable, Sendable {
  private enum Phase {
    case handshaking
    case established
    case failed(TLSError)
  }

  private let connection: TLSConnectionHandle
  private var phase = Phase.handshaking
  private var inputEnded = false
  /// Both ends are done with the handshake, and somebody may still have to decide on it.
  private var isAgreed = false
  private var closeNotifySent = false
  /// The last read took everything: until more is fed another one need not ask OpenSSL.
  private var isDrained = false

  /// The largest plaintext of one record (RFC 8446 §5.1).
  package static var maximumRecordBytes: Int { 16384 }

  /// A client's end.
  ///
  /// - Parameters:
  ///   - serverName: What the certificate must name. A DNS name is also sent as SNI; an address never is (RFC 6066 §3).
  ///   - session: A session of the same host under the same settings, to resume.
  ///   - applicationProtocols: What is offered by ALPN in place of the settings' list; nil: that list.
  package init(
    context: TLSContext, serverName: TLSServerName, session: TLSSession?, applicationProtocols: [String]? = nil
  ) throws(TLSError) {
    guard context.role == .client else { throw .configuration("TLS role", "the context is a server's") }
    connection = try TLSConnectionHandle.make(
      context, serverName: serverName, applicationProtocols: applicationProtocols)
    // A refused session is no error: the handshake is then a full one.
    if let session { connection.offer(session) }
  }

  /// A server's end.
  package init(serverContext context: TLSContext) throws(TLSError) {
    guard context.role == .server else { throw .configuration("TLS role", "the context is a client's") }
    connection = try TLSConnectionHandle.make(context, serverName: nil, applicationProtocols: nil)
  }

  // MARK: Ciphertext in and out

  /// Takes what the transport received.
  package mutating func receiveCiphertext(_ bytes: Span<UInt8>) {
    connection.state.input.append(bytes)
    isDrained = false
  }

  /// Lets `body` write what the transport receives straight into the engine's memory; it returns the byte count.
  ///
  /// - Parameter minimum: The least room that `body` is offered; it may be more.
  package mutating func withCiphertextCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    isDrained = false
    // A receive that brought nothing ends a turn: an idle connection holds no room.
    defer { connection.state.input.releaseIfEmpty() }
    // SAFETY: the room is valid during the call of `body` only, which is this function's contract as well.
    return try unsafe connection.state.input.withSpareCapacity(minimum: minimum, body)
  }

  /// The transport ended. What was fed before still counts.
  package mutating func receiveEOF() { inputEnded = true }

  /// Ciphertext that waits to be sent.
  package var pendingCiphertextCount: Int { connection.state.output.count }

  /// Moves all ciphertext to the end of `out`: without a copy when `out` is empty.
  package mutating func drainCiphertext(into out: inout WriteBuffer) {
    if out.isEmpty {
      swap(&out, &connection.state.output)
      return
    }
    while !connection.state.output.isEmpty {
      // SAFETY: the bytes are copied during the call.
      _ = unsafe connection.state.output.withFirstSegment { bytes in
        out.append(unsafe Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
        return bytes.count
      }
    }
  }

  // MARK: Handshake

  /// Goes on with the handshake as far as the input allows; a client's first call makes the ClientHello.
  package mutating func handshake() throws(TLSError) -> HandshakeProgress {
    switch phase {
    case .established: return .complete
    case .failed(let error): throw error
    case .handshaking: break
    }
    let state = connection.state
    if let request = state.request, state.decision == nil { return .needsVerification(request) }
    if isAgreed { return try establish() }
    OpenSSLError.clearQueue()
    let result = connection.doHandshake()
    if result == 1 {
      isAgreed = true
      if let failure = connection.agreementFailure() { throw fail(failure) }
      if let request = state.request, state.decision == nil { return .needsVerification(request) }
      return try establish()
    }
    switch connection.error(of: result) {
    case SSL_ERROR_WANT_RETRY_VERIFY:
      guard let request = state.request else { throw fail(TLSError(.cryptographyUnavailable)) }
      return .needsVerification(request)
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      guard inputEnded else {
        connection.state.input.releaseIfEmpty()
        return .inProgress
      }
      throw fail(TLSError(.peerClosedDuringHandshake))
    default:
      throw fail(handshakeError())
    }
  }

  /// Answers ``HandshakeProgress/needsVerification(_:)``; the next ``handshake()`` carries it out. The first answer counts.
  package mutating func decide(_ decision: TLSVerificationDecision) {
    guard connection.state.request != nil, connection.state.decision == nil else { return }
    connection.state.decision = decision
  }

  /// The end of the handshake, which both ends agreed on; of a resumption that was asked about, by the decision.
  private mutating func establish() throws(TLSError) -> HandshakeProgress {
    defer { connection.state.request = nil }
    if let decision = connection.state.decision, let failure = connection.state.failure(by: decision) {
      // The server takes the connection for established: it hears of the end.
      connection.shutDown()
      OpenSSLError.clearQueue()
      throw fail(failure)
    }
    phase = .established
    return .complete
  }

  private func handshakeError() -> TLSError {
    let entries = OpenSSLError.drainQueue()
    if let failure = connection.state.verificationFailure { return failure }
    if connection.state.peerSpokePlainHTTP { return TLSError(.peerSpokePlainHTTP) }
    for entry in entries {
      if let alert = entry.receivedAlert { return TLSError(.alert(alert)) }
      if entry.isSSL(SSL_R_HTTP_REQUEST) || entry.isSSL(SSL_R_HTTPS_PROXY_REQUEST) {
        return TLSError(.peerSpokePlainHTTP)
      }
      if entry.isSSL(SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) { return TLSError(.noPeerCertificate) }
    }
    return TLSError(.handshakeFailed, detail: entries.first?.text ?? "")
  }

  private mutating func fail(_ error: TLSError) -> TLSError {
    phase = .failed(error)
    return error
  }

  // MARK: Plaintext

  /// Decrypts as many records as fit into `buffer`.
  ///
  /// After the handshake is complete call it even when nothing more was fed: data may have come along. A count below the
  /// buffer's means that there is no more for now, or that an error or the end comes next: bytes and a failure are never
  /// reported by the same call, so the caller must keep the bytes before it calls again.
  ///
  /// - Throws: `truncated` at the end of the transport when no `close_notify` came before it; `alert` when the peer
  ///   refused (in TLS 1.3 also a refused client certificate shows only here); `protocolViolation`.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> TLSReadResult {
    switch phase {
    case .established: break
    case .failed(let error): throw error
    case .handshaking:
      if inputEnded { throw fail(TLSError(.peerClosedDuringHandshake)) }
      return .needsInput
    }
    guard buffer.count > 0 else { return .bytes(0) }
    if isDrained && !inputEnded { return .needsInput }
    OpenSSLError.clearQueue()
    var filled = 0
    // SAFETY: every read goes into the rest of the caller's memory behind `filled`.
    while filled < buffer.count {
      let result = unsafe connection.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if result > 0 {
        filled += Int(result)
        continue
      }
      return try unreadable(result, filled: filled)
    }
    return .bytes(filled)
  }

  /// What a read without data means; bytes that came before it are handed over first.
  private mutating func unreadable(_ result: Int32, filled: Int) throws(TLSError) -> TLSReadResult {
    switch connection.error(of: result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      connection.state.input.releaseIfEmpty()
      isDrained = true
      if filled > 0 { return .bytes(filled) }
      guard inputEnded else { return .needsInput }
      throw fail(TLSError(.truncated))
    case SSL_ERROR_ZERO_RETURN:
      return filled > 0 ? .bytes(filled) : .closed
    default:
      let entries = OpenSSLError.drainQueue()
      let error =
        if let alert = entries.lazy.compactMap(\.receivedAlert).first {
          TLSError(.alert(alert))
        } else {
          TLSError(.protocolViolation, detail: entries.first?.text ?? "")
        }
      _ = fail(error)
      if filled > 0 { return .bytes(filled) }
      throw error
    }
  }

  /// Whether a read would have something to say, so that an owner who stopped reading must come back without waiting for
  /// its transport: data, or an error that came behind data. It is false after ``TLSReadResult/needsInput``.
  package var hasUnreadInput: Bool {
    if case .failed = phase { return true }
    return !connection.state.input.isEmpty || connection.hasPendingPlaintext
  }

  /// Encrypts from the front of `plaintext`, in records of at most ``maximumRecordBytes``.
  ///
  /// - Parameter limit: How many bytes of plaintext at most; lets the owner bound the ciphertext that waits.
  /// - Returns: How many bytes were taken; 0 before the handshake is complete and after ``sendCloseNotify()``.
  package mutating func write(from plaintext: inout WriteBuffer, upTo limit: Int) throws(TLSError) -> Int {
    switch phase {
    case .established: break
    case .failed(let error): throw error
    case .handshaking: return 0
    }
    guard !closeNotifySent else { return 0 }
    OpenSSLError.clearQueue()
    var written = 0
    while written < limit, !plaintext.isEmpty {
      let room = min(limit - written, Self.maximumRecordBytes)
      var result: Int32 = 0
      // SAFETY: OpenSSL reads the bytes during the call only.
      let taken = unsafe plaintext.withFirstSegment { bytes in
        result = unsafe connection.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
        return Int(result)
      }
      if taken == 0 {
        if connection.error(of: result) == SSL_ERROR_WANT_READ { break }
        let reason = OpenSSLError.lastReason()
        throw fail(TLSError(.protocolViolation, detail: reason))
      }
      written += taken
    }
    return written
  }

  /// Says that this side sends nothing more (RFC 8446 §6.1). The peer may go on sending.
  package mutating func sendCloseNotify() {
    guard case .established = phase, !closeNotifySent else { return }
    closeNotifySent = true
    OpenSSLError.clearQueue()
    connection.shutDown()
    OpenSSLError.clearQueue()
  }

  // MARK: What was agreed

  /// The protocol that ALPN chose.
  package var negotiatedProtocol: String? { connection.negotiatedProtocol }

  package var version: TLSVersion? { connection.version }

  /// The cipher suite's name, such as `TLS_AES_256_GCM_SHA384`; empty before it is agreed.
  package var cipher: String { connection.cipher }

  /// Whether the handshake continued an earlier session.
  package var isResumed: Bool { connection.isResumed }

  /// Server only: the host that the client named (SNI).
  package var requestedServerName: String? { connection.requestedServerName }

  /// Subject and issuer of the peer's certificate, for display.
  package var peerNames: (subject: String, issuer: String)? { connection.peerNames }

  /// The peer's certificates, its own first, as it sent them; after a resumption only its own.
  package func peerCertificates() throws(TLSError) -> [Certificate] { try connection.peerCertificates() }

  /// Sessions that the server issued since the last call; keep them for later connections.
  package mutating func takeNewSessions() -> SmallList<TLSSession> {
    defer { connection.state.newSessions = [] }
    return connection.state.newSessions
  }

  /// Key log lines (NSS format, without line ends) since the last call; the owner appends them to its file.
  package mutating func takeKeyLogLines() -> [String] {
    defer { connection.state.keyLogLines = [] }
    return connection.state.keyLogLines
  }
}
