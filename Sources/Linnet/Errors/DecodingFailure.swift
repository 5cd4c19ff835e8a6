public import FoundationEssentials
internal import LinnetHTTP

/// Where and why a response could not be decoded, in words that help to find the property.
public struct DecodingFailure: Sendable, Hashable {
  /// What is wrong.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A key that is not optional is missing.
    case missingKey
    /// There is a null where a value is expected.
    case missingValue
    /// The value has another type.
    case typeMismatch
    /// The value has the right type, but not a possible value.
    case invalidValue
    /// The text as a whole cannot be read.
    case invalidDocument
  }

  /// What is wrong.
  public let kind: Kind
  /// The place, such as `items[2].name`; empty for the document as a whole.
  public let path: String
  /// The Swift type that was asked for, such as `Int`, when known.
  public let expected: String?
  /// The kind of value that is there, such as `string` or `null`, when known. Never the value itself.
  public let found: String?
  /// What probably happened, such as a decimal number where an integer is expected.
  public let hint: String?
  /// The decoder's own words. They may quote the body, so they are in no description.
  public let decoderMessage: String?

  /// Reads Swift's error.
  ///
  /// - Parameters:
  ///   - error: What the decoder threw.
  ///   - data: The bytes that were decoded, when they are at hand: they are looked at for a hint.
  public init(_ error: DecodingError, data: Data? = nil) {
    self.init(error, data: data, response: nil)
  }

  /// Reads Swift's error, and says what the head of the response tells about a body that cannot be read at all.
  init(_ error: DecodingError, data: Data?, response: Response?) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init(
        .missingKey, path: context.codingPath + [key], context,
        hint: data.flatMap { JSONTree($0)?.hint(forMissing: key, below: context.codingPath) })
    case .valueNotFound(let type, let context):
      self.init(.missingValue, path: context.codingPath, context, expected: type, found: "null")
    case .typeMismatch(let type, let context):
      self.init(
        .typeMismatch, path: context.codingPath, context, expected: type,
        found: Self.kindFound(in: context.debugDescription))
    case .dataCorrupted(let context):
      // Foundation says this for text that is no JSON, and for numbers that do not fit.
      let isDocument = context.codingPath.isEmpty && context.debugDescription.hasPrefix("The given data was not valid")
      self.init(
        isDocument ? .invalidDocument : .invalidValue, path: context.codingPath, context,
        hint: isDocument
          ? data.map { Self.documentHint($0, of: response) } : Self.valueHint(from: context.debugDescription))
    @unknown default:
      self.init(.invalidDocument, path: [], nil)
    }
  }

  private init(
    _ kind: Kind, path: [any CodingKey], _ context: DecodingError.Context?, expected: Any.Type? = nil,
    found: String? = nil, hint: String? = nil
  ) {
    self.init(
      kind: kind, path: Self.text(of: path), expected: expected.map(Self.name(of:)), found: found, hint: hint,
      decoderMessage: context?.debugDescription)
  }

  private init(kind: Kind, path: String, expected: String?, found: String?, hint: String?, decoderMessage: String?) {
    self.kind = kind
    self.path = path
    self.expected = expected
    self.found = found
    self.hint = hint
    self.decoderMessage = decoderMessage
  }

  /// The same without the decoder's own words.
  func redactingPayload() -> DecodingFailure {
    DecodingFailure(kind: kind, path: path, expected: expected, found: found, hint: hint, decoderMessage: nil)
  }

  /// `items[2].name`.
  static func text(of path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return ErrorLine.singleLine(text)
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is [Any].Type: "array"
    case is [String: Any].Type: "object"
    default: String(describing: type)
    }
  }

  /// The kind of value that the decoder says to have found: it tells it only in its text. Only known words are taken.
  private static func kindFound(in message: String) -> String? {
    let words = message.split { !$0.isLetter }
    guard let found = words.lastIndex(of: "found") else { return nil }
    let kinds: [Substring: String] = [
      "string": "string", "number": "number", "bool": "boolean", "boolean": "boolean", "null": "null",
      "array": "array", "dictionary": "object", "object": "object",
    ]
    return words[found...].compactMap { kinds[$0] }.first
  }

  /// What the decoder says where it is known not to quote the value: `Cannot initialize Colour from invalid String value
  /// red` without its end, and what it has to say about dates and data.
  private static func valueHint(from message: String) -> String? {
    let fixed = ["Expected date string to be ISO8601-formatted.", "Encountered Data is not valid Base64."]
    if fixed.contains(message) { return String(message.dropLast()) }
    let parts = message.split(separator: " ")
    guard parts.count > 4, parts[0] == "Cannot", parts[1] == "initialize", parts[3] == "from", parts[4] == "invalid"
    else {
      return nil
    }
    return "\(parts[2]) has no such case"
  }

  private static func documentHint(_ data: Data, of response: Response?) -> String {
    let text = data.drop { $0 == 0x20 || 0x09...0x0D ~= $0 }
    switch text.first {
    case nil:
      let status = response.map { " (status \($0.statusCode))" } ?? ""
      return "the body is empty\(status): use EmptyResponse or an optional if that is expected"
    case UInt8(ascii: "<"):
      return "the body begins with '<': it is HTML or XML, not JSON\(contentType(of: response))"
    default:
      guard let tree = JSONTree(data) else { return "the body is not valid JSON\(contentType(of: response))" }
      return tree.hintForNumbers ?? "the body is valid JSON, but a number in it does not fit the type of its property"
    }
  }

  /// What the server says the body is, without parameters; nothing when it says nothing that can be read.
  private static func contentType(of response: Response?) -> String {
    guard let type = response?.headers["Content-Type"].flatMap({ MediaType($0) }) else { return "" }
    return " (Content-Type \(ErrorLine.singleLine(type.essence)))"
  }
}

extension DecodingFailure: CustomStringConvertible {
  /// One line, such as `items[2].name: expected String, found null`. Values of the body are not quoted.
  public var description: String {
    var text = path.isEmpty ? "" : "\(path): "
    switch kind {
    case .missingKey: text += "the key is missing"
    case .missingValue, .typeMismatch:
      text += "expected \(expected ?? "another type")" + (found.map { ", found \($0)" } ?? "")
    case .invalidValue: text += "the value is not valid"
    case .invalidDocument: text += hint ?? "the body cannot be read"
    }
    if kind != .invalidDocument, let hint { text += " (\(hint))" }
    return text
  }
}
