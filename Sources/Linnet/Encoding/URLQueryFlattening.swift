/// Turns the tree of an encoded value into pairs.
struct URLQueryFlattening {
  private typealias EncodingError = URLQueryEncoder.EncodingError

  private let encoder: URLQueryEncoder
  private var output: [URLQueryPair] = []
  /// The names of properties whose parents are dropped, to find two that became the same.
  private var bareNames: Set<String> = []

  init(encoder: URLQueryEncoder) { self.encoder = encoder }

  mutating func pairs(of root: URLQueryNode, rootKey: String?) throws(URLQueryEncoder.EncodingError) -> [URLQueryPair] {
    if let rootKey {
      try append(root, name: rootKey)
    } else {
      switch root.content {
      case .none: break
      case .object(let children): try appendProperties(children, prefix: nil)
      case .text, .array: throw .unsupportedTopLevelValue
      case .invalid(let problem): throw .unsupportedValue(reason: "the value \(problem)")
      }
    }
    return output
  }

  private mutating func append(_ node: URLQueryNode, name: String) throws(URLQueryEncoder.EncodingError) {
    switch node.content {
    case .none: break
    case .text(let text): output.append(URLQueryPair(name: name, value: .text(text)))
    case .object(let children): try appendProperties(children, prefix: name)
    case .array(let children): try appendElements(children, name: name)
    case .invalid(let problem): throw .unsupportedValue(reason: "\"\(name)\" \(problem)")
    }
  }

  private mutating func appendProperties(
    _ children: [String: URLQueryNode], prefix: String?
  ) throws(URLQueryEncoder.EncodingError) {
    for (key, child) in children.sorted(by: { $0.key < $1.key }) {
      if encoder.nestedKeys == .parentDropped, child.hasPairs {
        guard bareNames.insert(key).inserted else {
          throw .unsupportedValue(reason: "two properties are named \"\(key)\" once their parents are dropped")
        }
      }
      try append(child, name: prefix.map { nested(key, in: $0) } ?? key)
    }
  }

  private func nested(_ key: String, in parent: String) -> String {
    switch encoder.nestedKeys {
    case .brackets: "\(parent)[\(key)]"
    case .dots: "\(parent).\(key)"
    case .parentDropped: key
    }
  }

  private mutating func appendElements(
    _ children: [URLQueryNode], name: String
  ) throws(URLQueryEncoder.EncodingError) {
    switch encoder.arrayEncodingStrategy {
    case .indexed:
      for (index, child) in children.enumerated() { try appendElement(child, name: "\(name)[\(index)]", of: name) }
    case .bracketed:
      for child in children { try appendElement(child, name: "\(name)[]", of: name) }
    case .repeated:
      for child in children { try appendElement(child, name: name, of: name) }
    case .commaSeparated: try appendList(children, name: name, separator: ",")
    case .pipeSeparated: try appendList(children, name: name, separator: "|")
    case .spaceSeparated: try appendList(children, name: name, separator: " ")
    }
  }

  private mutating func appendElement(
    _ node: URLQueryNode, name: String, of array: String
  ) throws(URLQueryEncoder.EncodingError) {
    if encoder.nestedKeys == .parentDropped, case .object = node.content {
      throw .unsupportedValue(reason: "\"\(array)\" is an array of objects, whose names cannot be dropped")
    }
    try append(node, name: name)
  }

  private mutating func appendList(
    _ children: [URLQueryNode], name: String, separator: Unicode.Scalar
  ) throws(URLQueryEncoder.EncodingError) {
    var elements: [String] = []
    for (index, child) in children.enumerated() {
      switch child.content {
      case .none: continue
      case .text(let text): elements.append(text)
      case .object, .array:
        throw .unsupportedValue(reason: "element \(index) of \"\(name)\" is not a single value, so it cannot be listed")
      case .invalid(let problem): throw .unsupportedValue(reason: "element \(index) of \"\(name)\" \(problem)")
      }
    }
    if !elements.isEmpty { output.append(URLQueryPair(name: name, value: .list(elements, separator: separator))) }
  }
}
