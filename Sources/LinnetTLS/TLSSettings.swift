/// Everything that decides how TLS is spoken: a value, so that contexts can be cached by it and a changed setting can
/// never be served by an old context.
package struct TLSSettings: Sendable, Hashable {
  /// TLS 1.0 and 1.1 are not offered (RFC 8996).
  package var minimumVersion: TLSVersion = .v1_2
  package var maximumVersion: TLSVersion = .v1_3
  /// Protocols for ALPN (RFC 7301), most wanted first; empty sends no extension.
  package var alpn: [String] = []
  package var verification: TLSVerificationMode = .full
  package var trust: TLSTrust = .system
  /// Where the system's roots are named by the environment; see ``TrustRoots``.
  package var trustEnvironment = TrustEnvironment()
  /// The certificate that this side presents: required for a server, optional for a client.
  package var identity: TLSIdentity?
  /// Server role only: ask for a client certificate, verified against ``trust``, and refuse clients without one.
  package var requiresClientCertificate = false
  /// Server role only: clients without a certificate are taken, too.
  package var acceptsMissingClientCertificate = false
  /// SHA-256 of the public keys (SubjectPublicKeyInfo) of which the peer must have one, on top of ``verification``. Empty:
  /// any key will do.
  package var pinnedPublicKeys: Set<[UInt8]> = []
  /// Client role only: every handshake stops at ``HandshakeProgress/needsVerification(_:)`` until it is decided.
  package var asksForDecision = false
  /// An OpenSSL cipher list for TLS 1.2; nil takes ``defaultCipherList``.
  package var cipherList: String?
  /// The cipher suites of TLS 1.3, separated by colons; nil takes OpenSSL's, which are all sound.
  package var cipherSuites: String?
  /// Whether and where the owner writes key log lines (NSS format). The file is never written here.
  package var keyLog: String?

  package init() {}

  /// Forward secrecy and authenticated encryption only: Mozilla's "intermediate" profile without finite-field
  /// Diffie-Hellman, as in Go's and rustls' defaults. The AES suites lead because x86-64 and ARM64 servers have AES
  /// instructions.
  package static var defaultCipherList: String { "ECDHE+AESGCM:ECDHE+CHACHA20" }
}

extension TLSSettings {
  /// The files and directories that a context is made from: when one of them changes, a new context may differ.
  package var watchedPaths: [String] {
    var sources: [TLSSource] = []
    var paths: [String] = []
    if let identity { sources = [identity.certificateChain, identity.privateKey] }
    if verification == .full {
      switch trust {
      case .only(let given): sources += given
      case .systemAnd(let given):
        sources += given
        paths = trustEnvironment.watchedPaths
      }
    }
    for case .file(let path) in sources where !paths.contains(path) { paths.append(path) }
    return paths
  }
}

/// A version of the protocol that this client speaks.
package enum TLSVersion: Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case v1_2
  case v1_3

  package var description: String {
    switch self {
    case .v1_2: "TLSv1.2"
    case .v1_3: "TLSv1.3"
    }
  }
}

package enum TLSVerificationMode: Sendable, Hashable {
  /// Chain, validity, purpose and name.
  case full
  /// Nothing is checked: the connection is private but the peer may be anyone.
  case none
}

/// Which certificates are trusted as anchors.
package enum TLSTrust: Sendable, Hashable {
  /// The system's roots, or what the environment names instead, and these.
  case systemAnd([TLSSource])
  /// Only these: the environment and the system are not looked at.
  case only([TLSSource])

  package static var system: TLSTrust { .systemAnd([]) }
}

/// Bytes of certificates or keys, PEM or DER, that are given or lie in a file.
package enum TLSSource: Sendable, Hashable {
  case file(String)
  case bytes([UInt8])

  package static func text(_ pem: String) -> TLSSource { .bytes(Array(pem.utf8)) }
}

/// A certificate chain, the leaf first, with its private key.
package struct TLSIdentity: Sendable, Hashable {
  package var certificateChain: TLSSource
  package var privateKey: TLSSource
  /// ``certificateChain`` is a PKCS #12 store (RFC 7292) that has the key too; ``privateKey`` is not looked at.
  package private(set) var isPKCS12 = false
  /// Opens an encrypted key; ignored for a clear one.
  package var passphrase: String?

  package init(certificateChain: TLSSource, privateKey: TLSSource, passphrase: String? = nil) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
    self.passphrase = passphrase
  }

  /// Certificate, key and chain in one PKCS #12 store.
  package init(pkcs12 store: TLSSource, passphrase: String? = nil) {
    self.init(certificateChain: store, privateKey: store, passphrase: passphrase)
    isPKCS12 = true
  }
}

extension TLSIdentity: CustomStringConvertible {
  /// Names the files; never a key or a passphrase.
  package var description: String {
    "\(CredentialLoader.name(of: certificateChain, "certificate in memory")) with "
      + CredentialLoader.name(of: privateKey, "key in memory")
  }
}

package enum TLSRole: Sendable, Hashable {
  case client
  case server
}

/// The name that a client asks for and checks. Only DNS names are sent as SNI (RFC 6066 §3).
package enum TLSServerName: Sendable, Hashable {
  case dns(String)
  /// The text form of an address, without brackets.
  case ip(String)

  /// The name or address as text.
  package var text: String {
    switch self {
    case .dns(let text), .ip(let text): text
    }
  }

  /// Without the trailing dot of a rooted name and the zone of an address, neither of which certificates or SNI have.
  ///
  /// - Throws: A configuration error when it is neither a name nor an address.
  package func normalised() throws(TLSError) -> TLSServerName {
    switch self {
    case .dns(let text):
      let host = text.hasSuffix(".") ? String(text.dropLast()) : text
      // An empty name would switch the check off. 253 is the longest name of the DNS (RFC 1035 §2.3.4).
      guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .configuration("server name \"\(text)\"", "is not a host name")
      }
      return .dns(host)
    case .ip(let text):
      let address = String(text.prefix { $0 != "%" })
      guard TLSLibrary.isAddress(address) else {
        throw .configuration("server address \"\(address)\"", "is not an IP address")
      }
      return .ip(address)
    }
  }

  /// Decides by form: a host in its normalised form is an IPv6 address when it has a colon and an IPv4 address when it
  /// has only digits and dots.
  package init(host: String) {
    let isAddress =
      host.utf8.contains(UInt8(ascii: ":"))
      || (!host.isEmpty
        && host.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") })
    self = isAddress ? .ip(host) : .dns(host)
  }
}
