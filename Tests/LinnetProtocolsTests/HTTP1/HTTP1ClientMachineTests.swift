import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("HTTP/1 client machine")
struct HTTP1ClientMachineTests {
  /// A machine whose request was sent, and what it wrote.
  private func started(
    _ method: HTTPMethod = .get, headers: HTTPHeaders = ["Host": "h"], body: RequestBodyLength = .none,
    limits: HTTP1Limits = HTTP1Limits()
  ) throws -> HTTP1ClientMachine {
    var machine = HTTP1ClientMachine(limits: limits)
    var out = WriteBuffer()
    try machine.sendHead(request(method, headers: headers), body: body, into: &out)
    return machine
  }

  private func isPaused(_ machine: inout HTTP1ClientMachine) throws -> Bool {
    if case .paused = try machine.nextEvent() { return true }
    return false
  }

  private func drain(_ machine: inout HTTP1ClientMachine) throws {
    while true {
      switch try machine.nextEvent() {
      case .needMoreData, .paused, .closed: return
      case .interim, .head, .body, .end: continue
      }
    }
  }

  @Test("a new machine is paused and may be used")
  func fresh() throws {
    var machine = HTTP1ClientMachine()
    #expect(machine.canReuse == true)
    #expect(machine.responseStarted == false)
    #expect(try isPaused(&machine))
    try machine.startNextCycle()
    machine.receiveEOF()
    #expect(machine.canReuse == false)
    guard case .closed = try machine.nextEvent() else {
      Issue.record("expected closed")
      return
    }
  }

  @Test(
    "the connection is kept unless version, Connection fields or framing end it",
    arguments: [
      ("HTTP/1.1 204 x", true), ("HTTP/1.1 204 x\r\nConnection: close", false),
      ("HTTP/1.1 204 x\r\nConnection: Close", false),
      ("HTTP/1.1 204 x\r\nConnection: foo, close", false),
      ("HTTP/1.1 204 x\r\nConnection: foo\r\nConnection: close", false),
      ("HTTP/1.1 204 x\r\nConnection: keep-alive, close", false), ("HTTP/1.1 204 x\r\nConnection: keep-alive", true),
      ("HTTP/1.1 204 x\r\nConnection: closed", true), ("HTTP/1.0 204 x", false),
      ("HTTP/1.0 204 x\r\nConnection: keep-alive", true),
      ("HTTP/1.0 204 x\r\nConnection: Keep-Alive, x", true), ("HTTP/1.0 204 x\r\nConnection: keep-alive, close", false),
      ("HTTP/1.1 200 x\r\nContent-Length: 0", true), ("HTTP/1.1 200 x", false),
    ])
  func persistence(head: String, isKept: Bool) {
    #expect(expectSame(head + "\r\n\r\n").canReuse == isKept)
  }

  @Test("a request that says close, or HTTP/1.0 without keep-alive, ends the connection")
  func requestEndsConnection() throws {
    var exchange = Exchange()
    exchange.headers = ["Connection": "close"]
    #expect(!expectSame("HTTP/1.1 204 x\r\n\r\n", exchange).canReuse)
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    var head = request()
    head.version = .http1_0
    try machine.sendHead(head, body: .none, into: &out)
    machine.receive(Array("HTTP/1.1 204 x\r\n\r\n".utf8).span)
    try drain(&machine)
    #expect(machine.canReuse == false)
  }

  @Test("exchanges follow each other on one machine")
  func cycles() throws {
    var machine = HTTP1ClientMachine()
    for round in 0..<3 {
      var out = WriteBuffer()
      try machine.sendHead(request(), body: .none, into: &out)
      #expect(machine.responseStarted == false)
      #expect(machine.canReuse == false)
      #expect(throws: HTTP1Error.local(.notReusable)) { try machine.startNextCycle() }
      machine.receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nRound: \(round)\r\n\r\n\(round)".utf8).span)
      #expect(machine.responseStarted == true)
      guard case .head(let head, body: .known(1)) = try machine.nextEvent() else {
        Issue.record("expected a head")
        return
      }
      #expect(head.headers["round"] == "\(round)")
      #expect(machine.canReuse == false)
      try drain(&machine)
      #expect(machine.canReuse == true)
      #expect(try isPaused(&machine))
      try machine.startNextCycle()
    }
  }

