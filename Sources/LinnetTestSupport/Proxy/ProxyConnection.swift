internal import LinnetBytes

/// One connection of a ``ScriptedProxy``, on the thread of its connection.
struct ProxyConnection {
  let connection: ServerConnection
  let kind: ScriptedProxy.Kind
  let options: ScriptedProxy.Options
  let log: ProxyLog
  let decide: @Sendable (RecordedProxyRequest) -> ProxyAnswer

  init(
    _ connection: ServerConnection, kind: ScriptedProxy.Kind, options: ScriptedProxy.Options, log: ProxyLog,
    decide: @escaping @Sendable (RecordedProxyRequest) -> ProxyAnswer
  ) {
    self.connection = connection
    self.kind = kind
    self.options = options
    self.log = log
    self.decide = decide
    let number = connection.number
    connection.stream.onReceive = { log.append($0, connection: number) }
  }

  func run() throws(ConnectionEnd) {
    switch kind {
    case .http: try serveHTTP()
    case .socks5: try serveSOCKS5()
    case .socks4: try serveSOCKS4()
    }
  }

  var stream: ServerStream { connection.stream }

  func record(_ request: RecordedProxyRequest) {
    log.state.mutate { $0.requests.append(request) }
  }

  // MARK: Answers

  /// Sends a successful answer and what the target says at once, and forwards until both sides are done.
  func tunnel(
    to upstream: BlockingSocket, after head: [UInt8], _ answer: ProxyAnswer
  ) throws(ConnectionEnd) -> Never {
    noteEarlyBytes()
    try send(head + answer.extra, answer.pacing)
    try ProxyTunnel(client: stream, upstream: upstream, core: connection.core)
      .run(first: connection.reader.takeBuffered())
    throw ConnectionEnd(.peerClosed)
  }

  /// A client may not send what is for the target before the proxy has agreed: it does not know who reads it.
  private func noteEarlyBytes() {
    let count = connection.reader.bufferedCount
    if count > 0 { connection.core.violated("\(count) bytes were sent ahead of the proxy's answer") }
  }

  func send(_ bytes: [UInt8], _ pacing: ProxyAnswer.Pacing) throws(ConnectionEnd) {
    switch pacing {
    case .whole: try stream.send(bytes)
    case .split(let position, let gate): try connection.run([.split(bytes, at: position, until: gate)])
    case .trickle(let every): try connection.run([.trickle(bytes, every: every)])
    }
  }

  /// Connects to the target, or to where the options lead.
  func connectUpstream(_ request: RecordedProxyRequest) throws(ConnectionEnd) -> BlockingSocket {
    try BlockingSocket.loopback(port: options.routes[request.authority] ?? request.port)
  }
}
