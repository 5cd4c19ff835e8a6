internal import CLinnetOpenSSL

/// Turns the outcome of OpenSSL's chain and name verification into a reason in words.
enum TLSVerification {
  /// Whether a store with more certificates could have helped.
  static func lacksIssuer(_ result: Int32) -> Bool {
    switch result {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED:
      true
    default: false
    }
  }

  /// Why the key of a certificate is not one of the pinned ones; nil when it is, or there are none.
  ///
  /// - Parameter leaf: The peer's own certificate: authorities are not looked at, as in curl.
  @unsafe
  static func pinFailure(of leaf: OpaquePointer?, pins: Set<[UInt8]>, expectedName: String?) -> TLSError? {
    guard !pins.isEmpty else { return nil }
    guard let leaf = unsafe leaf else { return TLSError(.noPeerCertificate) }
    // SAFETY: the certificate belongs to the caller and lives for the call.
    guard let key = unsafe encodedDER({ unsafe linnet_x509_public_key_der(leaf, &$0) }),
      let digest = try? Digest.hash(key.span, with: .sha256)
    else { return TLSError(.cryptographyUnavailable, detail: OpenSSLError.lastReason()) }
    if pins.contains(digest) { return nil }
    return TLSError(
      .publicKeyNotPinned(observed: Certificate.pin(ofDigest: digest)), detail: expectedName.map { "of \($0)" } ?? "")
  }

  /// The certificates of a stack that the caller keeps, in its order.
  @unsafe
  static func certificates(_ stack: OpaquePointer?) throws(TLSError) -> [Certificate] {
    var result: [Certificate] = []
    // SAFETY: the elements belong to the stack, which lives for the call.
    for index in 0..<(unsafe linnet_x509_stack_count(stack)) {
      guard let element = unsafe linnet_x509_stack_at(stack, index) else { continue }
      result.append(try unsafe Certificate(element))
    }
    return result
  }

  /// The reason of a failed verification.
  ///
  /// - Parameters:
  ///   - result: An `X509_V_ERR_…` code.
  ///   - certificate: The certificate at fault, for the dates.
  ///   - leaf: The peer's own certificate, for its names.
  ///   - expectedName: The host that was asked for, nil when no name is checked.
  ///   - roots: What the system search found; nil when only given certificates are trusted.
  @unsafe
  static func failure(
    _ result: Int32, certificate: OpaquePointer?, leaf: OpaquePointer?, expectedName: String?, roots: TrustRoots?
  ) -> TLSError {
    // SAFETY: the certificates belong to the caller's store context and live for the call.
    if lacksIssuer(result), let roots, roots.isEmpty {
      return TLSError(.noTrustRoots(lookedAt: roots.lookedAt))
    }
    switch result {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return TLSError(
        .certificateExpired,
        detail: unsafe certificate.map { unsafe "it was valid until " + endText($0) } ?? "")
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return TLSError(
        .certificateNotYetValid,
        detail: unsafe certificate.map { unsafe "it is valid from " + startText($0) } ?? "")
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH, X509_V_ERR_EMAIL_MISMATCH:
      let names = unsafe leaf.map { unsafe PresentedNames.names(of: $0) } ?? PresentedNames.Names()
      return TLSError(
        .hostnameMismatch(presented: names.dns + names.ip), detail: expectedName.map { "expected \($0)" } ?? "")
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return TLSError(.selfSigned)
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return TLSError(.unknownIssuer, detail: "its root is self-signed and not among the trusted certificates")
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
      return TLSError(
        .unknownIssuer, detail: unsafe certificate.map { unsafe "issued by " + issuerText($0) } ?? "")
    case X509_V_ERR_CERT_REVOKED:
      return TLSError(.certificateRevoked)
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
      return TLSError(.weakCertificate, detail: text(result))
    case X509_V_ERR_CERT_CHAIN_TOO_LONG, X509_V_ERR_PATH_LENGTH_EXCEEDED:
      return TLSError(.chainTooLong)
    default:
      return TLSError(.certificateInvalid(text(result)))
    }
  }

  /// OpenSSL's words for a code.
  private static func text(_ result: Int32) -> String {
    // SAFETY: the function returns a constant string for every code.
    unsafe X509_verify_cert_error_string(Int(result)).map { unsafe String(cString: $0) } ?? "code \(result)"
  }

  @unsafe
  private static func endText(_ certificate: OpaquePointer) -> String {
    // SAFETY: the time belongs to the certificate, which lives for the call.
    guard let bio = try? MemoryBIO() else { return "" }
    _ = unsafe ASN1_TIME_print(bio.raw, X509_get0_notAfter(certificate))
    return String(decoding: bio.contents, as: UTF8.self)
  }

  @unsafe
  private static func startText(_ certificate: OpaquePointer) -> String {
    // SAFETY: the time belongs to the certificate, which lives for the call.
    guard let bio = try? MemoryBIO() else { return "" }
    _ = unsafe ASN1_TIME_print(bio.raw, X509_get0_notBefore(certificate))
    return String(decoding: bio.contents, as: UTF8.self)
  }

  @unsafe
  private static func issuerText(_ certificate: OpaquePointer) -> String {
    guard let bio = try? MemoryBIO() else { return "" }
    // SAFETY: both objects live for the call.
    _ = unsafe linnet_x509_print_name(bio.raw, X509_get_issuer_name(certificate))
    return String(decoding: bio.contents, as: UTF8.self)
  }
}
