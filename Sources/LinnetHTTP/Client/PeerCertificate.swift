internal import LinnetTLS

/// A certificate that a peer presented (X.509, RFC 5280).
public struct PeerCertificate: Sendable, Hashable {
  /// The whole certificate in DER.
  public let der: [UInt8]
  /// The digest of its public key.
  public let publicKeyPin: PublicKeyPin
  /// Whom it names, in the form of RFC 2253.
  public let subject: String
  /// Who signed it, in the form of RFC 2253.
  public let issuer: String
  /// The DNS names that it is for; at most 100 names and addresses are read.
  public let dnsNames: [String]
  /// The IP addresses that it is for.
  public let ipAddresses: [String]
  /// When it becomes valid, in seconds since 1970.
  public let notBefore: Int64
  /// When it expires, in seconds since 1970.
  public let notAfter: Int64

  /// A certificate from its DER form; nil when that is none.
  public init?(der: [UInt8]) {
    guard let certificate = try? Certificate(der: der) else { return nil }
    self.init(certificate)
  }

  init?(_ certificate: Certificate) {
    guard let pin = PublicKeyPin(sha256: certificate.publicKeyDigest) else { return nil }
    der = certificate.der
    publicKeyPin = pin
    subject = certificate.subject
    issuer = certificate.issuer
    dnsNames = certificate.dnsNames
    ipAddresses = certificate.ipAddresses
    notBefore = certificate.notBefore
    notAfter = certificate.notAfter
  }
}
