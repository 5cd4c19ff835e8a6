internal import CLinnetOpenSSL
internal import LinnetBytes

/// A parsed X.509 certificate: its DER bytes and the fields that messages, pins and tests ask for.
///
/// A value without any OpenSSL object in it. Whether it is to be trusted is decided during the handshake, not here.
package struct Certificate: Sendable, Hashable {
  /// The whole certificate.
  package let der: [UInt8]
  /// The subject's name in the form of RFC 2253.
  package let subject: String
  /// The issuer's name in the form of RFC 2253.
  package let issuer: String
  /// The DNS names of the subject alternative names, in order.
  package let dnsNames: [String]
  /// The addresses of the subject alternative names in text form, in order.
  package let ipAddresses: [String]
  /// Seconds since 1970.
  package let notBefore: Int64
  /// Seconds since 1970.
  package let notAfter: Int64
  /// SHA-256 of the SubjectPublicKeyInfo: what pins compare (RFC 7469 §2.4).
  package let publicKeyDigest: [UInt8]

  /// The name, without its number, under which OpenSSL looks for the certificate in a directory (`c_rehash`).
  package let hashedName: String

  /// The digest in the form in which pins are written: `sha256//` and Base64.
  package var pin: String { Self.pin(ofDigest: publicKeyDigest) }

  static func pin(ofDigest digest: [UInt8]) -> String { "sha256//" + Base64.encode(digest) }

  /// Parses DER.
  package init(der bytes: [UInt8]) throws(TLSError) {
    OpenSSLError.clearQueue()
    // SAFETY: the object goes to a handle at once.
    let parsed = unsafe decodedDER(bytes) { unsafe d2i_X509(nil, &$0, $1) }
    guard let parsed = unsafe parsed else {
      throw .configuration("certificate", OpenSSLError.lastReason())
    }
    let handle = unsafe X509Handle(owning: parsed)
    try unsafe self.init(handle.raw)
  }

  /// All certificates of a PEM text, or the one of a DER file.
  package static func load(_ source: TLSSource) throws(TLSError) -> [Certificate] {
    let stack = try CredentialLoader.certificates(source)
    var result: [Certificate] = []
    try unsafe stack.forEach { certificate throws(TLSError) in
      result.append(try unsafe Certificate(certificate))
    }
    return result
  }

  /// Reads the fields of an object that the caller keeps.
  @unsafe
  init(_ certificate: OpaquePointer) throws(TLSError) {
    // SAFETY: the accessors return parts of `certificate`, which lives for the call.
    guard let der = unsafe encodedDER({ unsafe i2d_X509(certificate, &$0) }),
      let publicKey = unsafe encodedDER({ unsafe linnet_x509_public_key_der(certificate, &$0) })
    else { throw .configuration("certificate", OpenSSLError.lastReason()) }
    let names = unsafe PresentedNames.names(of: certificate)
    self.der = der
    subject = unsafe Self.text(of: X509_get_subject_name(certificate))
    issuer = unsafe Self.text(of: X509_get_issuer_name(certificate))
    dnsNames = names.dns
    ipAddresses = names.ip
    notBefore = unsafe linnet_asn1_time(X509_get0_notBefore(certificate))
    notAfter = unsafe linnet_asn1_time(X509_get0_notAfter(certificate))
    publicKeyDigest = try Digest.hash(publicKey.span, with: .sha256)
    let hash = String(unsafe UInt32(truncatingIfNeeded: X509_subject_name_hash(certificate)), radix: 16)
    hashedName = String(repeating: "0", count: 8 - hash.count) + hash
  }

  @unsafe
  static func text(of name: OpaquePointer?) -> String {
    guard let name = unsafe name, let bio = try? MemoryBIO() else { return "" }
    // SAFETY: both objects live for the call.
    _ = unsafe linnet_x509_print_name(bio.raw, name)
    return String(decoding: bio.contents, as: UTF8.self)
  }

  /// The certificate in PEM, with lines of 64 characters (RFC 7468 §2).
  package var pem: String { PEM.text(label: "CERTIFICATE", der) }
}

/// The textual encoding of RFC 7468; decoding is OpenSSL's.
enum PEM {
  static func text(label: String, _ der: [UInt8]) -> String {
    var lines = "-----BEGIN \(label)-----\n"
    var rest = Base64.encode(der)[...]
    while !rest.isEmpty {
      lines += rest.prefix(64) + "\n"
      rest = rest.dropFirst(64)
    }
    return lines + "-----END \(label)-----\n"
  }
}
