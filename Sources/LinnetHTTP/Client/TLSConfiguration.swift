/// How connections to `https` origins are protected. The defaults verify everything.
///
/// Connections made under different settings are never mixed, and a session made under one is never resumed under
/// another.
///
/// Files that are named here, or found for the system's authorities, are looked at again when a connection is made, at most
/// once a second: new connections use what has changed, and sessions of before are forgotten. Connections that exist stay
/// (``PoolConfiguration/maximumAge`` bounds them). A file that cannot be used when it has changed, because it is half
/// written or does not fit the others yet, leaves the last good content in use until it changes again.
public struct TLSConfiguration: Sendable, Hashable {
  /// A TLS protocol version.
  public enum Version: String, Sendable, Hashable, Comparable {
    /// TLS 1.2 (RFC 5246).
    case tls12 = "TLSv1.2"
    /// TLS 1.3 (RFC 8446).
    case tls13 = "TLSv1.3"

    /// Older versions are less.
    public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
  }

  /// Certificates or keys: a file or bytes, PEM or DER.
  public enum Source: Sendable, Hashable {
    /// The path of a file; for authorities also of a directory in which each has the name of its hash (`c_rehash`).
    case file(String)
    /// The content of such a file.
    case bytes([UInt8])
  }

  /// Which certificate authorities are trusted.
  public enum TrustRoots: Sendable, Hashable {
    /// The system's, searched at run time: `LINNET_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR` (unless
    /// ``TLSConfiguration/usesEnvironment`` is off), then the places of the common distributions.
    case system
    /// The system's and these.
    case systemAnd([Source])
    /// Only these.
    case only([Source])
  }

  /// A certificate chain and its private key, for servers that ask for one.
  public struct ClientIdentity: Sendable, Hashable {
    /// The client's certificate, followed by its chain.
    public var certificates: Source
    /// The private key. `nil`: it stands in the same source as the certificates.
    public var privateKey: Source?
    /// The pass phrase of an encrypted key.
    public var passphrase: String?
    /// Whether ``certificates`` is a PKCS #12 store, which has the key too.
    public let isPKCS12: Bool

    /// An identity from PEM or DER sources.
    public init(certificates: Source, privateKey: Source? = nil, passphrase: String? = nil) {
      self.certificates = certificates
      self.privateKey = privateKey
      self.passphrase = passphrase
      isPKCS12 = false
    }

    /// An identity from a PKCS #12 store (RFC 7292, `.p12` or `.pfx`): key, certificate, and chain.
    ///
    /// Stores that are encrypted with RC2 or single DES, as tools of before 2022 wrote them, cannot be read where OpenSSL
    /// has no legacy provider loaded; the error says so.
    public init(pkcs12 store: Source, passphrase: String? = nil) {
      certificates = store
      self.passphrase = passphrase
      isPKCS12 = true
    }
  }

  /// The lowest version that is offered. Default TLS 1.2 (RFC 8996 retires what is older).
  public var minimumVersion: Version = .tls12
  /// The highest version that is offered. Default: TLS 1.3.
  public var maximumVersion: Version = .tls13
  /// Whether the peer's certificate chain and name are checked. Default true. Without it anybody on the path can read
  /// and change everything; it exists for tests and the command's `-k`.
  public var verifiesPeer = true
  /// Which authorities are trusted. Default the system's.
  public var trustRoots: TrustRoots = .system
  /// The identity that is shown to a server that asks for one. Default none.
  public var clientIdentity: ClientIdentity?
  /// Whether sessions are resumed, which saves most of a handshake. Default true.
  public var resumesSessions = true
  /// A file to which session secrets are appended in the NSS key log format, for Wireshark. Default none: the library
  /// does not read `SSLKEYLOGFILE` by itself; the command does. Whoever reads this file can read the traffic.
  public var keyLogFile: String?
  /// Whether the `LINNET_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR` and `NIX_SSL_CERT_FILE` variables are honoured.
  /// Default true.
  public var usesEnvironment = true
  /// The OpenSSL cipher list for TLS 1.2. Default: forward secrecy and authenticated encryption only.
  public var cipherList: String?
  /// The cipher suites of TLS 1.3 by their names (RFC 8446 §B.4), the most wanted first, separated by colons. Default:
  /// OpenSSL's own, which are all sound.
  public var cipherSuites: String?
  /// The name, or IP address, that is asked for (SNI) and that the certificate must have, in place of the URL's host. Default:
  /// the URL's. It holds for every connection under these settings, so it belongs in those of a request or of a client for
  /// one host; proxies are not concerned.
  public var serverName: String?
  /// The public keys of which the server must have one, on top of every other check, and also when ``verifiesPeer`` is
  /// off. Only the server's own key counts, not its authorities'. Checked again for resumed sessions. When none matches the
  /// request fails with `publicKeyNotPinned`. Default: none, any key will do. Name a backup key as well, and proxies are not
  /// concerned.
  public var pinnedPublicKeys: Set<PublicKeyPin> = []
  /// Decides on certificates in place of, or on top of, OpenSSL's verification. Settings are equal only when they have the
  /// same object. Default: none.
  public var certificateVerifier: (any CertificateVerifier)? {
    get { verifier.object }
    set { verifier = VerifierIdentity(object: newValue) }
  }

  private var verifier = VerifierIdentity(object: nil)

  /// The defaults named at each property.
  public init() {}
}

/// A verifier, compared by identity.
private struct VerifierIdentity: Sendable, Hashable {
  let object: (any CertificateVerifier)?

  static func == (left: VerifierIdentity, right: VerifierIdentity) -> Bool { left.object === right.object }

  func hash(into hasher: inout Hasher) { hasher.combine(object.map { ObjectIdentifier($0) }) }
}

extension TLSConfiguration.ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says that there is an identity; neither the key nor its pass phrase is shown.
  public var description: String { "<client identity>" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
