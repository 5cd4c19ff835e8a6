public import FoundationEssentials

/// Encodes values into the pairs of a query or of a form body.
///
/// ```swift
/// struct Search: Encodable { let text: String; let tags: [String] }
/// let query = try URLQueryEncoder().encodeQuery(Search(text: "a b", tags: ["x", "y"]))
/// // tags%5B0%5D=x&tags%5B1%5D=y&text=a%20b
/// ```
///
/// Objects give one pair for each property, sorted by key at every level; nil, empty arrays and empty objects give none.
/// `Data` is written in Base64, `URL` as its text, `Decimal` in digits with a point. The same value always gives the
/// same text.
public struct URLQueryEncoder: Sendable {
  /// Why a value cannot be encoded.
  public enum EncodingError: Error, Sendable, Hashable {
    /// The value is a single one or an array, and there is no `rootKey` to name it.
    case unsupportedTopLevelValue
    /// A value inside cannot be written; the reason names it.
    case unsupportedValue(reason: String)
  }

  /// How property names become keys. Default: unchanged.
  public var keyEncodingStrategy: URLQueryKeyEncodingStrategy
  /// How dates are written; nil, the default, is ``URLQueryDateEncodingStrategy/iso8601Milliseconds``.
  public var dateEncodingStrategy: URLQueryDateEncodingStrategy?
  /// How arrays are written. Default: `tags[0]=a`.
  public var arrayEncodingStrategy: URLQueryArrayEncodingStrategy
  /// What happens to infinite and undefined numbers. Default: they are an error.
  public var nonConformingFloatEncodingStrategy: URLQueryFloatEncodingStrategy
  /// How a `Bool` is written. Default: `true` and `false`.
  public var boolEncoding: URLQueryBoolEncodingStrategy
  /// How nested objects are written. Default: `user[name]=kim`.
  public var nestedKeys: URLQueryNestedKeyEncodingStrategy
  /// What is percent-encoded in a query; form bodies have a set of their own. Default: what must not stand in a query,
  /// and `+`.
  public var percentEncoding: URLQueryPercentEncodingStrategy

  /// An encoder. Every setting can also be changed afterwards.
  ///
  /// - Parameters:
  ///   - keyEncodingStrategy: How property names become keys.
  ///   - dateEncodingStrategy: How dates are written; nil for UTC with milliseconds.
  ///   - arrayEncodingStrategy: How arrays are written.
  ///   - nonConformingFloatEncodingStrategy: What happens to infinite and undefined numbers.
  ///   - boolEncoding: How a `Bool` is written.
  ///   - nestedKeys: How the keys of nested objects are written.
  ///   - percentEncoding: What is percent-encoded in a query.
  public init(
    keyEncodingStrategy: URLQueryKeyEncodingStrategy = .useDefaultKeys,
    dateEncodingStrategy: URLQueryDateEncodingStrategy? = nil,
    arrayEncodingStrategy: URLQueryArrayEncodingStrategy = .indexed,
    nonConformingFloatEncodingStrategy: URLQueryFloatEncodingStrategy = .throw,
    boolEncoding: URLQueryBoolEncodingStrategy = .trueFalse,
    nestedKeys: URLQueryNestedKeyEncodingStrategy = .brackets,
    percentEncoding: URLQueryPercentEncodingStrategy = .queryComponent
  ) {
    self.keyEncodingStrategy = keyEncodingStrategy
    self.dateEncodingStrategy = dateEncodingStrategy
    self.arrayEncodingStrategy = arrayEncodingStrategy
    self.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
    self.boolEncoding = boolEncoding
    self.nestedKeys = nestedKeys
    self.percentEncoding = percentEncoding
  }

  /// The pairs of `value`, not percent-encoded.
  ///
  /// - Parameters:
  ///   - value: An object, or anything else when there is a `rootKey`.
  ///   - rootKey: The name under which the value stands; nil puts the properties of an object at the top.
  /// - Throws: ``EncodingError``, and what the value's own `encode(to:)` throws. An element of a list that contains the
  ///   separator is an error here, because a pair has no place to mark it.
  public func encode<T: Encodable>(_ value: T, rootKey: String? = nil) throws -> [URLQueryItem] {
    try pairs(of: value, rootKey: rootKey).map { pair in
      URLQueryItem(name: pair.name, value: try pair.unambiguousValue())
    }
  }

  /// The body of an `application/x-www-form-urlencoded` request: letters, digits and `*-._` stay, a space becomes `+`,
  /// everything else `%XX` (WHATWG URL standard §5.2).
  ///
  /// - Parameters:
  ///   - value: An object, or anything else when there is a `rootKey`.
  ///   - rootKey: The name under which the value stands; nil puts the properties of an object at the top.
  /// - Throws: As ``encode(_:rootKey:)``.
  public func encodeForm<T: Encodable>(_ value: T, rootKey: String? = nil) throws -> Data {
    var bytes: [UInt8] = []
    for pair in try pairs(of: value, rootKey: rootKey) {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      PercentEscaping.form.append(pair.name, to: &bytes, space: UInt8(ascii: "+"))
      bytes.append(UInt8(ascii: "="))
      PercentEscaping.form.append(try pair.unambiguousValue(), to: &bytes, space: UInt8(ascii: "+"))
    }
    return Data(bytes)
  }

  /// The query of a URL, percent-encoded and without `?`; empty when there are no pairs.
  ///
  /// - Parameters:
  ///   - value: An object, or anything else when there is a `rootKey`.
  ///   - rootKey: The name under which the value stands; nil puts the properties of an object at the top.
  /// - Throws: As ``encode(_:rootKey:)``, except that elements of ``URLQueryArrayEncodingStrategy/commaSeparated`` may
  ///   contain commas.
  public func encodeQuery<T: Encodable>(_ value: T, rootKey: String? = nil) throws -> String {
    let escaping: PercentEscaping = percentEncoding == .rfc3986 ? .unreserved : .queryComponent
    let elementEscaping: PercentEscaping = percentEncoding == .rfc3986 ? .unreserved : .queryListElement
    var bytes: [UInt8] = []
    for pair in try pairs(of: value, rootKey: rootKey) {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      escaping.append(pair.name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      if case .list(let elements, separator: ",") = pair.value {
        for (index, element) in elements.enumerated() {
          if index > 0 { bytes.append(UInt8(ascii: ",")) }
          elementEscaping.append(element, to: &bytes)
        }
      } else {
        escaping.append(try pair.unambiguousValue(), to: &bytes)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func pairs<T: Encodable>(of value: T, rootKey: String?) throws -> [URLQueryPair] {
    let root = URLQueryNode()
    try URLQueryNodeEncoder(encoder: self, node: root, codingPath: [], depth: 0).write(value)
    var flattening = URLQueryFlattening(encoder: self)
    return try flattening.pairs(of: root, rootKey: rootKey)
  }
}

extension URLQueryEncoder.EncodingError: CustomStringConvertible {
  /// One line that names the culprit.
  public var description: String {
    switch self {
    case .unsupportedTopLevelValue: "a single value or an array needs a rootKey to be encoded into a query"
    case .unsupportedValue(let reason): reason
    }
  }
}
