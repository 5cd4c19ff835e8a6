internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// One part of a form.
struct MultipartFormPart: Sendable {
  enum Content: Sendable {
    case bytes(Data)
    case file(FileSource)
    /// What could not be reported where the part was made.
    case missing(MultipartError)
  }

  let name: String
  let fileName: String?
  let mimeType: String?
  let content: Content

  /// The number of bytes of the content.
  var size: UInt64 {
    switch content {
    case .bytes(let data): UInt64(data.count)
    case .file(let file): file.size
    case .missing: 0
    }
  }

  static func file(at fileURL: URL, part: String) throws(MultipartError) -> FileSource {
    guard fileURL.isFileURL else {
      throw .fileUnavailable(part: part, path: fileURL.lastPathComponent, reason: "the URL is not one of a file")
    }
    let path = fileURL.path(percentEncoded: false)
    do throws(FileSource.Problem) {
      return try FileSource(path: path)
    } catch {
      throw .fileUnavailable(part: part, path: path, reason: "\(error)")
    }
  }

  func error(_ problem: FileSource.Problem, of file: FileSource) -> MultipartError {
    problem == .changed
      ? .fileChanged(part: name, path: file.path)
      : .fileUnavailable(part: name, path: file.path, reason: "\(problem)")
  }

  /// The lines before the content, the delimiter and the empty line included.
  func head(in form: MultipartFormData) throws(MultipartError) -> [UInt8] {
    if case .missing(let error) = content { throw error }
    var lines = ["--\(form.boundary)", disposition(form.nameEncoding)]
    if let mimeType {
      guard !mimeType.isEmpty, mimeType.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
        throw .invalidMIMEType(part: name)
      }
      lines.append("Content-Type: \(mimeType)")
    }
    if form.includesPartContentLength { lines.append("Content-Length: \(size)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  private func disposition(_ encoding: MultipartNameEncoding) -> String {
    var text = "Content-Disposition: form-data; " + Self.parameter("name", name, encoding)
    if let fileName { text += "; " + Self.parameter("filename", fileName, encoding) }
    return text
  }

  /// What would end the quoted text, and what is no text, is percent-encoded, as the HTML standard has it
  /// ("multipart/form-data encoding algorithm"); the backslash too, which some servers take for an escape.
  private static func parameter(_ key: String, _ value: String, _ encoding: MultipartNameEncoding) -> String {
    let value = value.normalizedNFC
    var quoted: [UInt8] = []
    for scalar in value.unicodeScalars {
      switch scalar.value {
      case ..<0x20, 0x22, 0x5C, 0x7F:
        PercentEscaping.appendEscape(of: UInt8(truncatingIfNeeded: scalar.value), to: &quoted)
      case 0x80... where encoding == .asciiWithExtension: quoted.append(UInt8(ascii: "_"))
      default: quoted.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    let plain = "\(key)=\"\(String(decoding: quoted, as: UTF8.self))\""
    if encoding == .utf8 || value.utf8.allSatisfy({ $0 < 0x80 }) { return plain }
    return plain + "; \(key)*=UTF-8''\(PercentEscaping.extendedParameter.escape(value))"
  }
}

extension PercentEscaping {
  /// `attr-char` of RFC 5987 §3.2.1.
  fileprivate static let extendedParameter = PercentEscaping(keepingAlphanumericsAnd: "!#$&+-.^_`|~")
}
