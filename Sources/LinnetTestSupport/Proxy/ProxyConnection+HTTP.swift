internal import Glibc
internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

extension ProxyConnection {
  /// Reads requests until one becomes a tunnel or ends the connection.
  func serveHTTP() throws(ConnectionEnd) {
    while try connection.readHead() {
      guard let recorded = connection.current?.request else { return }
      guard let request = proxyRequest(recorded) else {
        try? answer(400, body: "not a request for a proxy", closes: true)
        throw .violation("not a request for a proxy: \(recorded.method) \(recorded.target)")
      }
      record(request)
      if let credentials = options.credentials {
        let expected = "Basic " + Base64.encode("\(credentials.user):\(credentials.password)".utf8)
        guard request.authorization == expected else {
          try connection.readBody()
          try answer(407, [HeaderLine("Proxy-Authenticate", "Basic realm=\"p\"")], body: "deny", closes: false)
          continue
        }
      }
      try serve(request, decide(request))
    }
  }

  private func serve(_ request: RecordedProxyRequest, _ answer: ProxyAnswer) throws(ConnectionEnd) {
    switch answer.content {
    case .steps(let effects):
      try connection.run(effects)
      try connection.endWithClose()
    case .http(let status, let headers, let body, let closes):
      try connection.readBody()
      try self.answer(status, headers, body: body, closes: closes, answer.pacing)
    case .code(let code):
      throw .violation("the test answers HTTP with SOCKS code \(code)")
    case .allow:
      let upstream: BlockingSocket
      do throws(ConnectionEnd) { upstream = try connectUpstream(request) } catch {
        try connection.readBody()
        try self.answer(502, body: "cannot connect", closes: false)
        return
      }
      defer { close(upstream.descriptor) }
      if request.way == .connect {
        try tunnel(to: upstream, after: Array("\(answer.establishedHead)\r\n\r\n".utf8), answer)
      }
      try forward(request, to: upstream)
    }
  }

  private func answer(
    _ status: Int, _ headers: [HeaderLine] = [], body: String, closes: Bool, _ pacing: ProxyAnswer.Pacing = .whole
  ) throws(ConnectionEnd) {
    let phrase = HTTPStatus(code: status)?.reasonPhrase ?? ""
    var text = "HTTP/1.1 \(status) \(phrase)\r\n"
    for header in headers { text += "\(header)\r\n" }
    if closes { text += "Connection: close\r\n" }
    text += "Content-Length: \(body.utf8.count)\r\n\r\n"
    if connection.current?.request.method != "HEAD" { text += body }
    try send(Array(text.utf8), pacing)
    if closes { try connection.endWithClose() }
  }

  /// What a request asks of a proxy; nil when it is a request to an origin server.
  private func proxyRequest(_ recorded: RecordedRequest) -> RecordedProxyRequest? {
    let isConnect = recorded.method == "CONNECT"
    let text = (isConnect ? "http://" : "") + recorded.target
    guard isConnect || recorded.target.utf8.starts(with: "http://".utf8), let url = try? HTTPURL(text) else {
      return nil
    }
    var request = RecordedProxyRequest(
      way: isConnect ? .connect : .forward, host: url.host, port: url.effectivePort,
      addressType: url.address.map { $0.family == .v4 ? .ipv4 : .ipv6 } ?? .name, connection: connection.number)
    request.method = recorded.method
    request.target = recorded.target
    request.headers = recorded.headers
    request.tls = stream.recordedTLS
    return request
  }

  // MARK: Forwarding

  /// Sends the request on in origin form, without the fields that are for a proxy, and its response back byte by byte.
  private func forward(_ request: RecordedProxyRequest, to upstream: BlockingSocket) throws(ConnectionEnd) {
    if request.headers.values(for: "Expect").contains(where: { $0.asciiLowercased == "100-continue" }) {
      try stream.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    try connection.readBody()
    guard let recorded = connection.current?.request, let url = try? HTTPURL(request.target),
      let body = recorded.body.bytes
    else { throw .violation("a body too large for the test's proxy") }
    var head = "\(recorded.method) \(url.requestTarget) HTTP/1.\(recorded.minorVersion)\r\n"
    for line in recorded.headers where !Self.isForProxy(line.name) { head += "\(line)\r\n" }
    if !body.isEmpty || !recorded.headers.values(for: "Transfer-Encoding").isEmpty {
      head += "Content-Length: \(body.count)\r\n"
    } else if let length = recorded.headers["Content-Length"] {
      head += "Content-Length: \(length)\r\n"
    }
    try upstream.send(Array("\(head)\r\n".utf8) + body)
    try relayResponse(to: recorded.method, from: upstream)
  }

  private static func isForProxy(_ name: String) -> Bool {
    ["proxy-authorization", "proxy-connection", "transfer-encoding", "content-length", "expect"]
      .contains(name.asciiLowercased)
  }

  /// Sends a response on as it comes, up to its end.
  private func relayResponse(to method: String, from upstream: BlockingSocket) throws(ConnectionEnd) {
    var machine = HTTP1ClientMachine()
    do {
      var unused = WriteBuffer()
      let head = RequestHead(method: HTTPMethod(rawValue: method) ?? .get, target: .asterisk, headers: ["Host": "x"])
      try machine.sendHead(head, body: .none, into: &unused)
    } catch {
      throw .violation("\(error)")
    }
    while true {
      let bytes = try upstream.receive(upTo: 64 << 10)
      if bytes.isEmpty { machine.receiveEOF() } else { machine.receive(bytes.span) }
      try stream.send(bytes)
      while true {
        let event: HTTP1Event
        do throws(HTTP1Error) { event = try machine.nextEvent() } catch { try connection.endWithClose() }
        if case .needMoreData = event { break }
        guard case .end = event else { continue }
        // Else the client could not tell where the response ends.
        if !machine.mayBeReusable { try connection.endWithClose() }
        return
      }
    }
  }
}
