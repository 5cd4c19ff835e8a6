internal import CLinnetOpenSSL
internal import LinnetBytes

/// What OpenSSL's callbacks of one connection read and write: both directions of ciphertext and what the handshake
/// brings along.
///
/// It belongs to one ``TLSEngine`` and is touched only inside that engine's calls, so it needs no lock. It is a class
/// because OpenSSL keeps its address.
final class TLSTransportState {
  var input = CiphertextBuffer()
  var output = WriteBuffer()
  var newSessions: SmallList<TLSSession> = []
  var keyLogLines: [String] = []
  /// Set by the verification callback, which knows more than the alert that follows it.
  var verificationFailure: TLSError?
  /// The host that the certificate must name, for messages.
  let expectedName: String?
  /// ``TLSContext/generation``.
  let generation: UInt64
  /// What waits for a decision; and what was decided.
  var request: TLSPeerVerification?
  var decision: TLSVerificationDecision?
  /// The code that OpenSSL's verification ended with, between the two calls of its callback.
  var ownVerdictCode: Int32 = 0
  /// The first bytes of the peer, as a big-endian number: enough to tell `HTTP/` from a TLS record.
  private var opening: UInt64 = 0
  private var openingCount = 0

  init(expectedName: String?, generation: UInt64) {
    self.expectedName = expectedName
    self.generation = generation
  }

  /// What a decision means for the handshake; nil: it goes on.
  func failure(by decision: TLSVerificationDecision) -> TLSError? {
    switch decision {
    case .accept: return nil
    case .reject(let reason): return TLSError(.certificateRefused(reason))
    case .useVerdict:
      guard case .rejected(let error) = request?.verdict else { return nil }
      return error
    }
  }

  /// A server that answers a TLS ClientHello in clear text begins with `HTTP/`.
  var peerSpokePlainHTTP: Bool { openingCount == 5 && opening == 0x48_54_54_50_2F }

  /// Gives OpenSSL up to `limit` bytes.
  @unsafe
  fileprivate func take(into target: UnsafeMutableRawPointer, limit: Int) -> Int {
    // SAFETY: OpenSSL gives room for `limit` bytes at `target`.
    let count = unsafe input.take(into: target, limit: limit)
    if openingCount < 5 {
      for offset in 0..<min(count, 5 - openingCount) {
        opening = opening << 8 | UInt64(unsafe target.load(fromByteOffset: offset, as: UInt8.self))
        openingCount += 1
      }
    }
    return count
  }

  /// The state behind the application data of a connection.
  @unsafe
  static func of(_ ssl: OpaquePointer?) -> TLSTransportState? {
    // SAFETY: index 0 is the application data, set once to a state that outlives the connection.
    guard let ssl = unsafe ssl, let address = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
    return unsafe Unmanaged<TLSTransportState>.fromOpaque(address).takeUnretainedValue()
  }

  /// A kind of BIO whose bytes come from and go to a state: unlike OpenSSL's memory BIO it never moves what it holds,
  /// gives memory back, and lets whole buffers of ciphertext change hands without a copy.
  static func makeBIOMethod() throws(TLSError) -> OpaquePointer {
    guard let method = unsafe BIO_meth_new(BIO_TYPE_SOURCE_SINK, "linnet") else {
      throw TLSError(.cryptographyUnavailable)
    }
    // SAFETY: the callbacks have the types that OpenSSL expects and capture nothing.
    unsafe BIO_meth_set_read(method, readCiphertext)
    unsafe BIO_meth_set_write(method, writeCiphertext)
    unsafe BIO_meth_set_ctrl(method, controlCiphertext)
    return unsafe method
  }
}

/// The state behind a BIO of ours.
@unsafe
private func state(of bio: OpaquePointer?) -> TLSTransportState? {
  // SAFETY: the data of the BIO is set once to a state that outlives the connection, which owns the BIO.
  guard let bio = unsafe bio, let address = unsafe BIO_get_data(bio) else { return nil }
  return unsafe Unmanaged<TLSTransportState>.fromOpaque(address).takeUnretainedValue()
}

private func readCiphertext(
  _ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ limit: Int32
) -> Int32 {
  // SAFETY: OpenSSL gives room for `limit` bytes at `target`.
  unsafe linnet_bio_clear_retry(bio)
  guard let state = unsafe state(of: bio), let target = unsafe target, limit > 0 else { return 0 }
  let count = unsafe state.take(into: UnsafeMutableRawPointer(target), limit: Int(limit))
  if count == 0 {
    unsafe linnet_bio_set_retry_read(bio)
    return -1
  }
  return Int32(count)
}

private func writeCiphertext(_ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
  // SAFETY: OpenSSL gives `count` bytes at `source`, which live for the call.
  unsafe linnet_bio_clear_retry(bio)
  guard let state = unsafe state(of: bio), let source = unsafe source, count > 0 else { return 0 }
  let bytes = unsafe UnsafeRawBufferPointer(start: source, count: Int(count)).assumingMemoryBound(to: UInt8.self)
  state.output.append(unsafe Span(_unsafeElements: bytes))
  return count
}

private func controlCiphertext(
  _ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
  // Everything is "flushed" at once; nothing else is supported or needed.
  command == BIO_CTRL_FLUSH ? 1 : 0
}
