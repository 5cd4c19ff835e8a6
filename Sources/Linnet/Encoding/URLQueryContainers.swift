/// The properties of an object.
struct URLQueryKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let parent: URLQueryNodeEncoder

  var codingPath: [any CodingKey] { parent.codingPath }

  private func encoder(for key: any CodingKey) -> URLQueryNodeEncoder {
    let name =
      switch parent.encoder.keyEncodingStrategy {
      case .useDefaultKeys: key.stringValue
      case .convertToSnakeCase: SnakeCase.convert(key.stringValue)
      case .custom(let transform): transform(parent.codingPath + [key]).stringValue
      }
    return parent.nested(parent.node.child(name), key)
  }

  func encodeNil(forKey key: Key) {}
  func encode(_ value: Bool, forKey key: Key) { encoder(for: key).write(value) }
  func encode(_ value: String, forKey key: Key) { encoder(for: key).node.becomeText(value) }
  func encode(_ value: Double, forKey key: Key) throws { try encoder(for: key).write(number: value) }
  func encode(_ value: Float, forKey key: Key) throws { try encoder(for: key).write(number: value) }
  func encode(_ value: Int, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: Int8, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: Int16, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: Int32, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: Int64, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: Int128, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: UInt, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: UInt8, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: UInt16, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: UInt32, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: UInt64, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode(_ value: UInt128, forKey key: Key) { encoder(for: key).write(integer: value) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder(for: key).write(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(for: key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(for: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(for: URLQueryCodingKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }
}

/// The elements of an array.
struct URLQueryUnkeyedContainer: UnkeyedEncodingContainer {
  let parent: URLQueryNodeEncoder

  var codingPath: [any CodingKey] { parent.codingPath }
  var count: Int { parent.node.elementCount }

  private func encoderForNext() -> URLQueryNodeEncoder {
    let key = URLQueryCodingKey(intValue: count)
    return parent.nested(parent.node.append(), key)
  }

  func encodeNil() { _ = parent.node.append() }
  func encode(_ value: Bool) { encoderForNext().write(value) }
  func encode(_ value: String) { encoderForNext().node.becomeText(value) }
  func encode(_ value: Double) throws { try encoderForNext().write(number: value) }
  func encode(_ value: Float) throws { try encoderForNext().write(number: value) }
  func encode(_ value: Int) { encoderForNext().write(integer: value) }
  func encode(_ value: Int8) { encoderForNext().write(integer: value) }
  func encode(_ value: Int16) { encoderForNext().write(integer: value) }
  func encode(_ value: Int32) { encoderForNext().write(integer: value) }
  func encode(_ value: Int64) { encoderForNext().write(integer: value) }
  func encode(_ value: Int128) { encoderForNext().write(integer: value) }
  func encode(_ value: UInt) { encoderForNext().write(integer: value) }
  func encode(_ value: UInt8) { encoderForNext().write(integer: value) }
  func encode(_ value: UInt16) { encoderForNext().write(integer: value) }
  func encode(_ value: UInt32) { encoderForNext().write(integer: value) }
  func encode(_ value: UInt64) { encoderForNext().write(integer: value) }
  func encode(_ value: UInt128) { encoderForNext().write(integer: value) }
  func encode<T: Encodable>(_ value: T) throws { try encoderForNext().write(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoderForNext().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoderForNext().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoderForNext() }
}

/// A single value.
struct URLQuerySingleValueContainer: SingleValueEncodingContainer {
  let parent: URLQueryNodeEncoder

  var codingPath: [any CodingKey] { parent.codingPath }

  func encodeNil() {}
  func encode(_ value: Bool) { parent.write(value) }
  func encode(_ value: String) { parent.node.becomeText(value) }
  func encode(_ value: Double) throws { try parent.write(number: value) }
  func encode(_ value: Float) throws { try parent.write(number: value) }
  func encode(_ value: Int) { parent.write(integer: value) }
  func encode(_ value: Int8) { parent.write(integer: value) }
  func encode(_ value: Int16) { parent.write(integer: value) }
  func encode(_ value: Int32) { parent.write(integer: value) }
  func encode(_ value: Int64) { parent.write(integer: value) }
  func encode(_ value: Int128) { parent.write(integer: value) }
  func encode(_ value: UInt) { parent.write(integer: value) }
  func encode(_ value: UInt8) { parent.write(integer: value) }
  func encode(_ value: UInt16) { parent.write(integer: value) }
  func encode(_ value: UInt32) { parent.write(integer: value) }
  func encode(_ value: UInt64) { parent.write(integer: value) }
  func encode(_ value: UInt128) { parent.write(integer: value) }
  func encode<T: Encodable>(_ value: T) throws { try parent.substitute.write(value) }
}
