internal import CLinnetOpenSSL
internal import LinnetBytes

/// An `SSL_CTX`: settings turned into what connections share. Making one reads trust files and keys, so its owner keeps
/// it by settings and shares it between connections and threads.
///
/// OpenSSL is initialised by the first context and not before: a program that speaks no TLS does not pay for it.
@safe
package final class TLSContext: @unchecked Sendable {
  // SAFETY: `raw` and `bioMethod` are set up in `init` and not changed afterwards; OpenSSL's contexts and their stores
  // may be used by many threads; the one mutable property is a `Lock`.
  let raw: OpaquePointer
  let bioMethod: OpaquePointer
  package let settings: TLSSettings
  package let role: TLSRole
  /// Marks the sessions that are made under this context; its owner tells contexts of the same settings apart by it.
  package let generation: UInt64
  /// What the search for the system's roots found; nil when it was not asked for.
  package let roots: TrustRoots?
  /// ALPN protocols in wire form; OpenSSL's callback of a server reads it.
  fileprivate let alpnWire: [UInt8]
  /// Whether ``TrustRoots/fallbackFile`` is in the store.
  private let fallbackIsLoaded = Lock(false)

  /// - Parameter systemRoots: The outcome of a search that was made before; nil searches now, if the settings ask for the
  ///   system's roots.
  /// - Throws: A configuration error that names the file, variable or setting at fault.
  package init(
    _ settings: TLSSettings, role: TLSRole, systemRoots: TrustRoots? = nil, generation: UInt64 = 0
  ) throws(TLSError) {
    OpenSSLError.clearQueue()
    let verifies = role == .client ? settings.verification == .full : settings.requiresClientCertificate
    let roots =
      verifies
      ? try Self.concerning(.trust) { () throws(TLSError) in
        try Self.roots(settings, systemRoots)
      } : nil
    let wire = try Self.alpnWire(settings.alpn)
    let context = try ContextHandle(role)
    // SAFETY: `context` is live; each call reads its arguments during the call only.
    unsafe linnet_ctx_set_base_options(context.raw)
    try unsafe Self.applyVersionsAndCiphers(settings, to: context.raw)
    if let identity = settings.identity {
      try Self.concerning(.identity) { () throws(TLSError) in try unsafe Self.apply(identity, to: context.raw) }
    }
    if role == .server && settings.identity == nil {
      throw .configuration("identity", "a TLS server needs a certificate and a key")
    }
    if verifies {
      try Self.concerning(.trust) { () throws(TLSError) in
        try unsafe Self.applyTrust(settings.trust, roots, to: context.raw)
      }
    }

    unsafe bioMethod = try TLSTransportState.makeBIOMethod()
    unsafe raw = context.release()
    self.settings = settings
    self.role = role
    self.generation = generation
    self.roots = roots
    alpnWire = wire
    installCallbacks(
      examines: verifies || role == .client && (settings.asksForDecision || !settings.pinnedPublicKeys.isEmpty))
  }

  deinit {
    // SAFETY: connections keep this object alive, so nothing uses either any more.
    unsafe SSL_CTX_free(raw)
    unsafe BIO_meth_free(bioMethod)
  }

  // MARK: Set-up

  /// Marks what `body` throws with the part of the settings that it is about.
  private static func concerning<R>(
    _ area: TLSError.Area, _ body: () throws(TLSError) -> R
  ) throws(TLSError) -> R {
    do throws(TLSError) {
      return try body()
    } catch {
      throw error.concerning(area)
    }
  }

  private static func roots(_ settings: TLSSettings, _ systemRoots: TrustRoots?) throws(TLSError) -> TrustRoots? {
    guard case .systemAnd = settings.trust else { return nil }
    return if let systemRoots { systemRoots } else { try TrustRoots.resolve(settings.trustEnvironment) }
  }

  private static func applyVersionsAndCiphers(_ settings: TLSSettings, to context: OpaquePointer) throws(TLSError) {
    // SAFETY: `context` is live during the calls.
    guard
      unsafe linnet_ctx_set_versions(context, settings.minimumVersion.number, settings.maximumVersion.number) == 1,
      settings.minimumVersion.number <= settings.maximumVersion.number
    else {
      throw .configuration("TLS versions", "\(settings.minimumVersion) to \(settings.maximumVersion) is not available")
    }
    // Level 2 (112 bits: RSA from 2048 bits on, no SHA-1 signatures) is the default of today's distributions.
    if unsafe SSL_CTX_get_security_level(context) < 2 { unsafe SSL_CTX_set_security_level(context, 2) }
    let list = settings.cipherList ?? TLSSettings.defaultCipherList
    guard unsafe SSL_CTX_set_cipher_list(context, list) == 1 else {
      throw .configuration("cipher list \"\(list)\"", OpenSSLError.lastReason())
    }
    guard let suites = settings.cipherSuites else { return }
    let names = suites.split(separator: ":", omittingEmptySubsequences: false)
    // Some versions of OpenSSL skip names that they do not know, which would leave a list that nobody asked for.
    guard unsafe SSL_CTX_set_ciphersuites(context, suites) == 1,
      names.allSatisfy({ unsafe linnet_ctx_has_cipher(context, String($0)) == 1 })
    else {
      OpenSSLError.clearQueue()
      throw .configuration("cipher suites \"\(suites)\"", "is not a list of TLS 1.3 cipher suites")
    }
  }

  private static func apply(_ identity: TLSIdentity, to context: OpaquePointer) throws(TLSError) {
    let certificateName = CredentialLoader.name(of: identity.certificateChain, "certificate")
    let keyName = CredentialLoader.name(of: identity.privateKey, "private key")
    if identity.isPKCS12 {
      var store = try CredentialLoader.pkcs12(identity.certificateChain, passphrase: identity.passphrase)
      let chain = try store.takeChain()
      guard unsafe SSL_CTX_use_cert_and_key(context, store.leaf.raw, store.key.raw, chain.raw, 1) == 1 else {
        throw .configuration(
          CredentialLoader.name(of: identity.certificateChain, "PKCS #12 store"),
          "cannot be used (\(OpenSSLError.lastReason()))")
      }
      return
    }
    var chain = try CredentialLoader.certificates(identity.certificateChain)
    let key = try CredentialLoader.privateKey(identity.privateKey, passphrase: identity.passphrase)
    guard let leaf = chain.popFirst() else { throw .configuration(certificateName, "contains no certificate") }
    OpenSSLError.clearQueue()
    // SAFETY: the handles live during the calls; the context takes references of its own.
    guard unsafe X509_check_private_key(leaf.raw, key.raw) == 1 else {
      _ = OpenSSLError.drainQueue()
      throw .configuration(keyName, "the private key does not belong to the certificate in \(certificateName)")
    }
    guard unsafe SSL_CTX_use_cert_and_key(context, leaf.raw, key.raw, chain.raw, 1) == 1 else {
      throw .configuration(certificateName, "cannot be used (\(OpenSSLError.lastReason()))")
    }
  }

  /// Adds a directory, in which OpenSSL looks for an issuer when it needs one.
  ///
  /// - Returns: Whether it is a directory.
  private static func addDirectory(_ path: String, to store: OpaquePointer?) throws(TLSError) -> Bool {
    switch TrustRoots.fileSystemProbe(path) {
    case .hashedDirectory:
      // SAFETY: the store is alive, and the path ends with a zero byte.
      guard unsafe X509_STORE_load_path(store, path) == 1 else {
        throw .configuration(path, "cannot be used (\(OpenSSLError.lastReason()))")
      }
      return true
    case .directory:
      throw .configuration(path, "the directory holds no certificates under hashed names (c_rehash)")
    case .file, .absent, .unreadable: return false
    }
  }

  private static func applyTrust(
    _ trust: TLSTrust, _ roots: TrustRoots?, to context: OpaquePointer
  ) throws(TLSError) {
    // SAFETY: the store belongs to the context; it takes references of its own.
    let store = unsafe SSL_CTX_get_cert_store(context)
    for directory in roots?.directories ?? [] {
      guard unsafe X509_STORE_load_path(store, directory) == 1 else {
        throw .configuration(directory, "cannot be used (\(OpenSSLError.lastReason()))")
      }
    }
    for file in roots?.files ?? [] {
      guard unsafe X509_STORE_load_file(store, file) == 1 else {
        throw .configuration(file, "cannot be read as certificates (\(OpenSSLError.lastReason()))")
      }
    }
    let sources =
      switch trust {
      case .systemAnd(let sources), .only(let sources): sources
      }
    for source in sources {
      if case .file(let path) = source, try unsafe addDirectory(path, to: store) { continue }
      try unsafe CredentialLoader.certificates(source).forEach { certificate throws(TLSError) in
        guard unsafe X509_STORE_add_cert(store, certificate) == 1 else {
          throw .configuration(CredentialLoader.name(of: source, "certificate"), OpenSSLError.lastReason())
        }
      }
    }
    // An intermediate or a leaf that the user names is an anchor too, as in curl and Go.
    unsafe X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    OpenSSLError.clearQueue()
  }

  private func installCallbacks(examines: Bool) {
    // SAFETY: the callbacks get `self` unretained; connections keep `self` alive, and only they make OpenSSL call back.
    let address = unsafe Unmanaged.passUnretained(self).toOpaque()
    if examines {
      let demands = role == .server && !settings.acceptsMissingClientCertificate
      let mode = SSL_VERIFY_PEER | (demands ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
      unsafe SSL_CTX_set_verify(raw, mode, nil)
      unsafe SSL_CTX_set_cert_verify_callback(raw, verifyPeer, address)
    } else {
      unsafe SSL_CTX_set_verify(raw, SSL_VERIFY_NONE, nil)
    }
    switch role {
    case .client:
      unsafe linnet_ctx_set_client_session_mode(raw)
      unsafe SSL_CTX_sess_set_new_cb(raw, storeNewSession)
      if !alpnWire.isEmpty { _ = unsafe SSL_CTX_set_alpn_protos(raw, alpnWire, UInt32(alpnWire.count)) }
    case .server:
      unsafe linnet_ctx_set_server_session_mode(raw)
      // Without it OpenSSL refuses to resume sessions with client certificates.
      _ = unsafe SSL_CTX_set_session_id_context(raw, Array("linnet".utf8), 6)
      if !alpnWire.isEmpty { unsafe SSL_CTX_set_alpn_select_cb(raw, selectProtocol, address) }
    }
    if settings.keyLog != nil { unsafe SSL_CTX_set_keylog_callback(raw, collectKeyLogLine) }
  }

  /// Length-prefixed names (RFC 7301 §3.1).
  static func alpnWire(_ protocols: [String]) throws(TLSError) -> [UInt8] {
    var wire: [UInt8] = []
    for name in protocols {
      let bytes = Array(name.utf8)
      guard (1...255).contains(bytes.count), wire.count + bytes.count < 65535 else {
        throw .configuration("ALPN protocol \"\(name)\"", "must have 1 to 255 bytes")
      }
      wire.append(UInt8(bytes.count))
      wire.append(contentsOf: bytes)
    }
    return wire
  }

  // MARK: Verification

  /// Verifies the chain that a peer presented and notes why it failed.
  ///
  /// With ``TLSSettings/asksForDecision`` the first call notes the verdict and makes OpenSSL pause; the second one, after
  /// the decision, carries it out.
  fileprivate func verify(_ chain: OpaquePointer) -> Bool {
    // SAFETY: `chain` is OpenSSL's store context, live during the callback.
    let ssl = unsafe OpaquePointer(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()))
    guard let state = unsafe TLSTransportState.of(ssl) else { return false }
    if let decided = state.decision {
      let verdict = state.ownVerdictCode
      // Kept with the session, so that a resumption knows what the verdict was and not only how it was decided.
      unsafe X509_STORE_CTX_set_error(chain, verdict)
      state.verificationFailure = state.failure(by: decided)
      if state.verificationFailure == nil { return true }
      if verdict == X509_V_OK { unsafe X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION) }
      return false
    }
    let failure = unsafe ownFailure(chain, state)
    let unpinned = unsafe TLSVerification.pinFailure(
      of: X509_STORE_CTX_get0_cert(chain), pins: settings.pinnedPublicKeys, expectedName: state.expectedName)
    guard settings.asksForDecision else {
      state.verificationFailure = failure ?? unpinned
      return unsafe conclude(state, chain)
    }
    if let unpinned {
      state.verificationFailure = unpinned
      return unsafe conclude(state, chain)
    }
    let verdict =
      settings.verification == .none
      ? TLSPeerVerification.Verdict.notChecked : failure.map { .rejected($0) } ?? .accepted
    state.ownVerdictCode = unsafe X509_STORE_CTX_get_error(chain)
    do throws(TLSError) {
      state.request = TLSPeerVerification(
        chain: try unsafe TLSVerification.certificates(X509_STORE_CTX_get0_untrusted(chain)), verdict: verdict)
    } catch {
      state.verificationFailure = TLSError(.certificateInvalid(error.detail))
      return unsafe conclude(state, chain)
    }
    return unsafe linnet_ssl_retry_verify(ssl) == 1
  }

  /// Whether nothing was found; else OpenSSL gets a reason too, from which it derives its alert.
  private func conclude(_ state: TLSTransportState, _ chain: OpaquePointer) -> Bool {
    // SAFETY: `chain` is OpenSSL's store context, live during the callback.
    guard state.verificationFailure != nil else { return true }
    if unsafe X509_STORE_CTX_get_error(chain) == X509_V_OK {
      unsafe X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION)
    }
    return false
  }

  /// What the verification of chain and name finds; nil also when it is off.
  private func ownFailure(_ chain: OpaquePointer, _ state: TLSTransportState) -> TLSError? {
    // SAFETY: `chain` is OpenSSL's store context, live during the callback.
    if role == .client && settings.verification == .none { return nil }
    if unsafe X509_verify_cert(chain) == 1 { return nil }
    if TLSVerification.lacksIssuer(unsafe X509_STORE_CTX_get_error(chain)), loadFallback(),
      unsafe linnet_verify_again(chain) == 1
    {
      OpenSSLError.clearQueue()
      return nil
    }
    return unsafe TLSVerification.failure(
      X509_STORE_CTX_get_error(chain), certificate: X509_STORE_CTX_get_current_cert(chain),
      leaf: X509_STORE_CTX_get0_cert(chain), expectedName: state.expectedName, roots: roots)
  }

  /// Adds the bundle beside the hashed directory to the store, once.
  ///
  /// - Returns: Whether a second look at the chain makes sense.
  private func loadFallback() -> Bool {
    guard let file = roots?.fallbackFile else { return false }
    fallbackIsLoaded.withLock { isLoaded in
      guard !isLoaded else { return }
      isLoaded = true
      // SAFETY: the store locks itself while it adds certificates.
      _ = unsafe X509_STORE_load_file(SSL_CTX_get_cert_store(raw), file)
      OpenSSLError.clearQueue()
    }
    return true
  }
}