  @Test("bytes behind a response are never taken for the next one")
  func leftOverBytes() throws {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    for extra in ["HTTP/1.1 200 OK\r\n\r\n", "\r\n", "x"] {
      let transcript = expectSame(response + extra)
      #expect(transcript.bodyText == "hi")
      #expect(!transcript.canReuse)
    }
    var machine = try started()
    machine.receive(Array(response.utf8).span)
    try drain(&machine)
    #expect(machine.canReuse == true)
    try machine.startNextCycle()
    machine.receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8).span)
    #expect(machine.canReuse == false)
    #expect(machine.hasBufferedInput == true)
    #expect(try isPaused(&machine))
    var out = WriteBuffer()
    #expect(throws: HTTP1Error.remote(.unsolicitedBytes)) {
      try machine.sendHead(request(), body: .none, into: &out)
    }
    #expect(out.count == 0)
  }

  @Test("a request on a connection that the peer closed is refused as an empty reply")
  func sendAfterEOF() {
    var machine = HTTP1ClientMachine()
    machine.receiveEOF()
    var out = WriteBuffer()
    #expect(throws: HTTP1Error.remote(.emptyReply)) { try machine.sendHead(request(), body: .none, into: &out) }
    #expect(out.count == 0)
  }

  @Test("interim responses come before the final one and are bounded")
  func interimResponses() {
    let interim = "HTTP/1.1 102 Processing\r\nA: 1\r\n\r\n"
    let final = "HTTP/1.1 204 x\r\n\r\n"
    let transcript = expectSame(String(repeating: interim, count: 32) + final)
    #expect(transcript.items.count { $0 == .interim(102, ["A: 1"]) } == 32)
    #expect(transcript.fields == [])
    #expect(transcript.canReuse)
    expectFailure(String(repeating: interim, count: 33) + final, .tooManyInterimResponses(limit: 32))
  }

  @Test("100 Continue lets the body go and the final response follows")
  func continueFlow() throws {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    try machine.sendHead(request(.put, headers: ["Expect": "100-continue"]), body: .known(5), into: &out)
    #expect(text(out.takeAll()) == "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
    machine.receive(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8).span)
    guard case .interim(let head) = try machine.nextEvent(), head.status.code == 100,
      case .needMoreData = try machine.nextEvent()
    else {
      Issue.record("expected the interim response")
      return
    }
    #expect(machine.responseStarted == true)
    try machine.sendBody(ByteChunk("hello"), into: &out)
    try machine.sendEnd(trailers: nil, into: &out)
    machine.receive(Array("\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".utf8).span)
    try drain(&machine)
    #expect(machine.canReuse == true)
  }

  @Test("an early final response is delivered; the connection is kept only if the request is finished")
  func earlyResponse() throws {
    for finishes in [false, true] {
      var machine = try started(.put, body: .chunked)
      var out = WriteBuffer()
      try machine.sendBody(ByteChunk("some"), into: &out)
      machine.receive(Array("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno".utf8).span)
      try drain(&machine)
      #expect(try isPaused(&machine))
      #expect(machine.canReuse == false)
      try machine.sendBody(ByteChunk("more"), into: &out)
      if finishes { try machine.sendEnd(trailers: nil, into: &out) }
      #expect(machine.canReuse == finishes)
    }
  }

  @Test("after 101 the machine is paused and hands over what follows")
  func upgrade() {
    let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"
    for extra in ["", "Content-Length: 4\r\n", "Transfer-Encoding: chunked\r\n"] {
      let transcript = expectSame(head + extra + "\r\nbodyproto")
      #expect(transcript.status == 101)
      #expect(Array(transcript.items.dropFirst()) == [.end(nil), .needMoreData])
      #expect(transcript.leftover == Array("bodyproto".utf8))
      #expect(!transcript.canReuse)
    }
  }

  @Test("an upgrade that is declined is an ordinary response")
  func declinedUpgrade() {
    let transcript = expectSame(
      "HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbody")
    #expect(transcript.bodyText == "body")
    #expect(transcript.leftover.isEmpty)
    #expect(transcript.canReuse)
  }

  @Test("2xx to CONNECT opens a tunnel; anything else is an ordinary response")
  func connect() {
    var exchange = Exchange()
    exchange.method = .connect
    let tunnel = expectSame("HTTP/1.1 200 Established\r\nContent-Length: 3\r\n\r\n\u{16}\u{3}", exchange)
    #expect(tunnel.leftover == [0x16, 3])
    #expect(!tunnel.canReuse)
    let refusal = expectSame("HTTP/1.1 407 Auth\r\nContent-Length: 3\r\n\r\nnop", exchange)
    #expect(refusal.bodyText == "nop")
    #expect(refusal.canReuse)
  }

  @Test("end of input in a tunnel changes nothing, and its bytes come in any number of parts")
  func tunnelBytes() throws {
    var machine = try started(.connect)
    #expect(machine.takeLeftover().isEmpty)
    machine.receive(Array("HTTP/1.1 200 x\r\n\r\nab".utf8).span)
    #expect(machine.takeLeftover().isEmpty)
    try drain(&machine)
    #expect(String(machine.takeLeftover()) == "ab")
    machine.receive(Array("cd".utf8).span)
    machine.receiveEOF()
    #expect(try isPaused(&machine))
    #expect(String(machine.takeLeftover()) == "cd")
    #expect(machine.takeLeftover().isEmpty)
  }

  @Test("end of input before any byte of a response is an empty reply", arguments: ["", "\r\n", "\r", "\r\n\r\n"])
  func emptyReply(input: String) throws {
    expectFailure(input, .emptyReply, .closing)
    var machine = try started()
    machine.receive(Array(input.utf8).span)
    guard case .needMoreData = try machine.nextEvent() else {
      Issue.record("expected to wait")
      return
    }
    #expect(machine.responseStarted == false)
  }

  @Test(
    "end of input inside a head, or between interim and final response, is a truncated head",
    arguments: [
      "H", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: 1\r\n\r", "HTTP/1.1 100 x\r\n\r\n",
      "HTTP/1.1 100 x\r\n\r\n\r\n",
    ])
  func truncatedHead(input: String) {
    expectFailure(input, .truncatedHead, .closing)
  }

  @Test("end of input ends a body without length, and the machine says closed")
  func untilClose() {
    let transcript = expectSame("HTTP/1.1 200 OK\r\n\r\nsome body", .closing)
    #expect(Array(transcript.items.dropFirst()) == [.body(Array("some body".utf8)), .end(nil), .closed])
    #expect(!transcript.canReuse)
    #expect(expectSame("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nx", .closing).bodyText == "x")
    #expect(expectSame("HTTP/1.1 200 OK\r\n\r\n", .closing).isComplete)
  }

  @Test("end of input behind a complete response is a clean close")
  func cleanClose() {
    let transcript = expectSame("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", .closing)
    #expect(Array(transcript.items.dropFirst(2)) == [.end(nil), .closed])
    #expect(!transcript.canReuse)
  }

  @Test("an error on the receive side is final")
  func stickyError() throws {
    var machine = try started(.put, body: .known(3))
    machine.receive(Array("garbage".utf8).span)
    let error = HTTP1Error.remote(.invalidStatusLine)
    #expect(throws: error) { try machine.nextEvent() }
    machine.receive(Array("HTTP/1.1 200 OK\r\n\r\n".utf8).span)
    machine.receiveEOF()
    #expect(throws: error) { try machine.nextEvent() }
    #expect(machine.responseStarted == true)
    #expect(machine.hasBufferedInput == false)
    // The send side is not affected: the caller decides.
    var out = WriteBuffer()
    try machine.sendBody(ByteChunk("abc"), into: &out)
    #expect(machine.canReuse == false)
    #expect(throws: HTTP1Error.local(.notReusable)) { try machine.startNextCycle() }
  }

  @Test("an error on the send side leaves the response readable")
  func sendErrorKeepsReceiving() throws {
    var machine = try started(.put, body: .known(3))
    var out = WriteBuffer()
    #expect(throws: HTTP1Error.self) { try machine.sendBody(ByteChunk("abcd"), into: &out) }
    machine.receive(Array("HTTP/1.1 400 x\r\nContent-Length: 1\r\n\r\n!".utf8).span)
    guard case .head = try machine.nextEvent(), case .body = try machine.nextEvent(),
      case .end = try machine.nextEvent()
    else {
      Issue.record("expected the response")
      return
    }
    #expect(machine.canReuse == false)
  }

  @Test("body bytes leave in one run for each read")
  func contiguousRuns() throws {
    var machine = try started()
    machine.receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".utf8).span)
    _ = try machine.nextEvent()
    let part = [UInt8](repeating: 7, count: 50000)
    for _ in 0..<2 {
      machine.receive(part.span)
      guard case .body(let run) = try machine.nextEvent() else {
        Issue.record("expected a run")
        return
      }
      #expect(run.count == 50000)
    }
  }

  @Test("a socket reads straight into the machine")
  func receiveCapacity() throws {
    var machine = try started()
    let bytes = Array("HTTP/1.1 204 x\r\n\r\n".utf8)
    let count = machine.withReceiveCapacity(minimum: 1024) { room in
      guard room.count >= 1024 else { return 0 }
      unsafe room.copyBytes(from: bytes)
      return bytes.count
    }
    #expect(count == bytes.count)
    guard case .head(let head, _) = try machine.nextEvent() else {
      Issue.record("expected a head")
      return
    }
    #expect(head.status == .noContent)
  }

  @Test("the suggested read size is small for heads and follows what a body still needs")
  func suggestedReadSize() throws {
    func size(_ head: String, _ more: Int = 0) throws -> Int {
      var machine = try started()
      #expect(machine.suggestedReadSize == 16384)
      machine.receive(Array("HTTP/1.1 200 OK\r\n\(head)\r\n".utf8).span)
      machine.receive([UInt8](repeating: 0x61, count: more).span)
      try drain(&machine)
      return machine.suggestedReadSize
    }
    #expect(try size("Content-Length: 0\r\n") == 16384)
    #expect(try size("Content-Length: 100\r\n") == 4096)
    #expect(try size("Content-Length: 4096\r\n") == 8192)
    #expect(try size("Content-Length: 100000000\r\n") == 262144)
    #expect(try size("Content-Length: 18446744073709551615\r\n") == 262144)
    #expect(try size("Content-Length: 300000\r\n", 290000) == 12288)
    #expect(try size("") == 16384)
    #expect(try size("", 70000) == 262144)
    #expect(try size("Transfer-Encoding: chunked\r\n") == 16384)
  }

  @Test("an error reads as one line that names the side")
  func errorText() {
    #expect(
      HTTP1Error.remote(.truncatedBody(received: 5, expected: 20)).description
        == "the server closed the connection after 5 of 20 body bytes")
    #expect(
      HTTP1Error.local(.bodyTooShort(sent: 1, announced: 2)).description
        == "the request has ended after 1 of 2 announced body bytes")
  }
}
