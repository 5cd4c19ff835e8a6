/// Why a multipart form cannot be encoded or sent. Each case names the part.
public enum MultipartError: Error, Sendable, Hashable {
  /// A file cannot be read.
  case fileUnavailable(part: String, path: String, reason: String)
  /// A file was replaced, or its size changed, after it was appended.
  case fileChanged(part: String, path: String)
  /// A number is infinite or undefined.
  case notFinite(part: String)
  /// The MIME type contains a character that no header may have.
  case invalidMIMEType(part: String)
  /// The content contains the boundary, so the parts could not be told apart.
  case containsBoundary(part: String)
  /// The form is larger than it may be in memory. The size is in bytes.
  case tooLarge(size: Int64, limit: Int)
  /// The encoded form cannot be written to a file.
  case cannotWrite(path: String, reason: String)
}

extension MultipartError: CustomStringConvertible {
  /// One line that names the culprit.
  public var description: String {
    switch self {
    case .fileUnavailable(let part, let path, let reason): "part \"\(part)\": cannot read \(path): \(reason)"
    case .fileChanged(let part, let path): "part \"\(part)\": \(path) changed after it was appended"
    case .notFinite(let part): "part \"\(part)\": the number is not finite"
    case .invalidMIMEType(let part): "part \"\(part)\": the MIME type contains a forbidden character"
    case .containsBoundary(let part): "part \"\(part)\" contains the form's boundary"
    case .tooLarge(let size, let limit): "the form of \(size) bytes is larger than the \(limit) allowed in memory"
    case .cannotWrite(let path, let reason): "cannot write the form to \(path): \(reason)"
    }
  }
}
