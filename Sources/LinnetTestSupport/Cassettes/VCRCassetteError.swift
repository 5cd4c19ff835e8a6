/// Why a cassette's file could not be read or written.
public struct VCRCassetteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The file cannot be opened or read.
    case unreadable
    /// The file is not JSON.
    case invalidJSON
    /// A field is missing, of the wrong type or has an impossible value.
    case invalidField
    /// The file cannot be written.
    case unwritable
  }

  /// The kind of failure.
  public let code: Code
  /// The path of the file.
  public let path: String
  /// The line of what is not JSON, from 1 on.
  public let line: Int?
  /// The path of the field that is wrong, such as `interactions[2].response.statusCode`.
  public let field: String?
  /// What is wrong, in words.
  public let detail: String

  init(_ code: Code, path: String, line: Int? = nil, field: String? = nil, detail: String) {
    self.code = code
    self.path = path
    self.line = line
    self.field = field
    self.detail = detail
  }

  /// One line: `users.json:12: expected a value`, `users.json: interactions[0].request.url: is missing`.
  public var description: String {
    let place = line.map { ":\($0)" } ?? field.map { ": \($0)" } ?? ""
    return "cassette \(path)\(place): \(detail)"
  }
}

extension VCRCassetteError {
  init(_ error: DecodingError, path: String) {
    let place: [any CodingKey]
    let detail: String
    switch error {
    case .keyNotFound(let key, let context):
      place = context.codingPath + [key]
      detail = "is missing"
    case .valueNotFound(_, let context):
      place = context.codingPath
      detail = "is null"
    case .typeMismatch(let type, let context):
      place = context.codingPath
      detail = "is not of the type \(type)"
    case .dataCorrupted(let context):
      place = context.codingPath
      detail = context.debugDescription
    @unknown default:
      place = []
      detail = "\(error)"
    }
    self.init(.invalidField, path: path, field: Self.text(place), detail: detail)
  }

  private static func text(_ place: [any CodingKey]) -> String {
    let text = place.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += "\(text.isEmpty ? "" : ".")\(key.stringValue)"
      }
    }
    return text.isEmpty ? "the file" : text
  }
}
