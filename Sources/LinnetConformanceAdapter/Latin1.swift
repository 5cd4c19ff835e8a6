import LinnetHTTP

/// Field bytes as the adapter protocol writes them: one scalar for each byte.
///
/// The client's own strings are UTF-8 where the bytes are, so this goes through the bytes.
enum Latin1 {
  static func fields(of headers: HTTPHeaders) -> [[String]] {
    var fields: [[String]] = []
    fields.reserveCapacity(headers.count)
    headers.forEachField { name, value in fields.append([text(name), text(value)]) }
    return fields
  }

  /// Appends a field of a test; ASCII ones the way every caller does.
  static func add(name: String, value: String, to headers: inout HTTPHeaders) throws {
    guard !value.utf8.allSatisfy({ $0 < 0x80 }) else { return try headers.add(name: name, value: value) }
    try HTTPHeader(name, value).validate()
    var bytes: [UInt8] = []
    for scalar in value.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) else { throw AdapterRequest.Refusal.invalid("header \(name)") }
      bytes.append(byte)
    }
    headers.appendUnchecked(name: name.utf8Span.span, value: bytes.span)
  }

  private static func text(_ bytes: Span<UInt8>) -> String {
    var text = ""
    for index in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    return text
  }
}
