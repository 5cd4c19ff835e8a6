internal import LinnetBytes
package import LinnetHTTPTypes

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.6.1).
///
/// A comma separates challenges as well as parameters, and a field may stand several times. What decides is what follows
/// a name: `=` makes it a parameter, anything else a scheme. Read as generously as is safe: parameters without a comma
/// between them and values without quotes are taken, and what makes no sense is skipped up to the next comma.
package struct AuthChallenge: Sendable, Hashable {
  /// A name and its value.
  package struct Parameter: Sendable, Hashable {
    /// In lower case.
    package let name: String
    /// Without quotes and escapes; bytes, because they need not be UTF-8 and are hashed and sent back.
    package let value: [UInt8]
  }

  /// The scheme in lower case, such as `digest`.
  package let scheme: String
  /// The credentials in one piece that some schemes use in place of parameters.
  package fileprivate(set) var token68: String?
  /// The parameters in order; of one that is repeated, which must not be, only the first is kept.
  package fileprivate(set) var parameters: [Parameter] = []

  /// The most challenges that are kept: servers send one for each scheme and algorithm that they know.
  package static var maximumChallenges: Int { 32 }
  /// The most parameters of one challenge that are kept; Digest has ten.
  package static var maximumParameters: Int { 32 }

  /// The value of the parameter of this name, which must be in lower case.
  package func value(of name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }

  /// The same as text, for values that are ASCII by definition.
  package func text(of name: String) -> String? { value(of: name).map { String(decoding: $0, as: UTF8.self) } }

  /// All challenges of the fields of this name, in order.
  package static func all(in headers: HTTPHeaders, field: String) -> [AuthChallenge] {
    var parser = Parser()
    headers.forEachValue(of: field) { parser.parse($0) }
    return parser.challenges
  }

  /// The parameters of the fields of this name that have no scheme: `Authentication-Info` (RFC 7615).
  package static func information(in headers: HTTPHeaders, field: String) -> AuthChallenge {
    var parser = Parser()
    parser.challenges = [AuthChallenge(scheme: "")]
    headers.forEachValue(of: field) { parser.parse($0) }
    return parser.challenges.first ?? AuthChallenge(scheme: "")
  }
}

extension AuthChallenge {
  /// Reads field values one after the other. A value that begins with a parameter goes on with the challenge before it,
  /// as the list that all fields make together does (RFC 9110 §5.3).
  private struct Parser {
    var challenges: [AuthChallenge] = []
    private var position = 0

    mutating func parse(_ value: Span<UInt8>) {
      position = 0
      while true {
        skip(value) { ASCII.isWhitespace($0) || $0 == UInt8(ascii: ",") }
        guard position < value.count else { return }
        let name = read(value, ASCII.isToken)
        if !name.isEmpty {
          if takeEqualsSign(value) {
            readParameters(value, first: name)
          } else if challenges.count < AuthChallenge.maximumChallenges {
            readChallenge(value, scheme: value.lowercasedText(name))
          } else {
            return
          }
        }
        skipMember(value)
      }
    }

    private mutating func readChallenge(_ value: Span<UInt8>, scheme: String) {
      challenges.append(AuthChallenge(scheme: scheme))
      guard position < value.count, ASCII.isWhitespace(value[position]) else { return }
      skip(value, ASCII.isWhitespace)
      let start = position
      if let token = readToken68(value) {
        challenges[challenges.count - 1].token68 = token
        return
      }
      position = start
      let name = read(value, ASCII.isToken)
      if !name.isEmpty && takeEqualsSign(value) { readParameters(value, first: name) }
    }

    /// What stands alone up to the next comma: `token68` may end in `=` and so may not be told from the beginning of a
    /// parameter before its end is seen.
    private mutating func readToken68(_ value: Span<UInt8>) -> String? {
      let start = position
      skip(value) { ASCII.isAlpha($0) || ASCII.isDigit($0) || Self.isToken68Mark($0) }
      guard position > start else { return nil }
      skip(value) { $0 == UInt8(ascii: "=") }
      let end = position
      skip(value, ASCII.isWhitespace)
      guard position == value.count || value[position] == UInt8(ascii: ",") else { return nil }
      return value.text(start..<end)
    }

    private static func isToken68Mark(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
        UInt8(ascii: "/"):
        true
      default: false
      }
    }

    /// Past the `=` of a parameter whose name was read, with white space around it, which is allowed (RFC 9110 §11.2).
    private mutating func takeEqualsSign(_ value: Span<UInt8>) -> Bool {
      let start = position
      skip(value, ASCII.isWhitespace)
      guard position < value.count, value[position] == UInt8(ascii: "=") else {
        position = start
        return false
      }
      position += 1
      skip(value, ASCII.isWhitespace)
      return true
    }

    /// The parameter whose name and `=` were read, and those that follow it without a comma.
    private mutating func readParameters(_ value: Span<UInt8>, first: Range<Int>) {
      var name = first
      while true {
        add(value.lowercasedText(name), readValue(value))
        let end = position
        skip(value, ASCII.isWhitespace)
        name = read(value, ASCII.isToken)
        guard !name.isEmpty, takeEqualsSign(value) else {
          position = end
          return
        }
      }
    }

    private mutating func add(_ name: String, _ value: [UInt8]) {
      guard let last = challenges.indices.last, challenges[last].token68 == nil,
        challenges[last].parameters.count < AuthChallenge.maximumParameters, challenges[last].value(of: name) == nil
      else { return }
      challenges[last].parameters.append(Parameter(name: name, value: value))
    }

    /// A token or a quoted string. A token is taken up to white space or a comma, whatever it is made of; a quoted string
    /// that does not end, to the end of the field.
    private mutating func readValue(_ value: Span<UInt8>) -> [UInt8] {
      var bytes: [UInt8] = []
      guard position < value.count, value[position] == UInt8(ascii: "\"") else {
        let token = read(value) { !ASCII.isWhitespace($0) && $0 != UInt8(ascii: ",") }
        for index in token { bytes.append(value[index]) }
        return bytes
      }
      position += 1
      while position < value.count {
        let byte = value[position]
        position += 1
        if byte == UInt8(ascii: "\"") { break }
        if byte == UInt8(ascii: "\\"), position < value.count {
          bytes.append(value[position])
          position += 1
        } else {
          bytes.append(byte)
        }
      }
      return bytes
    }

    /// To the next comma outside quotes.
    private mutating func skipMember(_ value: Span<UInt8>) {
      var isQuoted = false
      while position < value.count {
        switch value[position] {
        case UInt8(ascii: "\""): isQuoted.toggle()
        case UInt8(ascii: "\\") where isQuoted: position += 1
        case UInt8(ascii: ",") where !isQuoted: return
        default: break
        }
        position += 1
      }
      position = value.count
    }

    private mutating func skip(_ value: Span<UInt8>, _ belongs: (UInt8) -> Bool) { _ = read(value, belongs) }

    private mutating func read(_ value: Span<UInt8>, _ belongs: (UInt8) -> Bool) -> Range<Int> {
      let start = position
      while position < value.count, belongs(value[position]) { position += 1 }
      return start..<position
    }
  }

  private init(scheme: String) { self.scheme = scheme }
}

extension Span<UInt8> {
  fileprivate func text(_ range: Range<Int>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for index in range { bytes.append(self[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate func lowercasedText(_ range: Range<Int>) -> String { text(range).asciiLowercased }
}
