internal import LinnetBytes

/// Percent-encoding (RFC 3986 §2.1) with the sets of the WHATWG URL standard §1.3.
///
/// For code that puts text of a user into a URL: encode each piece, then join. ``HTTPURL`` itself encodes what must be
/// encoded and nothing else, and keeps escapes that are there.
public enum PercentEncoding {
  /// Which characters besides controls and non-ASCII ones are encoded.
  public enum Rule: Sendable {
    /// For a fragment: space `"` `<` `>` and the backquote.
    case fragment
    /// For a query as a whole: space `"` `#` `<` `>` `'`.
    case query
    /// For a path as a whole: those of a query but `'`, and `?` `^` `{` `}` and the backquote.
    case path
    /// For a user name or password: those of a path, and `/` `:` `;` `=` `@` `[` `\` `]` `|`.
    case userinfo
    /// For one path segment, query name or query value: those of userinfo, and `%` `$` `&` `'` `+` `,`. Decoding gives
    /// back exactly what was encoded.
    case component
  }

  /// `text` with every byte that `rule` names replaced by its escape; all else is kept, so `%` stays as it is except
  /// under ``Rule/component``.
  public static func encode(_ text: String, as rule: Rule) -> String {
    var output: [UInt8] = []
    append(Array(text.utf8)[...], to: &output, encoding: rule.encoded)
    return String(decoding: output, as: UTF8.self)
  }

  /// The bytes that `text` stands for; a `%` that does not begin an escape stands for itself.
  public static func decode(_ text: String) -> [UInt8] { decode(Array(text.utf8)[...]) }

  static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = ASCII.hexValue(bytes[index + 1]),
        let low = ASCII.hexValue(bytes[index + 2])
      {
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(byte)
        index += 1
      }
    }
    return output
  }

  /// Appends `bytes` with an escape for each that is in `encoded`.
  static func append(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8], encoding encoded: URLByteSet) {
    var kept = bytes.startIndex
    for index in bytes.indices where encoded.contains(bytes[index]) {
      output.append(contentsOf: bytes[kept..<index])
      output.append(UInt8(ascii: "%"))
      output.append(ASCII.uppercaseHexDigit(bytes[index] >> 4))
      output.append(ASCII.uppercaseHexDigit(bytes[index]))
      kept = index + 1
    }
    output.append(contentsOf: bytes[kept...])
  }
}

extension PercentEncoding.Rule {
  var encoded: URLByteSet {
    switch self {
    case .fragment: .encodedInFragment
    case .query: .encodedInQuery
    case .path: .encodedInPath
    case .userinfo: .encodedInUserinfo
    case .component: .encodedInComponent
    }
  }
}
