import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("CONNECT")
struct ConnectTunnelMachineTests {
  static let target = Origin(scheme: .https, normalisedHost: "example.com", port: 443)

  private func transcript(
    _ answer: String, headers: HTTPHeaders = [:], _ cut: Cut = .whole, ends: Bool = false,
    limits: HTTP1Limits = HTTP1Limits()
  ) -> HandshakeTranscript {
    var machine = ConnectTunnelMachine(target: Self.target, headers: headers, limits: limits)
    return HandshakeTranscript(&machine, Array(answer.utf8), cut, ends: ends)
  }

  private func refusal(_ transcript: HandshakeTranscript) throws -> ProxyRefusal {
    guard case .refused(let refusal) = transcript.outcome else {
      throw ProxyHandshakeError.notReusable
    }
    return refusal
  }

  @Test("the request has the authority as target and as Host (RFC 9112 §3.2.3)")
  func request() {
    let result = transcript(
      "HTTP/1.1 200 OK\r\n\r\n", headers: ["User-Agent": "x", "Proxy-Authorization": "Basic eA=="])
    #expect(
      text(result.sent)
        == "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nUser-Agent: x\r\nProxy-Authorization: Basic eA==\r\n\r\n"
    )
    var machine = ConnectTunnelMachine(
      target: Origin(scheme: .http, normalisedHost: "2001:db8::1", port: 80), headers: ["Host": "own"])
    let other = HandshakeTranscript(&machine, [])
    #expect(text(other.sent) == "CONNECT [2001:db8::1]:80 HTTP/1.1\r\nHost: own\r\n\r\n")
  }

  @Test(
    "any 2xx makes the tunnel, whatever its framing fields say, and the bytes behind its head are the target's",
    arguments: [
      "HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200 OK\r\nVia: p\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 299\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ])
  func established(answer: String) {
    for tunnel in ["", "\u{16}\u{3}\u{1}", "HTTP/1.1 200 OK\r\n\r\n", "\r\n"] {
      for cut in Cut.standard {
        let result = transcript(answer + tunnel, cut)
        #expect(result.outcome == .established)
        #expect(text(result.leftover) == tunnel)
      }
      #expect(transcript(answer + tunnel, ends: true).outcome == .established)
    }
  }

  @Test("interim responses are reported and skipped, up to the limit")
  func interim() {
    let result = transcript("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
    #expect(result.interimCodes == [100, 102])
    let many = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 33)
    #expect(transcript(many).outcome == .failed(.http(.remote(.tooManyInterimResponses(limit: 32)))))
  }

  @Test(
    "PRX-06: a refusal has status, head and body, and tells whether the connection can be asked again",
    arguments: [
      ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 4\r\n\r\ndeny", 407, "deny", true),
      ("HTTP/1.1 407 P\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndeny\r\n0\r\n\r\n", 407, "deny", true),
      ("HTTP/1.1 407 P\r\nContent-Length: 0\r\n\r\n", 407, "", true),
      ("HTTP/1.1 407 P\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndeny", 407, "deny", false),
      ("HTTP/1.1 407 P\r\nContent-Length: 4\r\nProxy-Connection: Close\r\n\r\ndeny", 407, "deny", false),
      ("HTTP/1.0 407 P\r\nContent-Length: 4\r\n\r\ndeny", 407, "deny", false),
      ("HTTP/1.0 407 P\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\ndeny", 407, "deny", true),
      ("HTTP/1.1 407 P\r\nContent-Length: 4\r\n\r\ndenyHTTP/1.1 200 OK\r\n\r\n", 407, "deny", false),
      ("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", 403, "no", true),
      ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", 502, "", true),
      ("HTTP/1.1 302 Found\r\nLocation: http://portal/\r\nContent-Length: 0\r\n\r\n", 302, "", true),
      ("HTTP/1.1 304 Not Modified\r\n\r\n", 304, "", true),
    ] as [(String, Int, String, Bool)])
  func refusals(answer: String, code: Int, body: String, canRetry: Bool) throws {
    for cut in Cut.standard {
      let refusal = try refusal(transcript(answer, cut))
      #expect(refusal.head.status.code == code)
      #expect(String(refusal.body) == body)
      #expect(refusal.isBodyComplete)
      // Bytes behind the body are evidence only when they are there in time.
      if cut.description == "whole" || canRetry { #expect(refusal.canRetry == canRetry) }
    }
  }

  @Test(
    "a body that does not end well does not hide the refusal",
    arguments: [
      "HTTP/1.1 403 F\r\nContent-Length: 10\r\n\r\nhello",
      "HTTP/1.1 403 F\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 403 F\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz",
    ])
  func brokenBody(answer: String) throws {
    for cut in Cut.standard {
      let refusal = try refusal(transcript(answer, cut, ends: true))
      #expect(String(refusal.body) == "hello")
      #expect(!refusal.isBodyComplete && !refusal.canRetry)
    }
  }

  @Test("a body that ends with the connection is complete then")
  func untilClose() throws {
    let refusal = try refusal(transcript("HTTP/1.1 403 F\r\n\r\nhello", ends: true))
    #expect(refusal.isBodyComplete && !refusal.canRetry && String(refusal.body) == "hello")
  }

  @Test("a refusal is known before its body ends")
  func pendingRefusal() throws {
    var machine = ConnectTunnelMachine(target: Self.target)
    let early = machine.refusal
    #expect(early == nil)
    let result = HandshakeTranscript(&machine, Array("HTTP/1.1 403 F\r\nContent-Length: 10\r\n\r\nhel".utf8))
    #expect(result.outcome == .needMoreData)
    let pending = machine.refusal
    let refusal = try #require(pending)
    #expect(refusal.head.status.code == 403 && String(refusal.body) == "hel")
    #expect(!refusal.isBodyComplete && !refusal.canRetry)
  }

  @Test("16 KiB of a body are kept; with more the connection is not asked again", arguments: [0, 1, 100_000])
  func bodyLimit(excess: Int) throws {
    let limit = ConnectTunnelMachine.maximumBodyBytes
    let body = String(repeating: "b", count: limit + excess)
    let answer = "HTTP/1.1 407 P\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    for cut in [.whole, .every(1000)] as [Cut] {
      let refusal = try refusal(transcript(answer, cut))
      #expect(refusal.body.count == limit)
      #expect(refusal.isBodyComplete == (excess == 0))
      #expect(refusal.canRetry == (excess == 0))
    }
  }

  @Test(
    "what is no answer to CONNECT is an error, at its first wrong byte",
    arguments: [
      ("SSH-2.0-OpenSSH\r\n", .http(.remote(.invalidStatusLine))), ("\u{5}", .http(.remote(.invalidStatusLine))),
      ("HTTP/2", .http(.remote(.unsupportedVersion))), ("HTTP/1.1 101 S\r\n\r\n", .switchedProtocols),
      ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", .http(.remote(.whitespaceBeforeColon))),
      ("HTTP/1.1 407 P\r\nContent-Length: x\r\n\r\n", .http(.remote(.invalidContentLength))),
    ] as [(String, ProxyHandshakeError)])
  func garbage(answer: String, error: ProxyHandshakeError) {
    for cut in Cut.standard { #expect(transcript(answer, cut).outcome == .failed(error)) }
    #expect(error.description.hasPrefix("the proxy "))
  }

  @Test("the head has limits")
  func headLimits() {
    var limits = HTTP1Limits()
    limits.maximumFieldSectionBytes = 1000
    limits.maximumFieldCount = 10
    let large = "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1000))\r\n\r\n"
    #expect(transcript(large, limits: limits).outcome == .failed(.http(.remote(.fieldSectionTooLarge(limit: 1000)))))
    let many = "HTTP/1.1 200 OK\r\n\(String(repeating: "X: y\r\n", count: 11))\r\n"
    #expect(transcript(many, limits: limits).outcome == .failed(.http(.remote(.tooManyFields(limit: 10)))))
  }

  @Test("an early close at any byte of the head is told")
  func earlyClose() {
    let answer = "HTTP/1.1 200 OK\r\nVia: p\r\n\r\n"
    for length in 0..<answer.utf8.count {
      let part = String(decoding: Array(answer.utf8.prefix(length)), as: UTF8.self)
      #expect(transcript(part, ends: true).outcome == .failed(length == 0 ? .emptyReply : .truncatedReply))
    }
  }

  @Test("PRX-06: after 407 the same connection can be asked again with credentials")
  func retry() throws {
    var machine = ConnectTunnelMachine(target: Self.target)
    let first = HandshakeTranscript(&machine, Array("HTTP/1.1 407 P\r\nContent-Length: 4\r\n\r\ndeny".utf8))
    #expect(try refusal(first).canRetry)
    try machine.retry(headers: ["Proxy-Authorization": "Basic eDp5"])
    let second = HandshakeTranscript(&machine, Array("HTTP/1.1 200 OK\r\n\r\n!".utf8))
    #expect(
      text(second.sent)
        == "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nProxy-Authorization: Basic eDp5\r\n\r\n")
    #expect(second.outcome == .established && text(second.leftover) == "!")
    #expect(throws: ProxyHandshakeError.notReusable) { try machine.retry(headers: [:]) }
  }

  @Test("a connection that closed meanwhile, or has bytes that nobody asked for, is not asked again")
  func noRetry() throws {
    for isEnd in [true, false] {
      var machine = ConnectTunnelMachine(target: Self.target)
      let first = HandshakeTranscript(&machine, Array("HTTP/1.1 407 P\r\nContent-Length: 0\r\n\r\n".utf8))
      #expect(try refusal(first).canRetry)
      if isEnd { machine.receiveEOF() } else { machine.receive([0x48].span) }
      #expect(throws: ProxyHandshakeError.notReusable) { try machine.retry(headers: [:]) }
    }
  }

  @Test("a request that cannot be sent is a local error, and nothing is written")
  func unsendable() {
    let result = transcript("", headers: HTTPHeaders(unchecked: [("X", "a\r\nb")]))
    #expect(result.outcome == .failed(.http(.local(.invalidHeader))))
    #expect(result.sent.isEmpty)
    #expect(ProxyHandshakeError.http(.local(.invalidHeader)).isLocal)
  }

  @Test("a proxy that speaks first is not believed")
  func speaksFirst() {
    var machine = ConnectTunnelMachine(target: Self.target)
    machine.receive(Array("HTTP/1.1 200 OK\r\n\r\n".utf8).span)
    let result = HandshakeTranscript(&machine, [])
    #expect(result.outcome == .failed(.http(.remote(.unsolicitedBytes))))
    #expect(result.sent.isEmpty)
  }
}
