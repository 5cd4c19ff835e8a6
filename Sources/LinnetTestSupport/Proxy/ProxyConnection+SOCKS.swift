internal import Glibc
internal import LinnetBytes
internal import LinnetHTTPTypes

extension ProxyConnection {
  /// RFC 1928, written apart from the client's code so that the two can disagree.
  func serveSOCKS5() throws(ConnectionEnd) {
    let greeting = try read(2)
    guard greeting[0] == 5 else { throw .violation("SOCKS version \(greeting[0])") }
    guard greeting[1] > 0 else { throw .violation("no SOCKS method offered") }
    var request = RecordedProxyRequest(
      way: .socks5, host: "", port: 0, addressType: .name, connection: connection.number)
    request.tls = stream.recordedTLS
    request.offeredMethods = try read(Int(greeting[1]))
    let method: UInt8 = options.credentials == nil ? 0 : 2
    guard request.offeredMethods.contains(method) else {
      record(request)
      try stream.send([5, 0xFF])
      // The client closes (RFC 1928 §3).
      try stream.discardUntilClosed()
      throw ConnectionEnd(.peerClosed)
    }
    try stream.send([5, method])
    if let credentials = options.credentials { try checkLogin(credentials, &request) }
    try readSOCKS5Target(&request)
    record(request)
    let answer = decide(request)
    switch answer.content {
    case .steps(let effects):
      try connection.run(effects)
      try connection.endWithClose()
    case .http: throw .violation("the test answers SOCKS with HTTP")
    case .code(let code):
      try send([5, code, 0, 1, 0, 0, 0, 0, 0, 0], answer.pacing)
      try connection.endWithClose()
    case .allow:
      let upstream: BlockingSocket
      do throws(ConnectionEnd) { upstream = try connectUpstream(request) } catch {
        try send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0], answer.pacing)
        try connection.endWithClose()
      }
      defer { close(upstream.descriptor) }
      try tunnel(to: upstream, after: [5, 0, 0] + answer.boundAddress, answer)
    }
  }

  private func checkLogin(
    _ credentials: (user: String, password: String), _ request: inout RecordedProxyRequest
  ) throws(ConnectionEnd) {
    let version = try read(1)[0]
    guard version == 1 else { throw .violation("version \(version) of the user/password negotiation") }
    request.user = String(decoding: try readCounted(), as: UTF8.self)
    request.password = String(decoding: try readCounted(), as: UTF8.self)
    guard request.user == credentials.user, request.password == credentials.password else {
      record(request)
      try stream.send([1, 1])
      try connection.endWithClose()
    }
    try stream.send([1, 0])
  }

  private func readSOCKS5Target(_ request: inout RecordedProxyRequest) throws(ConnectionEnd) {
    let head = try read(4)
    guard head[0] == 5, head[1] == 1, head[2] == 0 else { throw .violation("not a SOCKS 5 CONNECT: \(head)") }
    switch head[3] {
    case 1, 4:
      request.addressType = head[3] == 1 ? .ipv4 : .ipv6
      request.host = IPAddress(bytes: try read(head[3] == 1 ? 4 : 16))?.description ?? ""
    case 3: request.host = String(decoding: try readCounted(), as: UTF8.self)
    default: throw .violation("SOCKS address type \(head[3])")
    }
    request.port = try readPort()
  }

  /// SOCKS 4, and 4a for names.
  func serveSOCKS4() throws(ConnectionEnd) {
    let head = try read(2)
    guard head == [4, 1] else { throw .violation("not a SOCKS 4 CONNECT: \(head)") }
    var request = RecordedProxyRequest(
      way: .socks4, host: "", port: try readPort(), addressType: .ipv4, connection: connection.number)
    request.tls = stream.recordedTLS
    let address = try read(4)
    request.user = String(decoding: try readTerminated(), as: UTF8.self)
    if address[0...2].allSatisfy({ $0 == 0 }) && address[3] != 0 {
      request.addressType = .name
      request.host = String(decoding: try readTerminated(), as: UTF8.self)
    } else {
      request.host = IPAddress(bytes: address)?.description ?? ""
    }
    record(request)
    let isAllowed = options.credentials.map { $0.user == request.user } ?? true
    let answer = isAllowed ? decide(request) : .refuse(code: 93)
    switch answer.content {
    case .steps(let effects):
      try connection.run(effects)
      try connection.endWithClose()
    case .http: throw .violation("the test answers SOCKS with HTTP")
    case .code(let code):
      try send([0, code, 0, 0, 0, 0, 0, 0], answer.pacing)
      try connection.endWithClose()
    case .allow:
      let upstream: BlockingSocket
      do throws(ConnectionEnd) { upstream = try connectUpstream(request) } catch {
        try send([0, 91, 0, 0, 0, 0, 0, 0], answer.pacing)
        try connection.endWithClose()
      }
      defer { close(upstream.descriptor) }
      try tunnel(to: upstream, after: [0, 90, 0, 80, 127, 0, 0, 1], answer)
    }
  }

  // MARK: Reading

  private func read(_ count: Int) throws(ConnectionEnd) -> [UInt8] {
    try connection.reader.take(count, from: stream)
  }

  private func readCounted() throws(ConnectionEnd) -> [UInt8] { try read(Int(try read(1)[0])) }

  private func readPort() throws(ConnectionEnd) -> UInt16 {
    let bytes = try read(2)
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  /// Up to a zero byte, which is dropped; at most 255 bytes.
  private func readTerminated() throws(ConnectionEnd) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let byte = try read(1)[0]
      if byte == 0 { return bytes }
      bytes.append(byte)
      guard bytes.count <= 255 else { throw .violation("more than 255 bytes without a zero byte") }
    }
  }
}
