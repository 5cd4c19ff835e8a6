internal import LinnetBytes
internal import LinnetHTTPTypes

/// A field section while it is received: pseudo-fields apart, ordinary fields in an ``HTTPHeaders``, and the bounds.
///
/// nghttp2 has checked what it checks (characters, order and repetition of pseudo-fields, connection-specific fields)
/// before a field comes here; ``malformation(name:value:isTrailer:isRequest:)`` says afterwards what it objected to.
struct FieldSection {
  var headers = HTTPHeaders()
  var status: Int?
  var method: String?
  var scheme: String?
  var authority: String?
  var path: String?
  var connectProtocol: String?
  /// Content-Length, as far as it was seen.
  var contentLength: UInt64?

  private var expandedSize = 0
  private var fields = 0

  /// What a field weighs beside its bytes (RFC 9113 §6.5.2, RFC 7541 §4.1).
  private static let overhead = 32

  /// Adds a field, or says why the section is not to be kept.
  mutating func add(
    name: Span<UInt8>, value: Span<UInt8>, limits: HTTP2SessionConfiguration
  ) -> HTTP2Error.Reason? {
    expandedSize += name.count + value.count + Self.overhead
    if expandedSize > limits.maximumFieldSectionBytes {
      return .fieldSectionTooLarge(limit: limits.maximumFieldSectionBytes)
    }
    guard name.count > 0 else { return .malformed(.invalidName) }
    if name[0] == ASCII.colon { return addPseudo(name, value) }
    fields += 1
    if fields > limits.maximumFields { return .tooManyFields(limit: limits.maximumFields) }
    let trimmed = value.extracting(Self.trimmed(value))
    if Self.equal(name, "content-length") {
      guard let length = Self.decimal(trimmed), contentLength == nil || contentLength == length else {
        return .malformed(.invalidContentLength)
      }
      contentLength = length
    }
    headers.appendUnchecked(name: name, value: trimmed)
    return nil
  }

  private mutating func addPseudo(_ name: Span<UInt8>, _ value: Span<UInt8>) -> HTTP2Error.Reason? {
    switch name.count {
    case 7 where Self.equal(name, ":status"):
      if status != nil { return .malformed(.repeatedPseudoField) }
      guard value.count == 3, let code = Self.decimal(value), code >= 100 else { return .malformed(.invalidStatus) }
      status = Int(code)
    case 7 where Self.equal(name, ":method"):
      if method != nil { return .malformed(.repeatedPseudoField) }
      method = Self.text(value)
    case 7 where Self.equal(name, ":scheme"):
      if scheme != nil { return .malformed(.repeatedPseudoField) }
      scheme = Self.text(value)
    case 10 where Self.equal(name, ":authority"):
      if authority != nil { return .malformed(.repeatedPseudoField) }
      authority = Self.text(value)
    case 5 where Self.equal(name, ":path"):
      if path != nil { return .malformed(.repeatedPseudoField) }
      path = Self.text(value)
    case 9 where Self.equal(name, ":protocol"):
      if connectProtocol != nil { return .malformed(.repeatedPseudoField) }
      connectProtocol = Self.text(value)
    default:
      return .malformed(.unknownPseudoField)
    }
    return nil
  }

  /// What is wrong with a field that nghttp2 refused in this section.
  func malformation(
    name: Span<UInt8>, value: Span<UInt8>, isTrailer: Bool, isRequest: Bool
  ) -> HTTP2Error.Malformation {
    guard name.count > 0 else { return .invalidName }
    if name[0] == ASCII.colon { return pseudoMalformation(name, isTrailer: isTrailer, isRequest: isRequest) }
    for index in name.indices {
      if name[index] &- 0x41 < 26 { return .upperCaseName }
    }
    for index in name.indices where !ASCII.isToken(name[index]) { return .invalidName }
    for index in value.indices where !ASCII.isFieldValue(value[index]) { return .invalidValue }
    if Self.isConnectionSpecific(name) || Self.equal(name, "te") { return .connectionSpecificField }
    if Self.equal(name, "content-length") { return .invalidContentLength }
    return .other
  }

  private func pseudoMalformation(
    _ name: Span<UInt8>, isTrailer: Bool, isRequest: Bool
  ) -> HTTP2Error.Malformation {
    for index in name.indices {
      if name[index] &- 0x41 < 26 { return .upperCaseName }
    }
    if isTrailer || headers.count > 0 { return .misplacedPseudoField }
    if !isRequest {
      guard Self.equal(name, ":status") else { return .unknownPseudoField }
      return status == nil ? .invalidStatus : .repeatedPseudoField
    }
    let earlier: String?
    switch name.count {
    case 7 where Self.equal(name, ":method"): earlier = method
    case 7 where Self.equal(name, ":scheme"): earlier = scheme
    case 10 where Self.equal(name, ":authority"): earlier = authority
    case 5 where Self.equal(name, ":path"): earlier = path
    case 9 where Self.equal(name, ":protocol"): earlier = connectProtocol
    default: return .unknownPseudoField
    }
    return earlier == nil ? .invalidValue : .repeatedPseudoField
  }

  /// Fields that belong to one HTTP/1.1 connection (RFC 9113 §8.2.2). The name is in lower case.
  static func isConnectionSpecific(_ name: Span<UInt8>) -> Bool {
    switch name.count {
    case 7: equal(name, "upgrade")
    case 10: equal(name, "connection") || equal(name, "keep-alive")
    case 14: equal(name, "http2-settings")
    case 16: equal(name, "proxy-connection")
    case 17: equal(name, "transfer-encoding")
    default: false
    }
  }

  static func equal(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    // SAFETY: a StaticString's bytes live for ever, and there are as many of them as of the others.
    return text.withUTF8Buffer { text in
      for index in bytes.indices {
        if unsafe text[index] != bytes[index] { return false }
      }
      return true
    }
  }

  static func trimmed(_ bytes: Span<UInt8>) -> Range<Int> {
    var lower = 0
    var upper = bytes.count
    while lower < upper, ASCII.isWhitespace(bytes[lower]) { lower += 1 }
    while upper > lower, ASCII.isWhitespace(bytes[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  /// Digits only; nil for nothing, anything else and more than 64 bits hold.
  static func decimal(_ bytes: Span<UInt8>) -> UInt64? {
    guard bytes.count > 0 else { return nil }
    var value: UInt64 = 0
    for index in bytes.indices {
      guard let digit = ASCII.digitValue(bytes[index]) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carried { return nil }
      value = sum
    }
    return value
  }

  private static func text(_ bytes: Span<UInt8>) -> String {
    // SAFETY: the pointer is used only during the call.
    unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
