internal import CLinnetOpenSSL

/// What a PKCS #12 store holds.
struct PKCS12Content: ~Copyable {
  let key: KeyHandle
  let leaf: X509Handle
  private var chain: X509Stack

  fileprivate init(_ key: consuming KeyHandle, _ leaf: consuming X509Handle, _ chain: consuming X509Stack) {
    self.key = key
    self.leaf = leaf
    self.chain = chain
  }

  /// The issuers of the leaf in the order in which TLS sends them. A store has no order, and may hold more.
  mutating func takeChain() throws(TLSError) -> X509Stack {
    var ordered = try X509Stack()
    // SAFETY: all certificates belong to `leaf` and the two stacks, which live for the call.
    var subject = unsafe leaf.raw
    while unsafe X509_check_issued(subject, subject) != X509_V_OK {
      guard let index = unsafe chain.firstIndex(where: { unsafe X509_check_issued($0, subject) == X509_V_OK }),
        let issuer = chain.remove(at: index)
      else { break }
      unsafe subject = issuer.raw
      ordered.append(issuer)
    }
    OpenSSLError.clearQueue()
    return ordered
  }
}

extension CredentialLoader {
  /// The key, its certificate and other certificates of a PKCS #12 store (RFC 7292).
  static func pkcs12(_ source: TLSSource, passphrase: String?) throws(TLSError) -> PKCS12Content {
    let name = name(of: source, "PKCS #12 store")
    let bytes = try load(source, name)
    OpenSSLError.clearQueue()
    // SAFETY: the object is freed on every path; the parts go to handles at once.
    let parsed = unsafe decodedDER(bytes) { unsafe d2i_PKCS12(nil, &$0, $1) }
    guard let store = unsafe parsed else {
      throw .configuration(name, "is not a PKCS #12 store (\(OpenSSLError.lastReason()))")
    }
    defer { unsafe PKCS12_free(store) }
    var key: OpaquePointer?
    var leaf: OpaquePointer?
    var others: OpaquePointer?
    // A pass phrase is a C string to OpenSSL: what stands behind a NUL would be ignored.
    guard passphrase?.utf8.contains(0) != true else {
      throw .configuration(name, "the passphrase has a NUL character")
    }
    let isOpen = unsafe linnet_pkcs12_parse(store, passphrase ?? "", &key, &leaf, &others) == 1
    let keyHandle = unsafe key.map { unsafe KeyHandle(owning: $0) }
    let leafHandle = unsafe leaf.map { unsafe X509Handle(owning: $0) }
    let chain: X509Stack
    if let others = unsafe others { chain = unsafe X509Stack(owning: others) } else { chain = try X509Stack() }
    guard isOpen else { throw .configuration(name, failure(hasPassphrase: passphrase != nil)) }
    guard let keyHandle else { throw .configuration(name, "contains no private key") }
    guard let leafHandle else { throw .configuration(name, "contains no certificate of its private key") }
    return PKCS12Content(keyHandle, leafHandle, chain)
  }

  /// Why a store could not be opened, by OpenSSL's queue.
  private static func failure(hasPassphrase: Bool) -> String {
    let entries = OpenSSLError.drainQueue()
    if entries.contains(where: { $0.library == ERR_LIB_PKCS12 && $0.reason == PKCS12_R_MAC_VERIFY_FAILURE }) {
      return hasPassphrase
        ? "the passphrase does not open it" : "it is encrypted, and no passphrase was given"
    }
    if entries.contains(where: \.isUnsupportedAlgorithm) {
      return "it is encrypted with an algorithm that OpenSSL offers only in its legacy provider (RC2 or single DES, "
        + "as tools of before 2022 used); export it anew with AES-256"
    }
    return "cannot be opened (\(entries.first?.text ?? "unknown error"))"
  }
}
