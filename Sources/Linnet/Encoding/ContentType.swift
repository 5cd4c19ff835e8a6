/// The media types that the typed client names, as they stand in a `Content-Type` field.
public enum ContentType: String, Sendable, Hashable, CaseIterable {
  /// JSON. The charset is redundant (RFC 8259 §8.1); servers that look for it exist.
  case json = "application/json; charset=UTF-8"
  /// XML.
  case xml = "application/xml"
  /// A form in the body's text.
  case formUrlEncoded = "application/x-www-form-urlencoded; charset=UTF-8"
  /// HTML.
  case textHTML = "text/html"
  /// Plain text.
  case textPlain = "text/plain; charset=UTF-8"
  /// A form of parts. On the wire it needs its boundary, see ``MultipartFormData/contentTypeHeader``.
  case multipartFormData = "multipart/form-data"
  /// A PNG image.
  case imagePNG = "image/png"
  /// A JPEG image.
  case imageJPEG = "image/jpeg"
  /// A PDF document.
  case pdf = "application/pdf"
  /// A Protocol Buffers message.
  case protobuf = "application/x-protobuf"
  /// Bytes of an unknown kind.
  case octetStream = "application/octet-stream"
}
