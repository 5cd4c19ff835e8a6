internal import CLinnetOpenSSL

/// Owns an `SSL` and the state that its callbacks use, and wraps the calls on it.
@safe
struct TLSConnectionHandle: ~Copyable, @unchecked Sendable {
  // SAFETY: `raw` is live until `deinit`. The handle is not copyable, so exactly one engine uses `raw` and `state`, on
  // one thread at a time; OpenSSL ties neither to a thread.
  private let raw: OpaquePointer
  let state: TLSTransportState
  /// Kept alive until `raw` is freed, which uses the context's kind of BIO.
  let context: TLSContext
  /// What the client offered by ALPN.
  private let offeredProtocols: [String]

  /// Takes over the caller's reference.
  private init(
    owning raw: OpaquePointer, _ state: TLSTransportState, _ context: TLSContext, _ offeredProtocols: [String]
  ) {
    self.offeredProtocols = offeredProtocols
    unsafe self.raw = raw
    self.state = state
    self.context = context
  }

  /// - Parameters:
  ///   - serverName: For a client; nil for a server.
  ///   - applicationProtocols: What a client offers by ALPN; nil: what the context's settings say.
  static func make(
    _ context: TLSContext, serverName: TLSServerName?, applicationProtocols: [String]?
  ) throws(TLSError) -> TLSConnectionHandle {
    OpenSSLError.clearQueue()
    let name = try serverName?.normalised()
    guard let ssl = unsafe SSL_new(context.raw) else { throw TLSError(.cryptographyUnavailable) }
    let state = TLSTransportState(expectedName: name?.text, generation: context.generation)
    let handle = unsafe TLSConnectionHandle(
      owning: ssl, state, context, applicationProtocols ?? context.settings.alpn)
    // SAFETY: `state` lives as long as `ssl`; the connection takes over the BIO, for both directions.
    guard let bio = unsafe BIO_new(context.bioMethod) else { throw TLSError(.cryptographyUnavailable) }
    let address = unsafe Unmanaged.passUnretained(state).toOpaque()
    unsafe BIO_set_data(bio, address)
    unsafe BIO_set_init(bio, 1)
    unsafe SSL_set_bio(ssl, bio, bio)
    guard unsafe SSL_set_ex_data(ssl, 0, address) == 1 else { throw TLSError(.cryptographyUnavailable) }
    guard let name else {
      unsafe SSL_set_accept_state(ssl)
      return handle
    }
    unsafe SSL_set_connect_state(ssl)
    try handle.setName(name)
    if let applicationProtocols {
      let wire = try TLSContext.alpnWire(applicationProtocols)
      guard unsafe SSL_set_alpn_protos(ssl, wire, UInt32(clamping: wire.count)) == 0 else {
        throw TLSError(.cryptographyUnavailable)
      }
    }
    return handle
  }

  deinit {
    // Freeing a connection that was not shut down would make its session unfit for resumption, although the transport
    // of HTTP often ends without a `close_notify`; its truncation is noticed by the framing of messages.
    unsafe SSL_set_shutdown(raw, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    unsafe SSL_free(raw)
  }

  private func setName(_ name: TLSServerName) throws(TLSError) {
    // SAFETY: the parameters belong to the connection; texts are copied during the calls.
    let parameters = unsafe SSL_get0_param(raw)
    switch name {
    case .dns(let host):
      unsafe X509_VERIFY_PARAM_set_hostflags(
        parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      guard unsafe X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1,
        unsafe linnet_ssl_set_host_name(raw, host) == 1
      else { throw .configuration("server name \"\(host)\"", OpenSSLError.lastReason()) }
    case .ip(let address):
      guard unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1 else {
        throw .configuration("server address \"\(address)\"", "is not an IP address")
      }
    }
  }

  func offer(_ session: TLSSession) {
    // SAFETY: the connection takes a reference of its own.
    unsafe session.withRaw { _ = unsafe SSL_set_session(raw, $0) }
  }

  // MARK: Steps

  func doHandshake() -> Int32 { unsafe SSL_do_handshake(raw) }

  func error(of result: Int32) -> Int32 { unsafe SSL_get_error(raw, result) }

  @unsafe
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    unsafe SSL_read(raw, buffer.baseAddress, Int32(clamping: buffer.count))
  }

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    unsafe SSL_write(raw, bytes.baseAddress, Int32(clamping: bytes.count))
  }

  func shutDown() { unsafe SSL_shutdown(raw) }

  /// Decrypted bytes that no read took yet. `SSL_has_pending` would also count the beginning of a record.
  var hasPendingPlaintext: Bool { unsafe SSL_pending(raw) > 0 }

  // MARK: What was agreed

