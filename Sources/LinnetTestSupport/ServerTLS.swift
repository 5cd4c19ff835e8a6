internal import LinnetTLS

/// How a ``ScriptedServer`` speaks TLS.
///
/// ```swift
/// let certificates = try TestCertificates()
/// var options = ScriptedServer.Options()
/// options.tls = ServerTLS(try certificates.loopback())
/// let server = try ScriptedServer.start(.handler { _ in .text("secret") }, options: options)
/// // The client must trust certificates.authorityFile.
/// ```
public struct ServerTLS: Sendable {
  /// A protocol version.
  public enum Version: Sendable, Hashable {
    /// TLS 1.2 (RFC 5246).
    case v1_2
    /// TLS 1.3 (RFC 8446).
    case v1_3
  }

  /// The certificate chain and key that the server presents.
  public var certificate: TestCertificate
  /// The protocols that the server takes by ALPN, most wanted first; empty, the default, chooses none. A connection for
  /// which `h2` is chosen speaks HTTP/2, when its script is a handler.
  public var applicationProtocols: [String] = []
  /// Set, it makes the server demand a client certificate that this authority signed.
  public var clientAuthority: TestCertificate?
  /// Whether clients without a certificate are taken although ``clientAuthority`` is set; false by default.
  public var acceptsMissingClientCertificate = false
  /// The oldest version that the server takes; TLS 1.2 by default.
  public var minimumVersion: Version = .v1_2
  /// The newest version that the server takes; TLS 1.3 by default.
  public var maximumVersion: Version = .v1_3

  /// A server with this certificate, TLS 1.2 and 1.3, and no client certificates.
  public init(_ certificate: TestCertificate) { self.certificate = certificate }

  func makeContext() throws(TestSupportError) -> TLSContext {
    var settings = TLSSettings()
    settings.identity = certificate.identity
    settings.alpn = applicationProtocols
    settings.minimumVersion = minimumVersion == .v1_2 ? .v1_2 : .v1_3
    settings.maximumVersion = maximumVersion == .v1_2 ? .v1_2 : .v1_3
    if let clientAuthority {
      settings.requiresClientCertificate = true
      settings.acceptsMissingClientCertificate = acceptsMissingClientCertificate
      settings.trust = .only([clientAuthority.trust])
    }
    do throws(TLSError) {
      return try TLSContext(settings, role: .server)
    } catch {
      throw TestSupportError(call: "TLS", errno: 0, detail: error.description)
    }
  }
}
