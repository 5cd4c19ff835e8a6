/// Why a header field was refused.
///
/// The error names the field and never holds its value, which may be a secret.
public struct HTTPHeaderError: Error, Sendable, Hashable {
  /// What is wrong with a field.
  public struct Reason: Sendable, Hashable {
    enum Code: Sendable, Hashable {
      case emptyName
      case invalidName
      case controlInValue(UInt8)
      case colonInUsername
      case controlInCredentials
      case tooLarge
    }

    let code: Code

    /// The name is empty.
    public static var emptyName: Reason { Reason(code: .emptyName) }
    /// The name has a byte that is not a token character (RFC 9110 §5.6.2).
    public static var invalidName: Reason { Reason(code: .invalidName) }
    /// The value has CR, LF, NUL or another control byte than HTAB (RFC 9110 §5.5); it could have injected fields or a
    /// whole request.
    public static func controlInValue(_ byte: UInt8) -> Reason { Reason(code: .controlInValue(byte)) }
    /// The username of Basic credentials has a colon, which would move the border to the password (RFC 7617 §2).
    public static var colonInUsername: Reason { Reason(code: .colonInUsername) }
    /// Basic credentials have a control character (RFC 7617 §2).
    public static var controlInCredentials: Reason { Reason(code: .controlInCredentials) }
    /// The fields together would exceed 4 GiB.
    public static var tooLarge: Reason { Reason(code: .tooLarge) }
  }

  /// The name of the field as it was given; bytes that could break a log line are escaped.
  public let name: String
  /// What is wrong.
  public let reason: Reason

  init(name: String, reason: Reason) {
    self.name = name
    self.reason = reason
  }
}

extension HTTPHeaderError: CustomStringConvertible {
  /// One line that names the field and what is wrong, never the value.
  public var description: String {
    switch reason.code {
    case .emptyName: "a header field has an empty name"
    case .invalidName: "\"\(Self.printable(name))\" is not a valid header field name"
    case .controlInValue(let byte):
      "the value of header field \"\(Self.printable(name))\" contains the control byte \(byte)"
    case .colonInUsername: "the username for header field \"\(Self.printable(name))\" contains a colon"
    case .controlInCredentials:
      "the credentials for header field \"\(Self.printable(name))\" contain a control character"
    case .tooLarge: "the header fields exceed 4 GiB at \"\(Self.printable(name))\""
    }
  }

  /// At most 64 characters, with controls and non-ASCII escaped so that the text stays one line.
  private static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(64)
    return scalars.map { $0.escaped(asASCII: true) }.joined() + (text.unicodeScalars.count > 64 ? "…" : "")
  }
}
