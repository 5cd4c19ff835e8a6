/// Why TLS, or a part of its configuration, failed: a closed code to decide on and one line of words to show.
///
/// Thrown by everything in this module. The transport maps ``code`` with a total switch.
package struct TLSError: Error, Equatable, Sendable {
  package enum Code: Equatable, Sendable {
    // Verification of the peer's certificate (RFC 5280, RFC 9525).
    case certificateExpired
    case certificateNotYetValid
    /// The names that the certificate does present, in its order.
    case hostnameMismatch(presented: [String])
    case unknownIssuer
    case selfSigned
    case certificateRevoked
    /// A key or signature below the security level.
    case weakCertificate
    case chainTooLong
    /// Any other reason, in words.
    case certificateInvalid(String)
    /// No certificate could be trusted because no trusted certificates were found at any of these paths.
    case noTrustRoots(lookedAt: [String])
    case noPeerCertificate
    /// The peer's public key is none of the pinned ones; its pin, as `sha256//…`.
    case publicKeyNotPinned(observed: String)
    /// Whoever was asked to decide on the certificate refused it, for this reason.
    case certificateRefused(String)

    // The handshake and the connection.
    /// The first bytes of the peer were clear-text HTTP.
    case peerSpokePlainHTTP
    case peerClosedDuringHandshake
    case handshakeFailed
    /// The transport ended without a `close_notify` (RFC 8446 §6.1): what was read may be cut short.
    case truncated
    /// The peer sent this fatal alert (its name of RFC 8446 §6 in words).
    case alert(String)
    /// Bytes after the handshake that are not valid TLS.
    case protocolViolation

    /// A setting is unusable; the subject is a file, a variable or the name of the setting.
    case configuration(subject: String)
    /// OpenSSL refused an operation that has no other reason to fail than lack of memory or a policy such as FIPS.
    case cryptographyUnavailable
  }

  /// The part of the settings that a configuration error is about.
  package enum Area: Equatable, Sendable {
    case settings
    /// The own certificate and its key.
    case identity
    /// The trusted certificates.
    case trust
  }

  package let code: Code
  /// More than the code says, in words; may be empty.
  package let detail: String
  package private(set) var area = Area.settings

  package init(_ code: Code, detail: String = "") {
    self.code = code
    self.detail = detail
  }

  static func configuration(_ subject: String, _ detail: String) -> TLSError {
    TLSError(.configuration(subject: subject), detail: detail)
  }

  func concerning(_ area: Area) -> TLSError {
    var copy = self
    copy.area = area
    return copy
  }
}

extension TLSError: CustomStringConvertible {
  /// One line, fit for a terminal.
  package var description: String {
    detail.isEmpty ? summary : "\(summary): \(detail)"
  }

  /// The first names and how many more there are: a certificate may have a hundred.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(10).joined(separator: ", ")
    return names.count > 10 ? "\(shown) and \(names.count - 10) more" : shown
  }

  private var summary: String {
    switch code {
    case .certificateExpired: "the certificate has expired"
    case .certificateNotYetValid: "the certificate is not valid yet"
    case .hostnameMismatch(let presented):
      presented.isEmpty
        ? "the certificate names no host at all"
        : "the certificate is for \(Self.list(presented))"
    case .unknownIssuer: "the certificate's issuer is not trusted"
    case .selfSigned: "the certificate is self-signed and not trusted"
    case .certificateRevoked: "the certificate was revoked"
    case .weakCertificate: "the certificate uses a key or signature that is too weak"
    case .chainTooLong: "the certificate chain is too long"
    case .certificateInvalid(let reason): "the certificate is not valid (\(reason))"
    case .noTrustRoots(let paths):
      "no trusted certificates were found (looked at \(paths.joined(separator: ", "))); "
        + "name a file of them in SSL_CERT_FILE"
    case .noPeerCertificate: "the peer sent no certificate"
    case .publicKeyNotPinned(let observed): "the public key \(observed) is not pinned"
    case .certificateRefused(let reason): "the certificate was refused by the verifier (\(reason))"
    case .peerSpokePlainHTTP: "the peer spoke plain HTTP, not TLS"
    case .peerClosedDuringHandshake: "the peer closed the connection during the TLS handshake"
    case .handshakeFailed: "the TLS handshake failed"
    case .truncated: "the connection ended without a TLS close_notify"
    case .alert(let name): "the peer refused with the TLS alert \"\(name)\""
    case .protocolViolation: "the peer sent bytes that are not valid TLS"
    case .configuration(let subject): subject
    case .cryptographyUnavailable: "OpenSSL refused the operation"
    }
  }
}

extension TLSError {
  /// The server has nothing in common with what was offered by ALPN (RFC 7301 §3.2).
  package var isApplicationProtocolRefused: Bool { code == .alert(OpenSSLError.noApplicationProtocol) }
}
