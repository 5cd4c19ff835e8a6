/// The strictest percent-encoding: only the unreserved characters of RFC 3986 §2.3 stay.
///
/// For texts that are signed or compared byte for byte, such as those of AWS Signature Version 4 and PKCE.
public enum RFC3986Encoding {
  /// `text` with every byte but those of `A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_` and `~` replaced by `%XX`, in upper
  /// case. Text that is encoded already is encoded again.
  public static func encode(_ text: String) -> String { PercentEscaping.unreserved.escape(text) }
}
