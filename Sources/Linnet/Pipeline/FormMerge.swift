internal import FoundationEssentials

/// Joins the pairs of two encoded forms.
enum FormMerge {
  /// The pairs of both. A parameter with nested keys (`user[name]`) is one parameter: its top-level name decides.
  static func merge(_ own: Data, with client: Data, precedence: ParameterPrecedence) -> Data {
    let own = pairs(own)
    let client = pairs(client)
    let (kept, added) =
      switch precedence {
      case .configuration: (without(names(client), own), client)
      case .endpoint: (own, without(names(own), client))
      }
    return Data((kept + added).joined(separator: [UInt8(ascii: "&")]))
  }

  private static func pairs(_ form: Data) -> [[UInt8]] {
    Array(form).split(separator: UInt8(ascii: "&")).map(Array.init)
  }

  private static func names(_ pairs: [[UInt8]]) -> Set<String> { Set(pairs.map(name)) }

  private static func without(_ names: Set<String>, _ pairs: [[UInt8]]) -> [[UInt8]] {
    pairs.filter { !names.contains(name($0)) }
  }

  private static func name(_ pair: [UInt8]) -> String {
    let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    return String(name.split(separator: "%5B", maxSplits: 1, omittingEmptySubsequences: false).first ?? "")
  }
}
