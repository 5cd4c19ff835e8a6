/// How connections to `https` origins are protected. The defaults verify everything.
///
/// Connections made under different settings are never mixed, and a session made under one is never resumed under
/// another.
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
    /// The path of a file.
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

    /// An identity from PEM or DER sources.
    public init(certificates: Source, privateKey: Source? = nil, passphrase: String? = nil) {
      self.certificates = certificates
      self.privateKey = privateKey
      self.passphrase = passphrase
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
  /// The OpenSSL cipher list for TLS 1.2. Default: OpenSSL's own.
  public var cipherList: String?

  /// The defaults named at each property.
  public init() {}
}

extension TLSConfiguration.ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says that there is an identity; neither the key nor its pass phrase is shown.
  public var description: String { "<client identity>" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
