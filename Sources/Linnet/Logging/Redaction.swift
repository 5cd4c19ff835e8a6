internal import LinnetBytes
internal import LinnetHTTP

/// Takes secrets out of text that is kept: descriptions of errors, log lines, events, cURL commands.
///
/// In URLs: user name, password and fragment are removed, values of the query replaced, names kept. Everywhere: JSON Web
/// Tokens, AWS keys and signatures, and bearer tokens are masked. When a text cannot be understood, more is hidden, not less.
package enum Redaction {
  /// Stands for a hidden value.
  package static let mark = "<redacted>"
  /// Stands for something that looked like a JSON Web Token.
  package static let tokenMark = "<redacted-jwt>"

  /// The URL without user name, password and fragment, with the values of its query hidden.
  ///
  /// - Parameter keepsQueryValues: Keeps the values, for a cURL command whose reader asked for them.
  package static func url(_ text: String, keepsQueryValues: Bool = false) -> String {
    guard let url = try? HTTPURL(text) else { return unparsedURL(text, keepsQueryValues: keepsQueryValues) }
    var result = "\(url.scheme.rawValue)://\(url.hostHeaderValue)"
    result += keepsQueryValues ? url.path : path(url.path)
    if let query = url.query { result += "?" + (keepsQueryValues ? query : self.query(query)) }
    return result
  }

  /// The query with each value replaced by ``mark``; names, their escapes and their order are kept.
  package static func query(_ query: String) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let separator = pair.firstIndex(of: "=") else { return bareName(pair) }
      return secrets(String(pair[..<separator])) + "=" + mark
    }.joined(separator: "&")
  }

  /// Free text: URLs in it as ``url(_:keepsQueryValues:)``, queries and user information also without a scheme, and
  /// whatever looks like a secret.
  package static func text(_ text: String) -> String {
    var output = ""
    var word = ""
    var followsScheme = false
    func finishWord() {
      guard !word.isEmpty else { return }
      output += followsScheme ? mark : self.word(word)
      followsScheme = word == "Bearer" || word == "Basic"
      word = ""
    }
    for character in text {
      if character.isWhitespace || character == "\"" {
        finishWord()
        output.append(character)
      } else {
        word.append(character)
      }
    }
    finishWord()
    return namedSecrets(output)
  }

  /// The text with everything masked that looks like a JSON Web Token or an AWS key. URLs in it stay as they are.
  package static func secrets(_ text: String) -> String {
    guard text.utf8.count >= 20 else { return text }
    var output = ""
    var run = ""
    func finishRun() {
      output += maskedRun(run)
      run = ""
    }
    for character in text {
      if character.isTokenCharacter {
        run.append(character)
      } else {
        finishRun()
        output.append(character)
      }
    }
    finishRun()
    return output
  }

  /// As ``secrets(_:)``, and masks values that follow a name under which AWS puts secrets.
  package static func namedSecrets(_ text: String) -> String {
    let bytes = Array(secrets(text).utf8)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if let value = namedValue(at: index, in: bytes) {
        output += bytes[index..<value.lowerBound]
        output += mark.utf8
        index = value.upperBound
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func path(_ path: String) -> String {
    // A mark of an earlier pass was escaped when the URL was parsed.
    let unescaped = path.replacing("%3Credacted%3E", with: mark).replacing("%3Credacted-jwt%3E", with: tokenMark)
    return secrets(unescaped)
  }

  /// A piece of a query without a value: a name, unless it looks like the rest of `user:password@host`.
  private static func bareName(_ piece: Substring) -> String {
    piece.contains("@") ? mark : secrets(String(piece))
  }

  private static func unparsedURL(_ text: String, keepsQueryValues: Bool) -> String {
    // An `@` may end a password wherever it stands, because the text is no URL.
    if text.contains("@") {
      let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
      return text.dropFirst(scheme.count).hasPrefix("://") ? "\(scheme)://\(mark)" : mark
    }
    let parts = text.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first else { return "" }
    guard parts.count == 2 else { return secrets(String(path)) }
    return secrets(String(path)) + "?" + (keepsQueryValues ? String(parts[1]) : query(String(parts[1])))
  }

  private static func word(_ word: String) -> String {
    var core = word[...]
    var tail = ""
    while let last = core.last, ":;,.)]'".contains(last) {
      tail = String(last) + tail
      core = core.dropLast()
    }
    guard let separator = firstRange(of: "://", in: core) else { return partialURL(core) + tail }
    var start = separator.lowerBound
    while start > core.startIndex, core[core.index(before: start)].isSchemeCharacter {
      start = core.index(before: start)
    }
    return secrets(String(core[..<start])) + url(String(core[start...])) + tail
  }

  /// A word that may be the rest of a URL: with a query, or with user information.
  private static func partialURL(_ word: Substring) -> String {
    var rest = word
    var result = ""
    if let at = rest.lastIndex(of: "@"), rest[..<at].contains(":") {
      result = mark + "@"
      rest = rest[rest.index(after: at)...]
    }
    guard let question = rest.firstIndex(of: "?"), rest[question...].contains("=") else {
      return result + secrets(String(rest))
    }
    let query = rest[rest.index(after: question)...].prefix { $0 != "#" }
    return result + secrets(String(rest[..<question])) + "?" + self.query(String(query))
  }

  /// `run` consists of letters, digits, `-`, `_` and `.`.
  private static func maskedRun(_ run: String) -> String {
    guard run.utf8.count >= 20 else { return run }
    let segments = run.split(separator: ".", omittingEmptySubsequences: false)
    for index in segments.indices.dropLast(2)
    where segments[index + 1].utf8.count >= 12 && segments[index + 2].utf8.count >= 12 {
      guard let start = tokenStart(in: segments[index]) else { continue }
      return maskedKeys(String(run[..<start])) + tokenMark
    }
    return maskedKeys(run)
  }

  /// Where a token begins in the first of three segments: `ey`, with at least 12 characters, at the segment's start or,
  /// as `eyJ`, after something else.
  private static func tokenStart(in segment: Substring) -> Substring.Index? {
    if segment.hasPrefix("ey"), segment.utf8.count >= 12 { return segment.startIndex }
    guard let range = firstRange(of: "eyJ", in: segment), segment[range.lowerBound...].utf8.count >= 12 else {
      return nil
    }
    return range.lowerBound
  }

  /// AWS access keys: `AKIA` or `ASIA` and 16 capitals or digits.
  private static func maskedKeys(_ run: String) -> String {
    var output = ""
    var rest = run[...]
    while let first = rest.first {
      let isAtBoundary = output.last.map { !($0.isLetter || $0.isNumber) } ?? true
      if isAtBoundary, rest.hasPrefix("AKIA") || rest.hasPrefix("ASIA"),
        rest.prefix(20).utf8.count == 20, rest.prefix(20).allSatisfy({ $0.isUppercase || $0.isNumber })
      {
        output += mark
        rest = rest.dropFirst(20)
      } else {
        output.append(first)
        rest = rest.dropFirst()
      }
    }
    return output
  }

  /// Names in lower case whose value AWS keeps secret, with the characters that separate them from it.
  private static let namedValues: [(name: [UInt8], separators: [UInt8])] = [
    ("x-amz-credential", "=:"), ("x-amz-signature", "=:"), ("x-amz-security-token", "=:"), ("credential", "="),
    ("signature", "="), ("aws_secret_access_key", "=:"), ("aws_session_token", "=:"), ("secretaccesskey", "=:"),
    ("sessiontoken", "=:"),
  ].map { (Array($0.utf8), Array($1.utf8)) }

  /// Where the value is when one of ``namedValues`` stands at `index`.
  private static func namedValue(at index: Int, in bytes: [UInt8]) -> Range<Int>? {
    let first = ASCII.lowercased(bytes[index])
    for (name, separators) in namedValues where name[0] == first && bytes.count - index > name.count {
      guard ASCII.equalIgnoringCase(bytes[index..<index + name.count], name) else { continue }
      // Between them may be the quotation marks and spaces of JSON.
      var rest = bytes[(index + name.count)...]
      if rest.first == UInt8(ascii: "\"") { rest = rest.dropFirst() }
      rest = rest.drop { $0 == ASCII.space }
      guard let separator = rest.first, separators.contains(separator) else { continue }
      rest = rest.dropFirst().drop { $0 == ASCII.space || $0 == UInt8(ascii: "\"") }
      let value = rest.prefix { !valueEnds.contains($0) }
      if !value.isEmpty, !value.starts(with: mark.utf8) { return value.indices }
    }
    return nil
  }

  private static let valueEnds = Array(" \t\r\n\"',;&".utf8)

  private static func firstRange(of pattern: String, in text: Substring) -> Range<Substring.Index>? {
    let bytes = text.utf8
    let count = pattern.utf8.count
    guard let first = pattern.utf8.first else { return nil }
    var start = bytes.startIndex
    while let found = bytes[start...].firstIndex(of: first),
      let end = bytes.index(found, offsetBy: count, limitedBy: bytes.endIndex)
    {
      if bytes[found..<end].elementsEqual(pattern.utf8) { return found..<end }
      start = bytes.index(after: found)
    }
    return nil
  }
}

extension Character {
  fileprivate var isTokenCharacter: Bool {
    isASCII && (isLetter || isNumber || self == "-" || self == "_" || self == ".")
  }
  fileprivate var isSchemeCharacter: Bool {
    isASCII && (isLetter || isNumber || self == "+" || self == "-" || self == ".")
  }
}