  var negotiatedProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    // SAFETY: the name belongs to the connection and is copied at once.
    unsafe SSL_get0_alpn_selected(raw, &name, &length)
    guard let start = unsafe name, length > 0 else { return nil }
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self)
  }

  var version: TLSVersion? {
    switch unsafe SSL_version(raw) {
    case TLS1_3_VERSION: .v1_3
    case TLS1_2_VERSION: .v1_2
    default: nil
    }
  }

  var cipher: String {
    // SAFETY: the name is a constant string.
    guard let cipher = unsafe SSL_get_current_cipher(raw), let name = unsafe SSL_CIPHER_get_name(cipher) else {
      return ""
    }
    return unsafe String(cString: name)
  }

  var isResumed: Bool { unsafe SSL_session_reused(raw) == 1 }

  var requestedServerName: String? {
    // SAFETY: the name belongs to the connection and is copied at once.
    unsafe SSL_get_servername(raw, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
  }

  /// Subject and issuer of the peer's certificate, for display. Reads the object at hand; a ``Certificate`` would be
  /// encoded, hashed and searched for names that nobody asked for, for each connection.
  var peerNames: (subject: String, issuer: String)? {
    // SAFETY: the certificate and its names belong to the connection.
    guard let leaf = unsafe SSL_get0_peer_certificate(raw) else { return nil }
    return unsafe (
      Certificate.text(of: X509_get_subject_name(leaf)), Certificate.text(of: X509_get_issuer_name(leaf))
    )
  }

  func peerCertificates() throws(TLSError) -> [Certificate] {
    var result: [Certificate] = []
    // SAFETY: the chain and its elements belong to the connection.
    let chain = unsafe SSL_get_peer_cert_chain(raw)
    if let leaf = unsafe SSL_get0_peer_certificate(raw) {
      result.append(try unsafe Certificate(leaf))
    }
    for index in 0..<(unsafe linnet_x509_stack_count(chain)) {
      guard let element = unsafe linnet_x509_stack_at(chain, index) else { continue }
      let certificate = try unsafe Certificate(element)
      // A client's chain begins with the leaf, a server's does not.
      if index > 0 || certificate != result.first { result.append(certificate) }
    }
    return result
  }

  /// What OpenSSL leaves to its caller after a handshake: the server's choice in ALPN, and what a resumption skips, that
  /// is the pins, whether the first handshake verified the chain, and the name. Where somebody else decides on the chain,
  /// the last two are noted as a request.
  func agreementFailure() -> TLSError? {
    guard context.role == .client else { return nil }
    if let name = negotiatedProtocol, !offeredProtocols.contains(name) {
      return TLSError(.handshakeFailed, detail: "the server chose a protocol that was not offered")
    }
    let settings = context.settings
    // SAFETY: certificate and parameters belong to the connection.
    let leaf = unsafe SSL_get0_peer_certificate(raw)
    let hasNoLeaf = unsafe leaf == nil
    if isResumed || hasNoLeaf,
      let failure = unsafe TLSVerification.pinFailure(
        of: leaf, pins: settings.pinnedPublicKeys, expectedName: state.expectedName)
    {
      return failure
    }
    var failure: TLSError?
    if settings.verification == .full { failure = unsafe verificationFailure(leaf) }
    guard settings.asksForDecision else { return failure }
    if hasNoLeaf { return TLSError(.noPeerCertificate) }
    // A full handshake was decided on before it ended.
    guard isResumed else { return state.decision == nil ? TLSError(.noPeerCertificate) : nil }
    return request(afterVerdict: failure)
  }

  /// Notes what is to be decided about a resumed session. The state is taken out first: the optimiser of 6.3.1 fails on a
  /// borrow of the handle that ends in a `catch`.
  private func request(afterVerdict failure: TLSError?) -> TLSError? {
    let state = state
    let verdict: TLSPeerVerification.Verdict =
      context.settings.verification == .none ? .notChecked : failure.map { .rejected($0) } ?? .accepted
    switch presentedCertificates {
    case .success(let chain):
      state.request = TLSPeerVerification(chain: chain, verdict: verdict)
      return nil
    case .failure(let error):
      return TLSError(.certificateInvalid(error.detail))
    }
  }

  private var presentedCertificates: Result<[Certificate], TLSError> {
    do throws(TLSError) { return .success(try peerCertificates()) } catch { return .failure(error) }
  }

  /// What the verification of the handshake, or of the one that is continued, and the name say.
  @unsafe
  private func verificationFailure(_ leaf: OpaquePointer?) -> TLSError? {
    // SAFETY: certificate and parameters belong to the connection.
    guard let leaf = unsafe leaf else { return TLSError(.noPeerCertificate) }
    let result = unsafe Int32(clamping: SSL_get_verify_result(raw))
    if result != X509_V_OK {
      return unsafe TLSVerification.failure(
        result, certificate: leaf, leaf: leaf, expectedName: state.expectedName, roots: context.roots)
    }
    guard isResumed, let name = state.expectedName else { return nil }
    let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    if unsafe X509_check_host(leaf, name, name.utf8.count, flags, nil) == 1 { return nil }
    if unsafe X509_check_ip_asc(leaf, name, flags) == 1 { return nil }
    return unsafe TLSVerification.failure(
      X509_V_ERR_HOSTNAME_MISMATCH, certificate: leaf, leaf: leaf, expectedName: name, roots: context.roots)
  }
}
