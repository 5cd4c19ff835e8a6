internal import LinnetBytes
package import LinnetHTTPTypes

/// The secondary key of a stored response: the request fields that its `Vary` names, as they were in its request
/// (RFC 9111 §4.1).
///
/// Values of fields with credentials do not appear: the owner passes a function that replaces them, at storing and at
/// looking up.
package struct VaryKey: Sendable, Hashable {
  /// Replaces the value of a field that must not be stored, by name in lower case and value.
  package typealias Mask = (_ name: String, _ value: String) -> String

  /// The values by name in lower case; nil for a field that the request did not have.
  package let fields: [String: String?]

  /// A key that was stored.
  package init(fields: [String: String?]) { self.fields = fields }

  /// The key of a response to be stored; nil when its `Vary` has `*`, which no later request can match.
  package init?(response: HTTPHeaders, request: HTTPHeaders, masking mask: Mask) {
    guard let names = Self.names(in: response) else { return nil }
    var fields: [String: String?] = [:]
    for name in names { fields[name] = .some(request.value(for: name).map { mask(name, Self.trimmed($0)) }) }
    self.fields = fields
  }

  /// Whether a request asks for what was stored: every field is there or missing as it was, with the same value. Values
  /// of the `Accept` family compare as sets.
  package func matches(_ request: HTTPHeaders, masking mask: Mask) -> Bool {
    fields.allSatisfy { name, stored in
      let present = request.value(for: name).map { mask(name, Self.trimmed($0)) }
      guard let stored, let present else { return stored == nil && present == nil }
      return stored == present || Self.isNegotiation(name) && Preferences(stored) == Preferences(present)
    }
  }

  /// The field names of `Vary` in lower case, each once; nil when `*` is among them.
  package static func names(in response: HTTPHeaders) -> Set<String>? {
    var names: Set<String> = []
    response.forEachListMember(of: "Vary") { member in
      var bytes: [UInt8] = []
      for index in member.indices { bytes.append(ASCII.lowercased(member[index])) }
      names.insert(String(decoding: bytes, as: UTF8.self))
    }
    return names.contains("*") ? nil : names
  }

  private static func isNegotiation(_ name: String) -> Bool {
    switch name {
    case "accept", "accept-charset", "accept-encoding", "accept-language": true
    default: false
    }
  }

  private static func trimmed(_ value: String) -> String {
    var bytes = Array(value.utf8)[...]
    while let first = bytes.first, ASCII.isWhitespace(first) { bytes.removeFirst() }
    while let last = bytes.last, ASCII.isWhitespace(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The value of a negotiation field (RFC 9110 §12.5) as a set: order, whitespace, case and the spelling of a quality do
/// not matter.
private struct Preferences: Equatable {
  private struct Preference: Hashable {
    var range: String
    var quality: String
    var parameters: Set<String>
  }

  private let preferences: Set<Preference>

  init(_ value: String) {
    let bytes = Array(value.utf8)
    var found: Set<Preference> = []
    var scanner = FieldListScanner()
    while let range = scanner.next(in: bytes.span) { found.insert(Self.preference(bytes[range])) }
    preferences = found
  }

  private static func preference(_ member: ArraySlice<UInt8>) -> Preference {
    let parts = pieces(member)
    var preference = Preference(range: lowercased(parts.first ?? []), quality: "1000", parameters: [])
    for part in parts.dropFirst() where !part.isEmpty {
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
        preference.parameters.insert(lowercased(part))
        continue
      }
      let name = lowercased(trimmed(part[..<equals]))
      let argument = trimmed(part[(equals + 1)...])
      if name == "q" {
        preference.quality = thousandths(argument)
      } else {
        preference.parameters.insert("\(name)=\(String(decoding: argument, as: UTF8.self))")
      }
    }
    return preference
  }

  /// The parts between semicolons that are not in a quoted string.
  private static func pieces(_ member: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = member.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in member.indices {
      let byte = member[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ";"), !isQuoted {
        parts.append(trimmed(member[start..<index]))
        start = index + 1
      }
    }
    parts.append(trimmed(member[start...]))
    return parts
  }

  /// `0.5`, `.5`, `0.50` and `0.500` are all `500`; a text that is no quality stays itself.
  private static func thousandths(_ quality: ArraySlice<UInt8>) -> String {
    let halves = quality.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let whole = halves.first ?? []
    let fraction = halves.count > 1 ? halves[1].prefix(3) : []
    guard whole.count <= 1, !quality.isEmpty, (whole + fraction).allSatisfy(ASCII.isDigit) else {
      return String(decoding: quality, as: UTF8.self)
    }
    let padded = Array(fraction) + Array(repeating: UInt8(ascii: "0"), count: 3 - fraction.count)
    let total = padded.reduce(Int(whole.first.flatMap(ASCII.digitValue) ?? 0)) { sum, digit in
      sum * 10 + Int(ASCII.digitValue(digit) ?? 0)
    }
    return "\(min(total, 1000))"
  }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let first = bytes.first, ASCII.isWhitespace(first) { bytes.removeFirst() }
    while let last = bytes.last, ASCII.isWhitespace(last) { bytes.removeLast() }
    return bytes
  }
}
