package import LinnetTLS

/// A certificate made for a test, with its private key.
public struct TestCertificate: Sendable, Hashable {
  package let generated: GeneratedIdentity

  /// The certificate alone, in PEM.
  public var certificatePEM: String { generated.certificatePEM }
  /// The certificate and the authorities between it and its root, in PEM: what a server or a client presents.
  public var chainPEM: String { generated.chainPEM }
  /// The private key in clear text, in PEM.
  public var privateKeyPEM: String { generated.keyPEM }
  /// The subject in one line.
  public var subject: String { generated.certificate.subject }
  /// The SHA-256 digest of the public key as curl writes a pin: `sha256//` and base64.
  public var publicKeyPin: String { generated.certificate.pin }

  /// The private key encrypted with a pass phrase, in PEM.
  ///
  /// - Throws: ``TestSupportError`` when OpenSSL refuses.
  public func encryptedPrivateKeyPEM(passphrase: String) throws(TestSupportError) -> String {
    do throws(TLSError) {
      return try generated.encryptedKeyPEM(passphrase: passphrase)
    } catch {
      throw TestSupportError(call: "private key", errno: 0, detail: error.description)
    }
  }

  /// Key, certificate and the authorities between it and its root in a PKCS #12 store.
  ///
  /// - Throws: ``TestSupportError`` when OpenSSL refuses.
  public func pkcs12(passphrase: String) throws(TestSupportError) -> [UInt8] {
    do throws(TLSError) {
      return try generated.pkcs12(passphrase: passphrase)
    } catch {
      throw TestSupportError(call: "PKCS #12 store", errno: 0, detail: error.description)
    }
  }

  /// For the settings of a TLS engine that presents this certificate.
  package var identity: TLSIdentity { generated.identity }
  /// For the settings of a TLS engine that trusts this certificate.
  package var trust: TLSSource { generated.trust }
}

/// A certificate authority for one test, the certificates it signs, and their files.
///
/// Everything is made at run time: no key lies in a repository and no certificate expires there. The files live in a
/// directory that is removed together with the last reference.
public final class TestCertificates: Sendable {
  /// When a certificate is valid.
  public enum Validity: Sendable, Hashable {
    /// From an hour ago for thirty days.
    case current
    /// Until an hour ago.
    case expired
    /// From an hour ahead.
    case notYetValid

    fileprivate var value: CertificateValidity {
      switch self {
      case .current: .current
      case .expired: .expired
      case .notYetValid: .notYetValid
      }
    }
  }

  /// Where the files of a certificate are. They can be read by their owner only.
  public struct Files: Sendable, Hashable {
    /// The chain in PEM, the leaf first.
    public let chain: String
    /// The private key in PEM.
    public let privateKey: String
  }

  /// The root that a client must trust; self-signed.
  public let authority: TestCertificate
  /// Where the files are; removed when this object is gone.
  public let directory: TemporaryDirectory
  /// The path of ``authority`` in PEM.
  public let authorityFile: String

  /// Makes an authority and writes its file.
  ///
  /// - Throws: ``TestSupportError`` when OpenSSL or the file system refuses.
  public init(commonName: String = "Linnet Test CA") throws(TestSupportError) {
    directory = try TemporaryDirectory()
    authority = try Self.making { () throws(TLSError) in try CertificateFactory.authority(commonName: commonName) }
    authorityFile = try directory.write(authority.certificatePEM, to: "authority.pem")
  }

  /// A server certificate for `localhost`, `127.0.0.1` and `::1`.
  public func loopback(validity: Validity = .current) throws(TestSupportError) -> TestCertificate {
    try server(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"], validity: validity)
  }

  /// A server certificate for these names.
  ///
  /// - Parameters:
  ///   - dnsNames: DNS names; a leading `*.` is allowed.
  ///   - ipAddresses: Addresses without brackets.
  ///   - validity: When it is valid. Default ``Validity/current``.
  ///   - issuer: Who signs it; nil stands for ``authority``.
  public func server(
    dnsNames: [String] = [], ipAddresses: [String] = [], validity: Validity = .current, issuer: TestCertificate? = nil
  ) throws(TestSupportError) -> TestCertificate {
    try Self.making { () throws(TLSError) in
      try CertificateFactory.server(
        dnsNames: dnsNames, ipAddresses: ipAddresses, validity: validity.value,
        issuer: (issuer ?? self.authority).generated)
    }
  }

  /// A server certificate for a host that no test uses.
  public func wrongHost() throws(TestSupportError) -> TestCertificate { try server(dnsNames: ["wrong.test"]) }

  /// A server certificate for `localhost`, `127.0.0.1` and `::1` that nobody but itself has signed.
  public func selfSigned() throws(TestSupportError) -> TestCertificate {
    try Self.making { () throws(TLSError) in
      try CertificateFactory.server(
        dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"], issuer: nil)
    }
  }

  /// A client certificate.
  ///
  /// - Parameters:
  ///   - commonName: The name in the subject.
  ///   - validity: When it is valid. Default ``Validity/current``.
  ///   - issuer: Who signs it; nil stands for ``authority``.
  public func client(
    commonName: String = "Linnet Test Client", validity: Validity = .current, issuer: TestCertificate? = nil
  ) throws(TestSupportError) -> TestCertificate {
    try Self.making { () throws(TLSError) in
      try CertificateFactory.client(
        commonName: commonName, validity: validity.value, issuer: (issuer ?? self.authority).generated)
    }
  }

  /// An authority that ``authority`` has signed, to be the issuer of others: their chains have three certificates.
  public func intermediate() throws(TestSupportError) -> TestCertificate {
    try Self.making { () throws(TLSError) in
      try CertificateFactory.authority(commonName: "Linnet Test Intermediate", issuer: self.authority.generated)
    }
  }

  /// Writes a certificate and its key to files.
  ///
  /// - Parameters:
  ///   - certificate: What is written.
  ///   - name: The start of the files' names.
  ///   - passphrase: Encrypts the key.
  public func write(
    _ certificate: TestCertificate, as name: String = "certificate", passphrase: String? = nil
  ) throws(TestSupportError) -> Files {
    var key = certificate.privateKeyPEM
    if let passphrase { key = try certificate.encryptedPrivateKeyPEM(passphrase: passphrase) }
    return Files(
      chain: try directory.write(certificate.chainPEM, to: "\(name).pem"),
      privateKey: try directory.write(key, to: "\(name).key"))
  }

  private static func making(
    _ body: () throws(TLSError) -> GeneratedIdentity
  ) throws(TestSupportError) -> TestCertificate {
    do throws(TLSError) {
      return TestCertificate(generated: try body())
    } catch {
      throw TestSupportError(call: "certificate", errno: 0, detail: error.description)
    }
  }
}
