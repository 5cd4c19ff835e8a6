package import LinnetBytes
package import LinnetHTTPTypes

/// CONNECT to an HTTP proxy (RFC 9110 §9.3.6): a request, its answer, and another request on the same connection when the
/// proxy asks for credentials.
///
/// **Theory of operation.** The wire is ``HTTP1ClientMachine``'s; this machine decides what an answer means. Any 2xx makes
/// the tunnel, whatever its Content-Length or Transfer-Encoding say, and the bytes behind its head are the target's. Any
/// other final answer is a refusal: the beginning of its body is collected, because proxies explain there what they do not
/// like, and the connection can be asked again when the whole body fits and the framing allows. What goes wrong after the
/// head of a refusal (a body that breaks off, or is framed wrongly) does not hide the refusal.
package struct ConnectTunnelMachine: ~Copyable, Sendable, ProxyHandshake {
  private enum State {
    /// The request waits to be written. Exits: head, failed.
    case request(RequestHead)
    /// Exits: body, established, failed.
    case head
    /// The head of a refusal and the beginning of its body. Exits: refused.
    case body(ResponseHead, [UInt8])
    /// What is buffered is the target's. Final.
    case established
    /// Exits: request by `retry`.
    case refused(ProxyRefusal)
    /// Final.
    case failed(ProxyHandshakeError)
  }

  private let target: Origin
  private var connection: HTTP1ClientMachine
  private var state: State
  /// The answer that made the tunnel.
  package private(set) var response: ResponseHead?

  /// How much of a refusal's body is kept. Squid's and nginx's pages have 1–4 KiB; more is of no use in an error.
  package static var maximumBodyBytes: Int { 16 * 1024 }

  /// - Parameters:
  ///   - target: Host and port that the tunnel shall lead to; the scheme does not matter.
  ///   - headers: Fields for the proxy, credentials among them. `Host` is put in front unless it is there.
  ///   - limits: Of the answer's head.
  package init(target: Origin, headers: HTTPHeaders = HTTPHeaders(), limits: HTTP1Limits = HTTP1Limits()) {
    self.target = target
    connection = HTTP1ClientMachine(limits: limits)
    state = .request(Self.requestHead(target, headers))
  }

  private static func requestHead(_ target: Origin, _ headers: HTTPHeaders) -> RequestHead {
    var fields = HTTPHeaders()
    if !headers.contains("Host") { fields.add("Host", target.authority) }
    fields.add(contentsOf: headers)
    return RequestHead(method: .connect, target: RequestTarget(authority: target), headers: fields)
  }

  package mutating func receive(_ bytes: Span<UInt8>) { connection.receive(bytes) }

  package mutating func receiveEOF() { connection.receiveEOF() }

  /// The refusal so far, once its head is there: for a caller who does not want to wait longer for the rest of its body.
  package var refusal: ProxyRefusal? {
    switch state {
    case .body(let head, let body):
      ProxyRefusal(head: head, body: ByteChunk(body), isBodyComplete: false, canRetry: false)
    case .refused(let refusal): refusal
    case .request, .head, .established, .failed: nil
    }
  }

  /// Whether the connection may be one to ask again on, once the body of the refusal has come.
  package var mayRetry: Bool {
    switch state {
    case .body(let head, _): connection.mayBeReusable && !Self.announcesClose(head.headers)
    case .refused(let refusal): refusal.canRetry
    case .request, .head, .established, .failed: false
    }
  }

  /// Asks again on the same connection, with other fields.
  ///
  /// - Throws: ``ProxyHandshakeError/notReusable`` unless ``ProxyRefusal/canRetry``; nothing has changed then.
  package mutating func retry(headers: HTTPHeaders) throws(ProxyHandshakeError) {
    guard case .refused(let refusal) = state, refusal.canRetry else { throw .notReusable }
    do throws(HTTP1Error) { try connection.startNextCycle() } catch { throw .notReusable }
    state = .request(Self.requestHead(target, headers))
  }

  package mutating func nextEvent(into out: inout WriteBuffer) throws(ProxyHandshakeError) -> ProxyHandshakeEvent {
    while true {
      switch state {
      case .request(let head):
        do throws(HTTP1Error) { try connection.sendHead(head, body: .none, into: &out) } catch { throw fail(error) }
        state = .head
      case .head:
        if let event = try nextHeadEvent() { return event }
      case .body(let head, let body):
        guard let refusal = nextBodyEvent(head, body) else { return .needMoreData }
        state = .refused(refusal)
        return .refused(refusal)
      case .established:
        return .established
      case .refused(let refusal):
        return .refused(refusal)
      case .failed(let error):
        throw error
      }
    }
  }

  package mutating func takeLeftover() -> ByteChunk {
    guard case .established = state else { return ByteChunk() }
    return connection.takeLeftover()
  }

  /// - Returns: Nil when the final head has come and `state` says how to go on.
  private mutating func nextHeadEvent() throws(ProxyHandshakeError) -> ProxyHandshakeEvent? {
    let event: HTTP1Event
    do throws(HTTP1Error) { event = try connection.nextEvent() } catch { throw fail(error) }
    switch event {
    case .needMoreData: return .needMoreData
    case .interim(let head): return .interim(head)
    case .head(let head, _) where (200..<300).contains(head.status.code):
      // The end of the message, which has no body; the wire is the tunnel's after it.
      do throws(HTTP1Error) { _ = try connection.nextEvent() } catch { throw fail(error) }
      response = head
      state = .established
    case .head(let head, _):
      guard head.status.code != 101 else { throw fail(.switchedProtocols) }
      state = .body(head, [])
    // A head comes before the others.
    case .body, .end, .paused, .closed: throw fail(.truncatedReply)
    }
    return nil
  }

  /// Collects the body.
  ///
  /// - Returns: The refusal, when it is complete or nothing more of it is wanted.
  private mutating func nextBodyEvent(_ head: ResponseHead, _ body: [UInt8]) -> ProxyRefusal? {
    var body = body
    while true {
      let event: HTTP1Event
      do throws(HTTP1Error) { event = try connection.nextEvent() } catch {
        return ProxyRefusal(head: head, body: ByteChunk(body), isBodyComplete: false, canRetry: false)
      }
      switch event {
      case .body(let chunk):
        let room = Self.maximumBodyBytes - body.count
        body.append(contentsOf: chunk.prefix(room))
        guard chunk.count <= room else {
          return ProxyRefusal(head: head, body: ByteChunk(body), isBodyComplete: false, canRetry: false)
        }
      case .needMoreData:
        state = .body(head, body)
        return nil
      case .end, .interim, .head, .paused, .closed:
        return ProxyRefusal(
          head: head, body: ByteChunk(body), isBodyComplete: true,
          canRetry: connection.canReuse && !Self.announcesClose(head.headers))
      }
    }
  }

  /// Proxies of HTTP/1.0's time say it in this field (RFC 9112 appendix C.2.2), and curl heeds it.
  private static func announcesClose(_ headers: HTTPHeaders) -> Bool {
    headers.values(for: "Proxy-Connection").contains { ASCII.equalIgnoringCase($0.utf8, "close".utf8) }
  }

  private mutating func fail(_ error: HTTP1Error) -> ProxyHandshakeError {
    switch error.reason {
    case .emptyReply: fail(.emptyReply)
    case .truncatedHead: fail(.truncatedReply)
    default: fail(.http(error))
    }
  }

  private mutating func fail(_ error: ProxyHandshakeError) -> ProxyHandshakeError {
    state = .failed(error)
    return error
  }
}
