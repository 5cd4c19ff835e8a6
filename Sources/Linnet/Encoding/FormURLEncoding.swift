/// The `application/x-www-form-urlencoded` serialisation of the WHATWG URL standard (§5.2).
///
/// ``URLQueryEncoder/encodeForm(_:rootKey:)`` makes whole bodies from values; this is its serialisation of one name or
/// value.
public enum FormURLEncoding {
  /// `text` with letters, digits and `*-._` kept, a space as `+`, and every other byte, `~` included, as `%XX`.
  public static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    PercentEscaping.form.append(text, to: &bytes, space: UInt8(ascii: "+"))
    return String(decoding: bytes, as: UTF8.self)
  }
}
