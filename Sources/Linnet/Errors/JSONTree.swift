internal import FoundationEssentials

/// Any JSON value, to look for what a decoder stumbled over: its errors name neither a number that does not fit nor the
/// keys that are there instead of the missing one.
indirect enum JSONTree: Decodable, Sendable {
  case null
  case boolean
  case integer
  case number(Double)
  case string
  case array([JSONTree])
  case object([String: JSONTree])

  /// Nil when the data is not valid JSON, or longer than what is worth the time: 1 MiB.
  init?(_ data: Data) {
    guard data.count <= 1 << 20, let tree = try? JSONDecoder().decode(JSONTree.self, from: data) else { return nil }
    self = tree
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if (try? container.decode(Bool.self)) != nil {
      self = .boolean
    } else if (try? container.decode(Int64.self)) != nil || (try? container.decode(UInt64.self)) != nil {
      self = .integer
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if (try? container.decode(String.self)) != nil {
      self = .string
    } else if let elements = try? container.decode([JSONTree].self) {
      self = .array(elements)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }

  /// Where numbers are that no integer type can hold, or nil when there are none.
  var hintForNumbers: String? {
    var places: [String] = []
    collectNumbers(at: "", into: &places)
    guard !places.isEmpty else { return nil }
    let more = places.count > 3 ? " and \(places.count - 3) more" : ""
    return "a number does not fit the type of its property; probably " + places.prefix(3).joined(separator: ", ") + more
  }

  private func collectNumbers(at path: String, into places: inout [String]) {
    switch self {
    case .number(let value):
      let place = path.isEmpty ? "the value" : path
      places.append("\(place), which " + (value == value.rounded() ? "is too large for an integer" : "has decimals"))
    case .array(let elements):
      for (index, element) in elements.enumerated() { element.collectNumbers(at: "\(path)[\(index)]", into: &places) }
    case .object(let members):
      for (key, member) in members.sorted(by: { $0.key < $1.key }) {
        member.collectNumbers(at: path.isEmpty ? key : "\(path).\(key)", into: &places)
      }
    case .null, .boolean, .integer, .string: break
    }
  }

  /// Tells when the object has the key in another spelling, such as `user_name` for `userName`.
  func hint(forMissing key: any CodingKey, below path: [any CodingKey]) -> String? {
    var tree = self
    for key in path {
      switch tree {
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        tree = elements[index]
      case .object(let members):
        guard let member = members[key.stringValue] else { return nil }
        tree = member
      case .null, .boolean, .integer, .number, .string: return nil
      }
    }
    guard case .object(let members) = tree else { return nil }
    let wanted = Self.folded(key.stringValue)
    let similar = members.keys.filter { Self.folded($0) == wanted }.sorted()
    return similar.first.map { "the object has \"\($0)\"" }
  }

  /// The key without case and separators.
  private static func folded(_ key: String) -> String { key.lowercased().filter { $0 != "_" && $0 != "-" } }
}
