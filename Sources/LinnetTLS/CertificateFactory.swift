internal import CLinnetOpenSSL

/// Makes certificates at run time, for tests and demonstrations: authorities, servers, clients, also expired ones. Keys
/// are EC P-256, which take a tenth of a millisecond to make.
///
/// Not for production: there is no revocation, no policy, and keys live in memory.
package enum CertificateFactory {
  /// A certificate authority: self-signed, or signed by `issuer` as an intermediate.
  ///
  /// - Parameter maximumIntermediates: How many authorities may follow it in a chain (RFC 5280 §4.2.1.9); nil for any
  ///   number.
  package static func authority(
    commonName: String = "Linnet Test CA", validity: CertificateValidity = .current,
    maximumIntermediates: UInt8? = nil, issuer: GeneratedIdentity? = nil
  ) throws(TLSError) -> GeneratedIdentity {
    let pathLength = maximumIntermediates.map { ",pathlen:\($0)" } ?? ""
    return try make(
      Request(
        commonName: commonName, validity: validity, issuer: issuer,
        extensions: [
          (NID_basic_constraints, "critical,CA:TRUE" + pathLength), (NID_key_usage, "critical,keyCertSign,cRLSign"),
        ]))
  }

  /// A server's certificate.
  ///
  /// - Parameters:
  ///   - dnsNames: DNS subject alternative names; a leading `*.` is allowed.
  ///   - ipAddresses: Addresses in text form, without brackets.
  ///   - issuer: nil makes it self-signed.
  package static func server(
    dnsNames: [String] = [], ipAddresses: [String] = [], commonName: String = "Linnet Test Server",
    validity: CertificateValidity = .current, issuer: GeneratedIdentity?
  ) throws(TLSError) -> GeneratedIdentity {
    let names = dnsNames.map { "DNS:\($0)" } + ipAddresses.map { "IP:\($0)" }
    // The extension is given to OpenSSL as text in which these bytes mean something.
    for name in names where !name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) {
      throw .configuration("certificate name \"\(name)\"", "is not a host name or address")
    }
    var extensions = endEntity("serverAuth")
    if !names.isEmpty { extensions.append((NID_subject_alt_name, names.joined(separator: ","))) }
    return try make(
      Request(commonName: commonName, validity: validity, issuer: issuer, extensions: extensions))
  }

  /// A client's certificate.
  package static func client(
    commonName: String = "Linnet Test Client", validity: CertificateValidity = .current, issuer: GeneratedIdentity?
  ) throws(TLSError) -> GeneratedIdentity {
    try make(
      Request(commonName: commonName, validity: validity, issuer: issuer, extensions: endEntity("clientAuth")))
  }

  /// Extensions of a certificate that is not an authority's.
  private static func endEntity(_ usage: String) -> [(Int32, String)] {
    [
      (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
      (NID_ext_key_usage, usage),
    ]
  }

  private struct Request {
    let commonName: String
    let validity: CertificateValidity
    let issuer: GeneratedIdentity?
    /// Identifiers and values in OpenSSL's notation.
    let extensions: [(Int32, String)]
  }

  private static func make(_ request: Request) throws(TLSError) -> GeneratedIdentity {
    OpenSSLError.clearQueue()
    // SAFETY: all objects live in handles until the end of the function; OpenSSL copies what it is given.
    guard let rawKey = unsafe linnet_p256_key() else { throw failure() }
    let key = unsafe KeyHandle(owning: rawKey)
    guard let rawCertificate = unsafe X509_new() else { throw failure() }
    let certificate = unsafe X509Handle(owning: rawCertificate)
    let name = unsafe X509_get_subject_name(certificate.raw)
    let commonName = Array(request.commonName.utf8)
    guard unsafe X509_set_version(certificate.raw, 2) == 1,
      unsafe X509_set_pubkey(certificate.raw, key.raw) == 1,
      unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.raw), try serialNumber()) == 1,
      unsafe linnet_x509_name_add(name, "CN", commonName, Int32(clamping: commonName.count)) == 1
    else { throw failure() }
    unsafe request.validity.apply(to: certificate.raw)

    if let issuer = request.issuer {
      let issuerKey = try CredentialLoader.privateKey(.bytes(issuer.keyDER), passphrase: nil)
      var issuerCertificates = try CredentialLoader.certificates(.bytes(issuer.certificate.der))
      guard let issuerCertificate = issuerCertificates.popFirst() else { throw failure() }
      try unsafe finish(certificate.raw, request, issuerCertificate.raw, issuerKey.raw)
    } else {
      try unsafe finish(certificate.raw, request, certificate.raw, key.raw)
    }
    guard let keyDER = unsafe encodedDER({ unsafe i2d_PrivateKey(key.raw, &$0) }) else { throw failure() }
    return GeneratedIdentity(
      certificate: try unsafe Certificate(certificate.raw), keyDER: keyDER,
      isSelfSigned: request.issuer == nil,
      intermediates: request.issuer.map { $0.isSelfSigned ? [] : [$0.certificate] + $0.intermediates } ?? [])
  }

  /// Extensions and signature.
  @unsafe
  private static func finish(
    _ certificate: OpaquePointer, _ request: Request, _ issuer: OpaquePointer, _ issuerKey: OpaquePointer
  ) throws(TLSError) {
    // SAFETY: the caller keeps all objects alive.
    guard unsafe X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 else { throw failure() }
    let keyIdentifiers = [(NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always")]
    for (identifier, value) in request.extensions + keyIdentifiers {
      guard unsafe linnet_x509_add_extension(certificate, issuer, identifier, value) == 1 else { throw failure() }
    }
    guard unsafe X509_sign(certificate, issuerKey, EVP_sha256()) > 0 else { throw failure() }
  }

  private static func serialNumber() throws(TLSError) -> UInt64 {
    var bytes = [UInt8](repeating: 0, count: 8)
    // SAFETY: OpenSSL writes exactly the eight bytes.
    guard unsafe RAND_bytes(&bytes, 8) == 1 else { throw failure() }
    // A serial number is positive (RFC 5280 §4.1.2.2).
    return max(1, bytes.reduce(0) { $0 << 8 | UInt64($1) } >> 1)
  }

  private static func failure() -> TLSError {
    TLSError.configuration("certificate", "cannot be made (\(OpenSSLError.lastReason()))")
  }
}

/// When a generated certificate is valid.
package enum CertificateValidity: Sendable, Hashable {
  /// Seconds since 1970.
  case absolute(notBefore: Int64, notAfter: Int64)
  /// Seconds relative to OpenSSL's clock.
  case relative(notBefore: Int, notAfter: Int)

  /// From an hour ago for thirty days.
  package static var current: CertificateValidity { .relative(notBefore: -3600, notAfter: 30 * 86400) }
  /// Ended an hour ago.
  package static var expired: CertificateValidity { .relative(notBefore: -86400, notAfter: -3600) }
  /// Begins in an hour.
  package static var notYetValid: CertificateValidity { .relative(notBefore: 3600, notAfter: 86400) }

  @unsafe
  fileprivate func apply(to certificate: OpaquePointer) {
    // SAFETY: the times belong to the certificate, which lives for the call.
    let start = unsafe X509_getm_notBefore(certificate)
    let end = unsafe X509_getm_notAfter(certificate)
    switch self {
    case .absolute(let notBefore, let notAfter):
      unsafe ASN1_TIME_set(start, Int(notBefore))
      unsafe ASN1_TIME_set(end, Int(notAfter))
    case .relative(let notBefore, let notAfter):
      unsafe X509_gmtime_adj(start, notBefore)
      unsafe X509_gmtime_adj(end, notAfter)
    }
  }
}

/// A certificate that was made here, with its private key.
package struct GeneratedIdentity: Sendable, Hashable {
  package let certificate: Certificate
  /// The private key in the form of RFC 5915, DER.
  package let keyDER: [UInt8]
  fileprivate let isSelfSigned: Bool
  /// The authorities between the certificate and its root, the nearest first.
  package let intermediates: [Certificate]

  /// The certificate alone: what a client trusts when this is an authority.
  package var certificatePEM: String { certificate.pem }
  /// The certificate and its intermediates, as servers and clients present them.
  package var chainPEM: String { certificate.pem + intermediates.map(\.pem).joined() }
  /// The private key in clear text.
  package var keyPEM: String { PEM.text(label: "EC PRIVATE KEY", keyDER) }

  /// The private key encrypted (PKCS #8, AES-256).
  package func encryptedKeyPEM(passphrase: String) throws(TLSError) -> String {
    let key = try CredentialLoader.privateKey(.bytes(keyDER), passphrase: nil)
    let bio = try MemoryBIO()
    let secret = Array(passphrase.utf8)
    // SAFETY: the key and the passphrase are read during the call.
    let written = unsafe secret.withUnsafeBytes { secret in
      unsafe PEM_write_bio_PKCS8PrivateKey(
        bio.raw, key.raw, EVP_aes_256_cbc(), secret.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(clamping: secret.count), nil, nil)
    }
    guard written == 1 else { throw .configuration("private key", OpenSSLError.lastReason()) }
    return String(decoding: bio.contents, as: UTF8.self)
  }

  /// Key, certificate and intermediates in a PKCS #12 store, encrypted by what OpenSSL takes for it (AES-256).
  package func pkcs12(passphrase: String) throws(TLSError) -> [UInt8] {
    let key = try CredentialLoader.privateKey(.bytes(keyDER), passphrase: nil)
    var own = try CredentialLoader.certificates(.bytes(certificate.der))
    guard let leaf = own.popFirst() else { throw TLSError(.cryptographyUnavailable) }
    var others = try X509Stack()
    // In no useful order, as stores are: a reader must find it.
    for issuer in intermediates.reversed() {
      var stack = try CredentialLoader.certificates(.bytes(issuer.der))
      if let issuer = stack.popFirst() { others.append(issuer) }
    }
    // SAFETY: all objects live for the call, and the store is freed after it was encoded.
    guard let store = unsafe PKCS12_create(passphrase, nil, key.raw, leaf.raw, others.raw, 0, 0, 0, 0, 0) else {
      throw .configuration("PKCS #12 store", OpenSSLError.lastReason())
    }
    defer { unsafe PKCS12_free(store) }
    guard let bytes = unsafe encodedDER({ unsafe i2d_PKCS12(store, &$0) }) else {
      throw .configuration("PKCS #12 store", OpenSSLError.lastReason())
    }
    return bytes
  }

  /// For ``TLSSettings/identity``.
  package var identity: TLSIdentity {
    TLSIdentity(certificateChain: .text(chainPEM), privateKey: .text(keyPEM))
  }

  /// For ``TLSTrust``: this certificate as an anchor.
  package var trust: TLSSource { .bytes(certificate.der) }
}
