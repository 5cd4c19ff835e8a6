internal import FoundationEssentials

/// Joins the members of two JSON objects, as an encoder wrote them, at their top level.
enum JSONObjectMerge {
  /// One object with the members of both; nil when one of them is no object. Names are compared as they are written,
  /// which is the same for equal names because one encoder wrote both.
  static func merge(_ own: Data, with client: Data, precedence: ParameterPrecedence) -> Data? {
    guard let own = members(of: Array(own)), let client = members(of: Array(client)) else { return nil }
    let (kept, added) =
      switch precedence {
      case .configuration: (own.filter { !client.contains(name: $0.name) }, client)
      case .endpoint: (own, client.filter { !own.contains(name: $0.name) })
      }
    var merged = Data([UInt8(ascii: "{")])
    for (position, member) in (kept + added).enumerated() {
      if position > 0 { merged.append(UInt8(ascii: ",")) }
      merged.append(contentsOf: member.text)
    }
    merged.append(UInt8(ascii: "}"))
    return merged
  }

  struct Member {
    /// The name with its quotes.
    let name: ArraySlice<UInt8>
    /// Name, colon and value.
    let text: ArraySlice<UInt8>
  }

  /// The members of the object that `text` consists of; nil when it is none.
  private static func members(of text: [UInt8]) -> [Member]? {
    guard let open = text.firstIndex(where: { !isSpace($0) }), text[open] == UInt8(ascii: "{"),
      let close = text.lastIndex(where: { !isSpace($0) }), close > open, text[close] == UInt8(ascii: "}")
    else { return nil }
    var members: [Member] = []
    var start = open + 1
    var depth = 0
    var isInString = false
    var position = start
    while position <= close {
      let byte = text[position]
      if isInString {
        if byte == UInt8(ascii: "\\") { position += 1 } else if byte == UInt8(ascii: "\"") { isInString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: "}") where position < close: depth -= 1
        case UInt8(ascii: ",") where depth == 0, UInt8(ascii: "}") where position == close:
          if let member = member(text[start..<position]) { members.append(member) }
          start = position + 1
        default: break
        }
      }
      position += 1
    }
    return members
  }

  private static func member(_ text: ArraySlice<UInt8>) -> Member? {
    guard let quote = text.firstIndex(of: UInt8(ascii: "\"")),
      let last = text.lastIndex(where: { !isSpace($0) })
    else { return nil }
    var end = quote + 1
    while end < last, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < last else { return nil }
    return Member(name: text[quote...end], text: text[quote...last])
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

extension [JSONObjectMerge.Member] {
  fileprivate func contains(name: ArraySlice<UInt8>) -> Bool { contains { $0.name == name } }
}
