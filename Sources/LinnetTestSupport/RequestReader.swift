internal import LinnetBytes

/// How the end of a request body is known (RFC 9112 §6.3).
enum RequestFraming: Equatable {
  case none
  case length(UInt64)
  case chunked
}

/// A strict reader of HTTP/1.1 requests, written apart from the client's code so that the two can disagree.
///
/// It accepts what RFC 9112 tells a sender to send and nothing more: what a tolerant server would repair is a violation
/// here.
struct RequestReader {
  struct Head {
    var method: String
    var target: [UInt8]
    var minorVersion: Int
    var headers: [HeaderLine]
    var framing: RequestFraming
    var bytes: [UInt8]
  }

  /// A pace for reading: at most so many bytes, then a pause.
  typealias Pace = (bytes: Int, every: Duration)

  private static let maximumHeadBytes = 1 << 20

  private var buffer = [UInt8](repeating: 0, count: 16 << 10)
  private var position = 0
  private var end = 0

  /// Bytes that were received and not used yet.
  var bufferedCount: Int { end - position }

  /// Takes the bytes that were received and not used yet.
  mutating func takeBuffered() -> [UInt8] {
    defer { position = end }
    return Array(buffer[position..<end])
  }

  /// Whether the connection begins with these bytes; nothing is used up. Waits for as many bytes as it takes to tell.
  mutating func begins(with prefix: [UInt8], from stream: ServerStream) throws(ConnectionEnd) -> Bool {
    var bytes = takeBuffered()
    while bytes.count < prefix.count, prefix.starts(with: bytes), try fill(from: stream, atMost: buffer.count / 2) {
      bytes += takeBuffered()
    }
    // Less than a prefix was there before a receive of half a buffer.
    buffer.replaceSubrange(0..<bytes.count, with: bytes)
    position = 0
    end = bytes.count
    return bytes.starts(with: prefix)
  }

  // MARK: Head

  /// - Returns: Nil when the client closed before the first byte.
  mutating func readHead(from stream: ServerStream) throws(ConnectionEnd) -> Head? {
    if bufferedCount == 0, try !fill(from: stream) { return nil }
    var bytes: [UInt8] = []
    let requestLine = try readLine(from: stream, copyingTo: &bytes)
    var head = try Self.parseRequestLine(requestLine)
    head.headers = try readFields(from: stream, copyingTo: &bytes)
    head.bytes = bytes
    head.framing = try Self.framing(of: head)
    return head
  }