extension TLSVersion {
  /// The number on the wire.
  var number: Int32 {
    switch self {
    case .v1_2: TLS1_2_VERSION
    case .v1_3: TLS1_3_VERSION
    }
  }
}

/// Owns an `SSL_CTX` until the context object does.
@safe
private struct ContextHandle: ~Copyable {
  // SAFETY: `raw` is live until `deinit` or `release`.
  let raw: OpaquePointer

  init(_ role: TLSRole) throws(TLSError) {
    let method = unsafe role == .client ? TLS_client_method() : TLS_server_method()
    guard let context = unsafe SSL_CTX_new(method) else {
      throw TLSError(.cryptographyUnavailable, detail: OpenSSLError.lastReason())
    }
    unsafe raw = context
  }

  @unsafe
  consuming func release() -> OpaquePointer {
    let context = unsafe raw
    discard self
    return unsafe context
  }

  deinit { unsafe SSL_CTX_free(raw) }
}

// MARK: Callbacks of OpenSSL

private func verifyPeer(_ chain: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let chain = unsafe chain, let context = unsafe context else { return 0 }
  // SAFETY: `context` is the `TLSContext` that installed this callback; the connection keeps it alive.
  return unsafe Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().verify(chain) ? 1 : 0
}

private func storeNewSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
  // SAFETY: returning 1 takes over the reference that OpenSSL made for this call.
  guard let session = unsafe session, let state = unsafe TLSTransportState.of(ssl) else { return 0 }
  state.newSessions.append(unsafe TLSSession(owning: session, generation: state.generation))
  return 1
}

