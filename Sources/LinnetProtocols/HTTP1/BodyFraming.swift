package import LinnetHTTPTypes

/// Where the body of a response ends: the decision table of RFC 9112 §6.3.
///
/// Used by ``HTTP1ClientMachine`` once for each final head.
package enum BodyFraming: Sendable, Hashable {
  case none
  /// The connection is no longer HTTP: 2xx to CONNECT, or 101.
  case tunnel
  case length(UInt64)
  case chunked
  case untilClose

  /// The framing, and whether the connection may carry another message after it.
  package struct Decision: Sendable, Hashable {
    package var framing: BodyFraming
    /// False when the message ends with the connection, or when its fields contradict each other so that another party
    /// may see its end elsewhere (RFC 9112 §6.1).
    package var isReusable: Bool

    package init(framing: BodyFraming, isReusable: Bool) {
      self.framing = framing
      self.isReusable = isReusable
    }
  }

  /// | # | Response | Body | Reusable |
  /// | --- | --- | --- | --- |
  /// | 1 | 101; 2xx to CONNECT | tunnel, whatever the fields say | no |
  /// | 2 | to HEAD; 1xx but 101; 204; 304 | none, whatever the fields say | yes |
  /// | 3 | Transfer-Encoding in HTTP/1.0 | as 4 and 5 | no |
  /// | 4 | Transfer-Encoding, last coding chunked | chunked | yes, no with Content-Length |
  /// | 5 | Transfer-Encoding, last coding another | until close | no |
  /// | 6 | Content-Length invalid, or values differ | error | |
  /// | 7 | Content-Length, one value or equal ones | that length | yes |
  /// | 8 | neither | until close | no |
  ///
  /// - Parameters:
  ///   - head: A response head.
  ///   - method: The method of its request.
  package static func decide(_ head: ResponseHead, to method: HTTPMethod) throws(HTTP1Error) -> Decision {
    try decide(head, FramingFields(head.headers), to: method)
  }

  static func decide(
    _ head: ResponseHead, _ fields: FramingFields, to method: HTTPMethod
  ) throws(HTTP1Error) -> Decision {
    let code = head.status.code
    if code == 101 { return Decision(framing: .tunnel, isReusable: false) }
    // Before 204: "any 2xx (Successful) response indicates that the sender … will switch to tunnel mode" (RFC 9110 §9.3.6).
    if method == .connect && (200..<300).contains(code) { return Decision(framing: .tunnel, isReusable: false) }
    if code < 200 || code == 204 || code == 304 || method == .head { return Decision(framing: .none, isReusable: true) }
    if let first = fields.transferEncoding {
      guard try isChunked(head.headers, from: first) else { return Decision(framing: .untilClose, isReusable: false) }
      return Decision(framing: .chunked, isReusable: head.version != .http1_0 && fields.contentLength == nil)
    }
    guard let first = fields.contentLength else { return Decision(framing: .untilClose, isReusable: false) }
    return Decision(framing: .length(try length(head.headers, from: first)), isReusable: true)
  }

  /// Whether the last coding is `chunked`. All Transfer-Encoding fields together are one list.
  private static func isChunked(_ headers: HTTPHeaders, from first: Int) throws(HTTP1Error) -> Bool {
    var chunkedCount = 0
    var isLast = false
    var codingCount = 0
    var next: Int? = first
    while let index = next {
      let value = headers.valueBytes(at: index)
      try ByteScan.forEachListElement(value) { (element: Range<Int>) throws(HTTP1Error) in
        let coding = value.extracting(element)
        guard ByteScan.isToken(coding[0]) else { throw .remote(.invalidTransferEncoding) }
        codingCount += 1
        isLast = ByteScan.equals(coding, ignoringCase: "chunked")
        if isLast { chunkedCount += 1 }
      }
      next = headers.nextIndex(of: "Transfer-Encoding", from: index + 1)
    }
    // "A sender MUST NOT apply the chunked transfer coding more than once" (RFC 9112 §6.1): whether to decode once or
    // twice would be a guess.
    guard codingCount > 0, chunkedCount <= 1 else { throw .remote(.invalidTransferEncoding) }
    return isLast
  }

  /// The one value of all Content-Length fields, each of which may be a list of equal values (RFC 9110 §8.6).
  private static func length(_ headers: HTTPHeaders, from first: Int) throws(HTTP1Error) -> UInt64 {
    var agreed: UInt64?
    var next: Int? = first
    while let index = next {
      let value = headers.valueBytes(at: index)
      var start = 0
      for position in 0...value.count where position == value.count || value[position] == 0x2C {
        let element = value.extracting(ByteScan.trimmed(value, start..<position))
        guard let length = decimal(element) else { throw .remote(.invalidContentLength) }
        if let agreed, agreed != length { throw .remote(.conflictingLengths) }
        agreed = length
        start = position + 1
      }
      next = headers.nextIndex(of: "Content-Length", from: index + 1)
    }
    guard let agreed else { throw .remote(.invalidContentLength) }
    return agreed
  }

  /// `1*DIGIT` that fits 64 bits: no sign, no `0x`, no whitespace (RFC 9110 §8.6).
  static func decimal(_ digits: Span<UInt8>) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for index in digits.indices {
      let digit = digits[index] &- 0x30
      guard digit < 10 else { return nil }
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = shifted.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }
}
