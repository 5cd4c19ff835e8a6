internal import FoundationEssentials

/// The `Encoder` behind ``URLQueryEncoder``: writes one value into one node.
struct URLQueryNodeEncoder: Encoder {
  /// Deeper values are an error: a value that contains itself must not use up the stack, and no server reads them.
  static var maximumDepth: Int { 128 }

  let encoder: URLQueryEncoder
  let node: URLQueryNode
  let codingPath: [any CodingKey]
  let depth: Int

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(URLQueryKeyedContainer<Key>(parent: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return URLQueryUnkeyedContainer(parent: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { URLQuerySingleValueContainer(parent: self) }

  /// An encoder for a value inside this one's. Beyond the limit the path no longer grows.
  func nested(_ node: URLQueryNode, _ key: any CodingKey) -> URLQueryNodeEncoder {
    if depth >= Self.maximumDepth { node.content = .invalid(Self.tooDeep) }
    return URLQueryNodeEncoder(
      encoder: encoder, node: node, codingPath: isTooDeep ? codingPath : codingPath + [key], depth: depth + 1)
  }

  /// An encoder for a value that stands for this one's.
  var substitute: URLQueryNodeEncoder {
    URLQueryNodeEncoder(encoder: encoder, node: node, codingPath: codingPath, depth: depth + 1)
  }

  private var isTooDeep: Bool { depth > Self.maximumDepth }

  private static var tooDeep: String { "is nested deeper than \(maximumDepth) levels" }
}

extension URLQueryNodeEncoder {
  /// Writes any value, those that this library has a form of its own for in that form.
  func write<T: Encodable>(_ value: T) throws {
    if isTooDeep { throw unsupported(Self.tooDeep) }
    switch value {
    case let date as Date: try write(date)
    case let data as Data: node.becomeText(data.base64EncodedString())
    case let url as URL: node.becomeText(url.absoluteString)
    case let number as Decimal: try write(number)
    case let dictionary as any StringKeyedDictionary: try write(dictionary)
    default: try value.encode(to: self)
    }
  }

  func write(_ value: Bool) {
    switch encoder.boolEncoding {
    case .trueFalse: node.becomeText(value ? "true" : "false")
    case .oneZero: node.becomeText(value ? "1" : "0")
    }
  }

  func write(integer value: some BinaryInteger) { node.becomeText(String(value)) }

  func write<T: BinaryFloatingPoint & CustomStringConvertible>(number value: T) throws {
    if value.isFinite { return node.becomeText(value.description) }
    guard
      case .convertToString(let positiveInfinity, let negativeInfinity, let nan) =
        encoder.nonConformingFloatEncodingStrategy
    else { throw unsupported("\(value) is not a finite number") }
    node.becomeText(value.isNaN ? nan : value > 0 ? positiveInfinity : negativeInfinity)
  }

  private func write(_ value: Decimal) throws {
    if !value.isNaN { return node.becomeText(value.description) }
    guard case .convertToString(_, _, let nan) = encoder.nonConformingFloatEncodingStrategy else {
      throw unsupported("the decimal is not a number")
    }
    node.becomeText(nan)
  }

  private func write(_ date: Date) throws {
    switch encoder.dateEncodingStrategy ?? .iso8601Milliseconds {
    case .iso8601Milliseconds: node.becomeText(try text(of: date))
    case .iso8601:
      // The same text without the fraction, which is rounded down as Foundation does it.
      let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
      node.becomeText(try text(of: second).prefix { $0 != "." } + "Z")
    case .secondsSince1970: try writeNumber(date.timeIntervalSince1970)
    case .millisecondsSince1970: try writeNumber(date.timeIntervalSince1970 * 1000)
    case .deferredToDate: try date.encode(to: self)
    case .custom(let encode): try encode(date, self)
    }
  }

  private func text(of date: Date) throws -> String {
    guard let text = ISO8601Milliseconds.text(date) else { throw unsupported("the date is out of range") }
    return text
  }

  /// Without the `.0` of whole numbers: servers read the seconds of a date as an integer.
  private func writeNumber(_ value: Double) throws {
    if let whole = Int64(exactly: value) { node.becomeText(String(whole)) } else { try write(number: value) }
  }

  /// The keys are data, so no key strategy is applied to them.
  private func write(_ dictionary: any StringKeyedDictionary) throws {
    node.becomeObject()
    for (key, value) in dictionary.encodableEntries {
      try nested(node.child(key), URLQueryCodingKey(stringValue: key)).write(value)
    }
  }

  func unsupported(_ reason: String) -> URLQueryEncoder.EncodingError {
    guard !codingPath.isEmpty else { return .unsupportedValue(reason: reason) }
    var path = ""
    for key in codingPath {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return .unsupportedValue(reason: "\(path): \(reason)")
  }
}

/// A dictionary whose keys are written as they are.
private protocol StringKeyedDictionary {
  var encodableEntries: [(String, any Encodable)] { get }
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Encodable {
  fileprivate var encodableEntries: [(String, any Encodable)] { map { ($0.key, $0.value) } }
}

/// A key that is not a property's: an index, a dictionary's key, `super`.
struct URLQueryCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
