import FoundationEssentials
import Linnet
import Testing

/// A value of any shape, written as a literal, that encodes as a Swift type of that shape would.
indirect enum Sample: Encodable, Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case text(String)
  case date(Date)
  case data([UInt8])
  case url(String)
  case decimal(String)
  case array([Sample])
  case object([Property])

  struct Property: Sendable {
    let key: SampleKey
    let value: Sample
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .int(let value): try value.encode(to: encoder)
    case .double(let value): try value.encode(to: encoder)
    case .text(let value): try value.encode(to: encoder)
    case .date(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .data(let value):
      var container = encoder.singleValueContainer()
      try container.encode(Data(value))
    case .url(let value):
      var container = encoder.singleValueContainer()
      try container.encode(URL(string: value))
    case .decimal(let value):
      var container = encoder.singleValueContainer()
      try container.encode(Decimal(string: value))
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .object(let properties):
      var container = encoder.container(keyedBy: SampleKey.self)
      for property in properties { try container.encode(property.value, forKey: property.key) }
    }
  }
}

extension Sample: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .int(value) }
  init(floatLiteral value: Double) { self = .double(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(nilLiteral: ()) { self = .null }
  init(arrayLiteral elements: Sample...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, Sample)...) {
    self = .object(elements.map { Property(key: SampleKey(stringValue: $0.0), value: $0.1) })
  }
}

/// A value and the pairs that it must give, as `name=value` without percent-encoding, joined by `&`.
struct PairCase: Sendable, CustomTestStringConvertible {
  let value: any Encodable & Sendable
  let expected: String
  var rootKey: String?
  var encoder = URLQueryEncoder()

  init(
    swift value: any Encodable & Sendable, _ expected: String, rootKey: String? = nil,
    encoder: URLQueryEncoder = .init()
  ) {
    self.value = value
    self.expected = expected
    self.rootKey = rootKey
    self.encoder = encoder
  }

  init(_ value: Sample, _ expected: String, rootKey: String? = nil, encoder: URLQueryEncoder = .init()) {
    self.init(swift: value, expected, rootKey: rootKey, encoder: encoder)
  }

  var testDescription: String { expected.isEmpty ? "nothing" : expected }

  func pairs() throws -> String {
    try encoder.encode(value, rootKey: rootKey).map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
  }
}

extension URLQueryEncoder {
  static func arrays(_ strategy: URLQueryArrayEncodingStrategy) -> URLQueryEncoder {
    URLQueryEncoder(arrayEncodingStrategy: strategy)
  }

  static func nested(
    _ strategy: URLQueryNestedKeyEncodingStrategy, _ arrays: URLQueryArrayEncodingStrategy = .indexed
  ) -> URLQueryEncoder {
    URLQueryEncoder(arrayEncodingStrategy: arrays, nestedKeys: strategy)
  }
}

/// A key of any text.
struct SampleKey: CodingKey {
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
