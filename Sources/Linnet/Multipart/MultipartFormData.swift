public import FoundationEssentials
internal import LinnetHTTP

/// A form of parts, each a text, bytes or a file: the body of a `multipart/form-data` request (RFC 7578).
///
/// ```swift
/// let form = MultipartFormData {
///   TextField("name", value: "avatar")
///   FileField("image", fileURL: URL(fileURLWithPath: "/tmp/cat.png"))
/// }
/// ```
///
/// A form is a value. Files stay on the disk until the form is sent; then they are read piece by piece, so that a form
/// of any size takes little memory and no temporary file, and its length is known beforehand. A file that was replaced
/// or changed its size since it was appended fails the request. The same form always gives the same bytes, whether it is
/// streamed or encoded in memory.
///
/// Whatever is wrong with a part is reported when the form is encoded or sent, as a ``MultipartError`` that names it.
public struct MultipartFormData: Sendable {
  /// The text that separates the parts.
  public let boundary: String
  /// Whether each part has a `Content-Length`. Default false: no server needs it, and RFC 7578 §4.8 discourages it.
  public let includesPartContentLength: Bool
  /// Whether ``writeEncodedData(to:)`` waits until the file is on the disk. Default false.
  public let synchronizesEncodedFile: Bool
  /// How names with non-ASCII characters are written. Default: as UTF-8, which is what browsers send and servers read;
  /// RFC 7578 §4.2 forbids the `filename*` of the other form.
  public var nameEncoding = MultipartNameEncoding.utf8
  /// Whether texts are marked as `text/plain; charset=UTF-8`. Default false: without a type a part is text
  /// (RFC 7578 §4.4).
  public var includesTextContentType = false

  var parts: [MultipartFormPart] = []

  /// An empty form.
  ///
  /// - Parameters:
  ///   - boundary: The text that separates the parts; nil, the default, makes one that occurs nowhere else. Characters
  ///     that RFC 2046 §5.1.1 does not allow in a boundary, and spaces, are dropped, and it is cut to 70 characters.
  ///   - includesPartContentLength: Whether each part has a `Content-Length`.
  ///   - synchronizesEncodedFile: Whether ``writeEncodedData(to:)`` waits until the file is on the disk.
  public init(
    boundary: String? = nil, includesPartContentLength: Bool = false, synchronizesEncodedFile: Bool = false
  ) {
    let sanitised = MultipartBoundary.sanitised(boundary ?? "")
    self.boundary = sanitised.isEmpty ? MultipartBoundary.random() : sanitised
    self.includesPartContentLength = includesPartContentLength
    self.synchronizesEncodedFile = synchronizesEncodedFile
  }

  /// A form of the given fields.
  ///
  /// - Parameters:
  ///   - boundary: The text that separates the parts; nil, the default, makes one that occurs nowhere else.
  ///   - fields: ``TextField``, ``DataField`` and ``FileField`` values; `if`, `switch` and `for` may stand among them.
  public init(boundary: String? = nil, @MultipartBuilder _ fields: () throws -> [any MultipartField]) rethrows {
    self.init(boundary: boundary)
    for field in try fields() { field.append(to: &self) }
  }

  /// Appends a text.
  public mutating func append(_ value: String, name: String) {
    append(
      .bytes(Data(value.utf8)), name: name, mimeType: includesTextContentType ? ContentType.textPlain.rawValue : nil)
  }

  /// Appends a number in decimal digits.
  public mutating func append(_ value: Int, name: String) { append(String(value), name: name) }

  /// Appends a number in its shortest form, such as `0.1` or `1e+20`.
  ///
  /// - Throws: ``MultipartError/notFinite(part:)`` for an infinite or undefined number.
  public mutating func append(_ value: Double, name: String) throws(MultipartError) {
    guard value.isFinite else { throw .notFinite(part: name) }
    append(value.description, name: name)
  }

  /// Appends `true` or `false`.
  public mutating func append(_ value: Bool, name: String) { append(value ? "true" : "false", name: name) }

  /// Appends bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - name: The name of the field.
  ///   - fileName: The name of the file that they are said to be; nil, the default, for none.
  ///   - mimeType: Their `Content-Type`; nil, the default, gives none, or the one that belongs to the extension of
  ///     `fileName`.
  public mutating func append(_ data: Data, name: String, fileName: String? = nil, mimeType: String? = nil) {
    append(
      .bytes(data), name: name, fileName: fileName, mimeType: mimeType ?? fileName.map(MIMEType.ofFile(named:)))
  }

  /// Appends a file, which is read when the form is sent.
  ///
  /// - Parameters:
  ///   - fileURL: Where it is; its last component becomes the file name.
  ///   - name: The name of the field.
  ///   - mimeType: Its `Content-Type`; nil, the default, takes the one that belongs to its extension, or
  ///     `application/octet-stream`.
  /// - Throws: ``MultipartError/fileUnavailable(part:path:reason:)`` when there is no such file, or when it is a
  ///   directory, a pipe or a device.
  public mutating func appendFile(at fileURL: URL, name: String, mimeType: String? = nil) throws(MultipartError) {
    let file = try MultipartFormPart.file(at: fileURL, part: name)
    let fileName = fileURL.lastPathComponent
    append(.file(file), name: name, fileName: fileName, mimeType: mimeType ?? MIMEType.ofFile(named: fileName))
  }

  mutating func append(
    _ content: MultipartFormPart.Content, name: String, fileName: String? = nil, mimeType: String? = nil
  ) {
    parts.append(MultipartFormPart(name: name, fileName: fileName, mimeType: mimeType, content: content))
  }

  /// The `Content-Type` of the request: `multipart/form-data` with the boundary.
  public var contentTypeHeader: String {
    let needsQuotes = !boundary.utf8.allSatisfy(MultipartBoundary.isToken)
    return "multipart/form-data; boundary=" + (needsQuotes ? "\"\(boundary)\"" : boundary)
  }
}

/// How the names of fields and files with non-ASCII characters are written.
public enum MultipartNameEncoding: Sendable, Hashable, CaseIterable {
  /// An ASCII form with `_` for each other character, and the name itself percent-encoded in a second parameter with an
  /// asterisk (RFC 5987): `name="_"; name*=UTF-8''%C3%BC`. For servers that cannot read UTF-8 there.
  case asciiWithExtension
  /// UTF-8, as browsers do it and RFC 7578 §5.1 describes it: `name="ü"`.
  case utf8
}