private func collectKeyLogLine(_ ssl: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
  // SAFETY: `line` is a terminated string that lives for the call.
  guard let line = unsafe line, let state = unsafe TLSTransportState.of(ssl) else { return }
  state.keyLogLines.append(unsafe String(cString: line))
}

/// Picks the first of the server's protocols that the client offers; without a common one the handshake ends with the
/// alert `no_application_protocol` (RFC 7301 §3.2).
private func selectProtocol(
  _ ssl: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ selectedLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context, let selected = unsafe selected, let selectedLength = unsafe selectedLength,
    let offered = unsafe offered, offeredLength > 0
  else { return SSL_TLSEXT_ERR_NOACK }
  // SAFETY: `context` is the `TLSContext` that installed this callback. The answer points into `offered`, which OpenSSL
  // keeps: the bytes are equal to ours and outlive the call.
  let wire = unsafe Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().alpnWire
  let client = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))
  var own = 0
  while own < wire.count {
    let length = Int(wire[own])
    let name = wire[(own + 1)..<(own + 1 + length)]
    var position = 0
    while position < client.count {
      let candidateLength = Int(unsafe client[position])
      guard position + 1 + candidateLength <= client.count else { break }
      let candidate = unsafe client[(position + 1)..<(position + 1 + candidateLength)]
      if unsafe candidate.elementsEqual(name) {
        unsafe selected.pointee = offered + position + 1
        unsafe selectedLength.pointee = UInt8(candidateLength)
        return SSL_TLSEXT_ERR_OK
      }
      position += 1 + candidateLength
    }
    own += 1 + length
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}
