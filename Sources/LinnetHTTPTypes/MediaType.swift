internal import LinnetBytes

/// A media type or media range (RFC 9110 §8.3.1, §12.5.1): `text/html; charset=utf-8`, `image/*`.
///
/// Type, subtype and parameter names are compared without case and kept in lower case; parameter values are kept as
/// they are.
public struct MediaType: Sendable, Hashable {
  /// One parameter.
  public struct Parameter: Sendable, Hashable {
    /// The name in lower case.
    public let name: String
    /// The value without quotes.
    public let value: String

    /// Makes a parameter.
    public init(name: String, value: String) {
      self.name = name.asciiLowercased
      self.value = value
    }
  }

  /// The part before the slash, in lower case; `*` in a range for all types.
  public let type: String
  /// The part after the slash, in lower case, with its suffix; `*` in a range for all subtypes.
  public let subtype: String
  /// The parameters in order, each name once.
  public let parameters: [Parameter]

  /// Makes a media type from its parts.
  ///
  /// - Returns: nil when the type, the subtype or the name of a parameter is not a token, a parameter's value has a
  ///   control character, or two parameters have the same name.
  public init?(type: String, subtype: String, parameters: [Parameter] = []) {
    guard Self.isToken(type.utf8), Self.isToken(subtype.utf8) else { return nil }
    guard
      parameters.allSatisfy({ Self.isToken($0.name.utf8) && $0.value.utf8.allSatisfy(ASCII.isFieldValue) })
    else { return nil }
    guard Set(parameters.map(\.name)).count == parameters.count else { return nil }
    self.init(checked: type.asciiLowercased, subtype.asciiLowercased, parameters)
  }

  /// Parses a `Content-Type` value or one member of `Accept`.
  ///
  /// A parameter that is malformed or repeats a name is skipped, as browsers do (WHATWG MIME Sniffing §4.4): a body
  /// stays usable although a server wrote `application/json;` or `text/html; charset`.
  ///
  /// - Returns: nil unless the text starts with two tokens joined by a slash.
  public init?(_ text: String) {
    var parser = MediaTypeParser(Array(text.utf8))
    guard let (type, subtype) = parser.parseEssence() else { return nil }
    self.init(checked: type, subtype, parser.parseParameters())
  }

  init(checked type: String, _ subtype: String, _ parameters: [Parameter]) {
    self.type = type
    self.subtype = subtype
    self.parameters = parameters
  }

  /// `type/subtype` without parameters.
  public var essence: String { "\(type)/\(subtype)" }

  /// The structured syntax suffix after the last `+` (RFC 6838 §4.2.8): `json` for `application/problem+json`.
  public var suffix: String? {
    guard let plus = subtype.lastIndex(of: "+") else { return nil }
    let suffix = subtype[subtype.index(after: plus)...]
    return suffix.isEmpty ? nil : String(suffix)
  }

  /// The value of a parameter, found without case.
  public func parameter(_ name: String) -> String? {
    let name = name.asciiLowercased
    return parameters.first { $0.name == name }?.value
  }

  /// The `charset` parameter in lower case, since charset names have no case (RFC 9110 §8.3.2).
  public var charset: String? { parameter("charset")?.asciiLowercased }

  /// Whether the content is JSON: `application/json`, `text/json` or any type with the suffix `+json`.
  public var isJSON: Bool { (subtype == "json" && (type == "application" || type == "text")) || suffix == "json" }

  /// Whether the content is XML: `application/xml`, `text/xml` or any type with the suffix `+xml` (RFC 7303).
  public var isXML: Bool { (subtype == "xml" && (type == "application" || type == "text")) || suffix == "xml" }

  /// Whether this type lies in `range` (RFC 9110 §12.5.1).
  ///
  /// `*/*` and `type/*` match as in `Accept`; a subtype `*+json` matches every subtype with that suffix. Every
  /// parameter of the range but the weight `q` must be present with the same value; that of `charset` is compared
  /// without case.
  public func matches(_ range: MediaType) -> Bool {
    guard range.type == "*" || range.type == type else { return false }
    guard range.subtype == "*" || range.subtype == subtype || matchesSuffix(of: range) else { return false }
    return range.parameters.allSatisfy { required in
      switch required.name {
      case "q": true
      case "charset": charset == required.value.asciiLowercased
      default: parameter(required.name) == required.value
      }
    }
  }

  private func matchesSuffix(of range: MediaType) -> Bool {
    range.subtype.hasPrefix("*+") && suffix != nil && range.subtype.dropFirst(2) == suffix.map { $0[...] }
  }

  static func isToken(_ bytes: some Collection<UInt8>) -> Bool { !bytes.isEmpty && bytes.allSatisfy(ASCII.isToken) }
}

extension MediaType: CustomStringConvertible {
  /// The type as it is sent; values that are not tokens are quoted.
  public var description: String {
    parameters.reduce(into: essence) { text, parameter in
      text += "; \(parameter.name)="
      if Self.isToken(parameter.value.utf8) {
        text += parameter.value
        return
      }
      text += "\""
      for scalar in parameter.value.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
      text += "\""
    }
  }
}
