internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetHTTPTypes
internal import LinnetProtocols

extension HTTP2RequestHead {
  /// The head of a request as HTTP/2 has it: `Host` is `:authority` (RFC 9113 §8.3.1), and Content-Length says what is
  /// known of the body, as over HTTP/1.1.
  ///
  /// - Returns: Also the length that the body must have.
  static func make(
    for start: ExchangeStart, scheme: String
  ) throws(TransportFailure) -> (head: HTTP2RequestHead, bodyLength: UInt64?) {
    let head = start.head
    guard head.headers.count(of: "Host") <= 1 else {
      throw TransportFailure(code: .invalidRequest, phase: .request, reason: "the request has several Host fields")
    }
    var converted = HTTP2RequestHead(
      method: head.method, scheme: scheme, authority: head.headers["Host"] ?? "", path: head.target.description,
      headers: head.headers)
    try admitTransferEncoding(head.headers, start.length)
    let announced = try announcedLength(head.headers)
    switch start.length {
    case .none:
      if let announced, announced != 0 { throw conflict(announced, 0) }
      // RFC 9110 §8.6: a method that is defined to carry content says so when there is none.
      if announced == nil, head.method == .post || head.method == .put || head.method == .patch {
        converted.headers.add("Content-Length", "0")
      }
      return (converted, 0)
    case .known(let length):
      if let announced, announced != length { throw conflict(announced, length) }
      if announced == nil { converted.headers.add("Content-Length", String(length)) }
      return (converted, length)
    case .chunked:
      return (converted, announced)
    }
  }

  /// Transfer-Encoding is not sent over HTTP/2 (RFC 9113 §8.2.2), and one that contradicts the body is a mistake that is told
  /// over every version.
  private static func admitTransferEncoding(
    _ headers: HTTPHeaders, _ length: RequestBodyLength
  ) throws(TransportFailure) {
    let codings = headers.values(for: "Transfer-Encoding")
    guard let first = codings.first else { return }
    guard length == .chunked, codings.count == 1, ASCII.equalIgnoringCase(first.utf8, "chunked".utf8) else {
      throw TransportFailure(
        code: .invalidRequest, phase: .request, reason: "the request's Transfer-Encoding contradicts its body")
    }
  }

  /// What the caller's own Content-Length says.
  private static func announcedLength(_ headers: HTTPHeaders) throws(TransportFailure) -> UInt64? {
    guard let text = headers["Content-Length"] else { return nil }
    guard headers.count(of: "Content-Length") == 1, let length = UInt64(text), text.utf8.allSatisfy(ASCII.isDigit)
    else {
      throw TransportFailure(
        code: .invalidRequest, phase: .request, reason: "the request's Content-Length is not one number")
    }
    return length
  }

  private static func conflict(_ announced: UInt64, _ actual: UInt64) -> TransportFailure {
    TransportFailure(
      code: .invalidRequest, phase: .request,
      reason: "the request's Content-Length is \(announced), and its body has \(actual) bytes")
  }
}
