internal import LinnetBytes
internal import LinnetHTTPTypes

/// How the body of a request is framed on the wire.
enum RequestFraming: Sendable, Hashable {
  case none
  case length(UInt64)
  case chunked
}

/// Writes request heads, chunks and trailers (RFC 9112 §3, §5, §7.1).
///
/// Used by ``HTTP1ClientMachine``. A head is checked as a whole before its first byte is written, so a refused one leaves
/// no trace. Everything is checked here once more although the types check it too: this is the last place that can keep
/// a CR or LF from becoming a second request.
enum RequestSerializer {
  /// Checks a head against the body that is to follow.
  ///
  /// - Returns: How the body is framed. No field is written for it when the head has the matching one already.
  static func framing(for head: RequestHead, body: RequestBodyLength) throws(HTTP1Error) -> RequestFraming {
    try checkRequestLine(head)
    try checkFields(head.headers)
    let lengthCount = head.headers.count(of: "Content-Length")
    let codingCount = head.headers.count(of: "Transfer-Encoding")
    switch body {
    case .none:
      guard codingCount == 0, lengthCount == 0 || announces(head.headers, 0) else {
        throw .local(.conflictingFraming)
      }
      return .none
    case .known(let length):
      guard length == 0 || mayHaveBody(head.method) else { throw .local(.bodyForbidden) }
      guard codingCount == 0, lengthCount == 0 || announces(head.headers, length) else {
        throw .local(.conflictingFraming)
      }
      return .length(length)
    case .chunked:
      guard mayHaveBody(head.method) else { throw .local(.bodyForbidden) }
      guard head.version == .http1_1 else { throw .local(.chunkedForbidden) }
      guard lengthCount == 0, codingCount == 0 || announcesChunked(head.headers) else {
        throw .local(.conflictingFraming)
      }
      return .chunked
    }
  }

  /// Writes a head that ``framing(for:body:)`` has passed.
  static func write(_ head: RequestHead, framing: RequestFraming, into out: inout WriteBuffer) {
    out.append(utf8: head.method.rawValue)
    out.append(byte: 0x20)
    head.target.write(into: &out)
    if head.version == .http1_0 {
      out.append(ascii: " HTTP/1.0\r\n")
    } else {
      out.append(ascii: " HTTP/1.1\r\n")
    }
    head.headers.write(into: &out)
    writeFramingField(head, framing, into: &out)
    out.append(ascii: "\r\n")
  }

  private static func writeFramingField(_ head: RequestHead, _ framing: RequestFraming, into out: inout WriteBuffer) {
    switch framing {
    case .none:
      // A method that is defined to carry content says so when there is none (RFC 9110 §8.6); servers answer 411
      // otherwise.
      guard expectsBody(head.method), !head.headers.contains("Content-Length") else { return }
      out.append(ascii: "Content-Length: 0\r\n")
    case .length(let length):
      guard mayHaveBody(head.method), !head.headers.contains("Content-Length") else { return }
      out.append(ascii: "Content-Length: ")
      out.append(decimal: length)
      out.append(ascii: "\r\n")
    case .chunked:
      guard !head.headers.contains("Transfer-Encoding") else { return }
      out.append(ascii: "Transfer-Encoding: chunked\r\n")
    }
  }

  /// Writes one chunk. An empty one is left out, because it would end the body (RFC 9112 §7.1).
  static func writeChunk(_ chunk: ByteChunk, into out: inout WriteBuffer) {
    guard !chunk.isEmpty else { return }
    out.append(hex: UInt64(chunk.count))
    out.append(ascii: "\r\n")
    out.append(chunk)
    out.append(ascii: "\r\n")
  }

  /// Writes the end of a chunked body.
  static func writeLastChunk(trailers: HTTPHeaders?, into out: inout WriteBuffer) {
    out.append(ascii: "0\r\n")
    trailers?.write(into: &out)
    out.append(ascii: "\r\n")
  }

  static func checkTrailers(_ trailers: HTTPHeaders) throws(HTTP1Error) {
    try checkFields(trailers)
    try trailers.forEachField { (name: Span<UInt8>, _: Span<UInt8>) throws(HTTP1Error) in
      if TrailerFields.isForbidden(name) { throw .local(.forbiddenTrailer) }
    }
  }

  private static func checkRequestLine(_ head: RequestHead) throws(HTTP1Error) {
    let method = head.method.rawValue.utf8
    guard !method.isEmpty, method.allSatisfy(ByteScan.isToken) else { throw .local(.invalidMethod) }
    guard isSendable(head.target) else { throw .local(.invalidTarget) }
    guard head.version != .http2 else { throw .local(.wrongVersion) }
    guard head.headers.count(of: "Host") <= 1 else { throw .local(.repeatedHost) }
  }

  /// A space would end the target, a control byte the line (RFC 9112 §3.2).
  private static func isSendable(_ target: RequestTarget) -> Bool {
    let bytes = target.span
    for index in bytes.indices where bytes[index] <= 0x20 || bytes[index] == 0x7F { return false }
    return !bytes.isEmpty
  }

  private static func checkFields(_ headers: HTTPHeaders) throws(HTTP1Error) {
    do {
      try headers.validate()
    } catch {
      throw .local(.invalidHeader)
    }
    try headers.forEachField { (name: Span<UInt8>, value: Span<UInt8>) throws(HTTP1Error) in
      guard !name.isEmpty, ByteScan.endOfToken(name, from: 0, to: name.count) == name.count,
        ByteScan.endOfFieldValue(value, from: 0, to: value.count) == value.count
      else { throw .local(.invalidHeader) }
    }
  }

  /// RFC 9110 §9.3.6, §9.3.8.
  private static func mayHaveBody(_ method: HTTPMethod) -> Bool { method != .trace && method != .connect }

  private static func expectsBody(_ method: HTTPMethod) -> Bool {
    method == .post || method == .put || method == .patch
  }

  /// Whether the head has exactly one Content-Length, with this value.
  private static func announces(_ headers: HTTPHeaders, _ length: UInt64) -> Bool {
    guard let index = headers.nextIndex(of: "Content-Length", from: 0),
      headers.nextIndex(of: "Content-Length", from: index + 1) == nil
    else { return false }
    return BodyFraming.decimal(headers.valueBytes(at: index)) == length
  }

  /// Whether the head has exactly one Transfer-Encoding, whose last coding, and only that, is chunked.
  private static func announcesChunked(_ headers: HTTPHeaders) -> Bool {
    guard let index = headers.nextIndex(of: "Transfer-Encoding", from: 0),
      headers.nextIndex(of: "Transfer-Encoding", from: index + 1) == nil
    else { return false }
    let value = headers.valueBytes(at: index)
    var isLast = false
    var count = 0
    ByteScan.forEachListElement(value) { element in
      isLast = ByteScan.equals(value.extracting(element), ignoringCase: "chunked")
      if isLast { count += 1 }
    }
    return isLast && count == 1
  }
}
