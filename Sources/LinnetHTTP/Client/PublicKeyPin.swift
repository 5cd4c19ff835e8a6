internal import LinnetBytes

/// The SHA-256 digest of a public key (SubjectPublicKeyInfo, RFC 7469 §2.4), by which a server is known whoever signs its
/// certificate.
///
/// `openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`
/// prints that of a certificate, and the error of a connection that was refused names the one it observed.
public struct PublicKeyPin: Sendable, Hashable {
  /// Always 32 bytes.
  let digest: [UInt8]

  /// A pin from its digest; nil unless that has 32 bytes.
  public init?(sha256 digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    self.digest = digest
  }

  /// A pin as curl writes it: `sha256//` and Base64.
  ///
  /// - Throws: ``PublicKeyPinError`` for anything else; a forgotten pin would protect nothing.
  public init(_ text: String) throws(PublicKeyPinError) {
    let prefix = "sha256//"
    guard text.utf8.starts(with: prefix.utf8) else { throw PublicKeyPinError(text: text, reason: .missingPrefix) }
    guard let digest = Base64.decode(text.utf8.dropFirst(prefix.utf8.count)) else {
      throw PublicKeyPinError(text: text, reason: .invalidBase64)
    }
    guard digest.count == 32 else { throw PublicKeyPinError(text: text, reason: .wrongLength(digest.count)) }
    self.digest = digest
  }

  /// Several pins separated by `;`, as `curl --pinnedpubkey` takes them.
  ///
  /// - Throws: ``PublicKeyPinError`` for the first that is none; also for an empty one.
  public static func list(_ text: String) throws(PublicKeyPinError) -> Set<PublicKeyPin> {
    var pins: Set<PublicKeyPin> = []
    for part in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      pins.insert(try PublicKeyPin(String(decoding: part, as: UTF8.self)))
    }
    return pins
  }
}

extension PublicKeyPin: CustomStringConvertible {
  /// `sha256//` and Base64.
  public var description: String { "sha256//" + Base64.encode(digest) }
}

/// Why a text is no pin of a public key.
public struct PublicKeyPinError: Error, Sendable, Hashable {
  /// What is wrong with it.
  public enum Reason: Sendable, Hashable {
    /// It does not begin with `sha256//`.
    case missingPrefix
    /// What follows is not Base64 with its padding (RFC 4648 §4).
    case invalidBase64
    /// It decodes to this many bytes; a SHA-256 digest has 32.
    case wrongLength(Int)
  }

  /// The text.
  public let text: String
  /// What is wrong.
  public let reason: Reason
}

extension PublicKeyPinError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    let problem =
      switch reason {
      case .missingPrefix: "it must begin with sha256//"
      case .invalidBase64: "what follows sha256// is not Base64"
      case .wrongLength(let count): "it has \(count) bytes and not the 32 of SHA-256"
      }
    return "\"\(text.replacingLineBreaks())\" is no pin of a public key: \(problem)"
  }
}
