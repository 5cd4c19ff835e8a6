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
  /// What the check of a head found out.
  struct CheckedFraming: Sendable {
    let fields: FramingFields
    let framing: RequestFraming
  }

  /// Checks a head by itself and against the body that is to follow.
  static func check(_ head: RequestHead, body: RequestBodyLength) throws(HTTP1Error) -> CheckedFraming {
    try checkRequestLine(head)
    try checkFields(head.headers)
    let fields = FramingFields(head.headers)
    guard fields.hostCount <= 1 else { throw .local(.repeatedHost) }
    return CheckedFraming(fields: fields, framing: try framing(for: head, fields, body))
  }

  private static func framing(
    for head: RequestHead, _ fields: FramingFields, _ body: RequestBodyLength
  ) throws(HTTP1Error) -> RequestFraming {
    let hasNoLength = fields.contentLengthCount == 0
    let hasNoCoding = fields.transferEncodingCount == 0
    switch body {
    case .none:
      guard hasNoCoding, hasNoLength || announces(head.headers, fields, 0) else { throw .local(.conflictingFraming) }
      return .none
    case .known(let length):
      guard length == 0 || mayHaveBody(head.method) else { throw .local(.bodyForbidden) }
      guard hasNoCoding, hasNoLength || announces(head.headers, fields, length) else {
        throw .local(.conflictingFraming)
      }
      return .length(length)
    case .chunked:
      guard mayHaveBody(head.method) else { throw .local(.bodyForbidden) }
      guard head.version == .http1_1 else { throw .local(.chunkedForbidden) }
      guard hasNoLength, hasNoCoding || announcesChunked(head.headers, fields) else {
        throw .local(.conflictingFraming)
      }
      return .chunked
    }
  }

  /// Writes a head that was checked.
  static func write(_ head: RequestHead, _ checked: CheckedFraming, into out: inout WriteBuffer) {
    out.append(utf8: head.method.rawValue)
    out.append(byte: 0x20)
    head.target.write(into: &out)
    if head.version == .http1_0 {
      out.append(ascii: " HTTP/1.0\r\n")
    } else {
      out.append(ascii: " HTTP/1.1\r\n")
    }
    head.headers.write(into: &out)
    writeFramingField(head.method, checked, into: &out)
    out.append(ascii: "\r\n")
  }

  /// Writes the field that frames the body, unless the head has it.
  private static func writeFramingField(
    _ method: HTTPMethod, _ checked: CheckedFraming, into out: inout WriteBuffer
  ) {
    switch checked.framing {
    case .none:
      // A method that is defined to carry content says so when there is none (RFC 9110 §8.6); servers answer 411
      // otherwise.
      guard checked.fields.contentLengthCount == 0, expectsBody(method) else { return }
      out.append(ascii: "Content-Length: 0\r\n")
    case .length(let length):
      guard checked.fields.contentLengthCount == 0, mayHaveBody(method) else { return }
      out.append(ascii: "Content-Length: ")
      out.append(decimal: length)
      out.append(ascii: "\r\n")
    case .chunked:
      guard checked.fields.transferEncodingCount == 0 else { return }
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
  }

  /// Visible ASCII only: a space would end the target, a control byte the line, and other bytes must be percent-encoded
  /// (RFC 9112 §3.2).
  private static func isSendable(_ target: RequestTarget) -> Bool {
    let bytes = target.span
    for index in bytes.indices where bytes[index] <= 0x20 || bytes[index] >= 0x7F { return false }
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
  private static func announces(_ headers: HTTPHeaders, _ fields: FramingFields, _ length: UInt64) -> Bool {
    guard fields.contentLengthCount == 1, let index = fields.contentLength else { return false }
    return BodyFraming.decimal(headers.valueBytes(at: index)) == length
  }

  /// Whether the head has exactly one Transfer-Encoding, whose last coding, and only that, is chunked.
  private static func announcesChunked(_ headers: HTTPHeaders, _ fields: FramingFields) -> Bool {
    guard fields.transferEncodingCount == 1, let index = fields.transferEncoding else { return false }
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