  private static func parseRequestLine(_ line: [UInt8]) throws(ConnectionEnd) -> Head {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .violation("request line has \(parts.count) parts: \(text(line))") }
    guard !parts[0].isEmpty, parts[0].allSatisfy(ASCII.isToken) else {
      throw .violation("method is not a token: \(text(line))")
    }
    guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .violation("target has bytes that a URI cannot have: \(text(line))")
    }
    guard !parts[1].contains(UInt8(ascii: "#")) else { throw .violation("target has a fragment: \(text(line))") }
    let minorVersion: Int
    switch String(decoding: parts[2], as: UTF8.self) {
    case "HTTP/1.1": minorVersion = 1
    case "HTTP/1.0": minorVersion = 0
    default: throw .violation("version is not HTTP/1.0 or HTTP/1.1: \(text(line))")
    }
    return Head(
      method: String(decoding: parts[0], as: UTF8.self), target: Array(parts[1]), minorVersion: minorVersion,
      headers: [], framing: .none, bytes: [])
  }

  private static func framing(of head: Head) throws(ConnectionEnd) -> RequestFraming {
    let hosts = head.headers.values(for: "Host")
    // RFC 9112 §3.2.
    if head.minorVersion == 1 && hosts.count != 1 {
      throw .violation("\(hosts.count) Host lines in an HTTP/1.1 request")
    }
    let lengths = head.headers.values(for: "Content-Length")
    let codings = head.headers.values(for: "Transfer-Encoding")
    if !codings.isEmpty {
      guard lengths.isEmpty else { throw .violation("Content-Length and Transfer-Encoding in one request") }
      guard head.minorVersion == 1 else { throw .violation("Transfer-Encoding in an HTTP/1.0 request") }
      guard codings.count == 1, codings[0].asciiLowercased == "chunked" else {
        throw .violation("Transfer-Encoding is not chunked: \(codings)")
      }
      return .chunked
    }
    guard let length = lengths.first else { return .none }
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy(ASCII.isDigit), let value = UInt64(length) else {
      throw .violation("Content-Length is not one number: \(lengths)")
    }
    return .length(value)
  }

  /// Reads field lines up to and including the empty line.
  private mutating func readFields(
    from stream: ServerStream, copyingTo copy: inout [UInt8]
  ) throws(ConnectionEnd) -> [HeaderLine] {
    var fields: [HeaderLine] = []
    while true {
      let line = try readLine(from: stream, copyingTo: &copy)
      if line.isEmpty { return fields }
      guard let colon = line.firstIndex(of: ASCII.colon), colon > 0, line[..<colon].allSatisfy(ASCII.isToken) else {
        throw .violation("field name is not a token: \(Self.text(line))")
      }
      var value = line[(colon + 1)...]
      guard value.allSatisfy(ASCII.isFieldValue) else {
        throw .violation("field value has control characters: \(Self.text(line))")
      }
      value = value.drop(while: ASCII.isWhitespace)
      while let last = value.last, ASCII.isWhitespace(last) { value.removeLast() }
      fields.append(
        HeaderLine(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
  }

  // MARK: Body

  /// Reads a body to its end and returns the trailers.
  mutating func readBody(
    _ framing: RequestFraming, from stream: ServerStream, into body: inout BodyRecorder, pace: Pace? = nil
  ) throws(ConnectionEnd) -> [HeaderLine] {
    switch framing {
    case .none: return []
    case .length(let length):
      try readExactly(length, from: stream, into: &body, pace: pace)
      return []
    case .chunked: return try readChunks(from: stream, into: &body, pace: pace)
    }
  }

  private mutating func readChunks(
    from stream: ServerStream, into body: inout BodyRecorder, pace: Pace?
  ) throws(ConnectionEnd) -> [HeaderLine] {
    var unused: [UInt8] = []
    while true {
      let line = try readLine(from: stream, copyingTo: &unused)
      unused.removeAll(keepingCapacity: true)
      // Extensions (RFC 9112 §7.1.1) are allowed and ignored.
      let digits = line.prefix { $0 != UInt8(ascii: ";") }
      guard !digits.isEmpty, digits.count <= 16, digits.allSatisfy(ASCII.isHexDigit) else {
        throw .violation("chunk size is not hexadecimal: \(Self.text(line))")
      }
      let size = digits.reduce(UInt64(0)) { $0 << 4 | UInt64(ASCII.hexValue($1) ?? 0) }
      if size == 0 { return try readFields(from: stream, copyingTo: &unused) }
      body.chunkStarted(size: size)
      try readExactly(size, from: stream, into: &body, pace: pace)
      let end = try readLine(from: stream, copyingTo: &unused)
      guard end.isEmpty else { throw .violation("chunk data is longer than its size: \(Self.text(end))") }
    }
  }

  private mutating func readExactly(
    _ count: UInt64, from stream: ServerStream, into body: inout BodyRecorder, pace: Pace?
  ) throws(ConnectionEnd) {
    var left = count
    // A large body deserves larger reads; the buffer is empty here or used up first.
    if left >= 256 << 10 && buffer.count < 64 << 10 && pace == nil {
      buffer.append(contentsOf: repeatElement(0, count: (64 << 10) - buffer.count))
    }
    while left > 0 {
      if bufferedCount == 0, try !fill(from: stream, atMost: pace?.bytes) { throw ConnectionEnd(.peerClosed) }
      let taken = Int(min(UInt64(min(bufferedCount, pace?.bytes ?? .max)), left))
      buffer.withUnsafeBufferPointer { body.append(UnsafeBufferPointer(rebasing: $0[position..<(position + taken)])) }
      position += taken
      left -= UInt64(taken)
      if let pace { try stream.pause(pace.every) }
    }
  }

  /// Reads raw bytes, whatever they are.
  mutating func readBytes(_ count: Int, from stream: ServerStream) throws(ConnectionEnd) {
    var left = count
    while left > 0 {
      if bufferedCount == 0, try !fill(from: stream, atMost: left) { throw ConnectionEnd(.peerClosed) }
      let taken = min(left, bufferedCount)
      position += taken
      left -= taken
    }
  }

  /// Takes raw bytes, whatever they are.
  mutating func take(_ count: Int, from stream: ServerStream) throws(ConnectionEnd) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if bufferedCount == 0, try !fill(from: stream) { throw ConnectionEnd(.peerClosed) }
      let taken = min(count - bytes.count, bufferedCount)
      bytes += buffer[position..<(position + taken)]
      position += taken
    }
    return bytes
  }

  // MARK: Lines

  /// Reads up to a CRLF and returns what was before it. A lone CR or LF is a violation (RFC 9112 §2.2).
  private mutating func readLine(
    from stream: ServerStream, copyingTo copy: inout [UInt8]
  ) throws(ConnectionEnd) -> [UInt8] {
    var line: [UInt8] = []
    while true {
      if bufferedCount == 0, try !fill(from: stream) { throw ConnectionEnd(.peerClosed) }
      let piece = buffer[position..<end]
      let lineEnd = piece.firstIndex(of: ASCII.lf).map { $0 + 1 }
      line.append(contentsOf: buffer[position..<(lineEnd ?? end)])
      position = lineEnd ?? end
      guard line.count + copy.count <= Self.maximumHeadBytes else { throw .violation("head is larger than 1 MiB") }
      if lineEnd != nil { break }
    }
    copy.append(contentsOf: line)
    line.removeLast()
    guard line.popLast() == ASCII.cr else { throw .violation("line ends with a lone LF: \(Self.text(line))") }
    guard !line.contains(ASCII.cr) else { throw .violation("lone CR in a line: \(Self.text(line))") }
    return line
  }

  private mutating func fill(from stream: ServerStream, atMost limit: Int? = nil) throws(ConnectionEnd) -> Bool {
    position = 0
    end = 0
    var outcome: Result<Int, ConnectionEnd> = .success(0)
    buffer.withUnsafeMutableBytes { all in
      let room = UnsafeMutableRawBufferPointer(rebasing: all[..<min(all.count, max(1, limit ?? .max))])
      do throws(ConnectionEnd) { outcome = .success(try stream.receive(into: room)) } catch {
        outcome = .failure(error)
      }
    }
    end = try outcome.get()
    return end > 0
  }

  /// The start of a line for a message.
  private static func text(_ line: [UInt8]) -> String {
    "\"" + String(decoding: line.prefix(120), as: UTF8.self).map { $0 == "\r" ? "\\r" : String($0) }.joined() + "\""
  }
}
