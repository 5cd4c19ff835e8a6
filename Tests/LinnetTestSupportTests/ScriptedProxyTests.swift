import LinnetBytes
import LinnetTestSupport
import Testing

@Suite("Scripted proxy")
struct ScriptedProxyTests {
  private func with(
    _ kind: ScriptedProxy.Kind, credentials: (user: String, password: String)? = nil,
    decide: @escaping @Sendable (RecordedProxyRequest) -> ProxyAnswer = { _ in .allow },
    _ body: (ScriptedProxy, ScriptedServer, RawClient) async throws -> Void
  ) async throws {
    let target = try ScriptedServer.start(.handler { .text("got \($0.target)") })
    defer { target.stop() }
    var options = ScriptedProxy.Options()
    options.credentials = credentials
    let proxy = try ScriptedProxy.start(kind, options: options, decide)
    defer { proxy.stop() }
    try await body(proxy, target, try RawClient(proxy.server))
  }

  private static func port(_ server: ScriptedServer) -> [UInt8] {
    [UInt8(server.port >> 8), UInt8(truncatingIfNeeded: server.port)]
  }

  private static let get = "GET /x HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n"

  @Test("a request with a whole URL is forwarded in origin form, without the proxy's fields, again and again")
  func forward() async throws {
    try await with(.http) { proxy, target, client in
      for round in 1...2 {
        try client.send(
          "GET http://nowhere.invalid:\(target.port)/a?b HTTP/1.1\r\nHost: nowhere.invalid\r\n"
            + "Proxy-Authorization: Basic eA==\r\nX: 1\r\n\r\n")
        #expect(try client.receive(until: "got /a?b").hasPrefix("HTTP/1.1 200 OK\r\n"))
        let seen = try await target.waitForRequests(round)[round - 1]
        #expect(seen.headers == [HeaderLine("Host", "nowhere.invalid"), HeaderLine("X", "1")])
      }
      try client.send(
        "POST http://nowhere.invalid:\(target.port)/p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
      )
      #expect(try client.receive(until: "got /p").hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(try await target.waitForRequests(3)[2].body.text == "hi")
      #expect(proxy.requests.map(\.way) == [.forward, .forward, .forward])
      #expect(proxy.requests[0].authorization == "Basic eA==")
      #expect(proxy.violations == [])
    }
  }

  @Test("CONNECT makes a tunnel, and every byte of the client is recorded")
  func connect() async throws {
    try await with(.http) { proxy, target, client in
      let head = "CONNECT nowhere.invalid:\(target.port) HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n"
      try client.send(head)
      #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 200 Connection established\r\n\r\n")
      try client.send(Self.get)
      _ = try client.receive(until: "got /x")
      client.halfClose()
      #expect(try client.receiveToEnd() == "")
      #expect(try await proxy.server.waitForConnectionsClosed(1)[0].ending == .peerClosed)
      #expect(String(decoding: proxy.received(on: 1), as: UTF8.self) == head + Self.get)
      let request = try #require(proxy.requests.first)
      #expect(request.way == .connect && request.host == "nowhere.invalid" && request.port == target.port)
      #expect(proxy.violations == [])
    }
  }

  @Test("bytes ahead of the answer are a violation")
  func earlyBytes() async throws {
    try await with(.http) { proxy, target, client in
      try client.send("CONNECT a.invalid:\(target.port) HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get)
      _ = try client.receive(until: "got /x")
      #expect(proxy.violations.count == 1)
    }
  }

  @Test("SOCKS 5 by name and by address, with and without credentials", arguments: [true, false], [true, false])
  func socks5(hasCredentials: Bool, hasName: Bool) async throws {
    try await with(.socks5, credentials: hasCredentials ? ("joe", "pw") : nil) { proxy, target, client in
      try client.send(hasCredentials ? [5, 2, 0, 2] : [5, 1, 0])
      #expect(try client.receive(2) == [5, hasCredentials ? 2 : 0])
      if hasCredentials {
        try client.send([1, 3] + Array("joe".utf8) + [2] + Array("pw".utf8))
        #expect(try client.receive(2) == [1, 0])
      }
      let host = hasName ? [3, 9] + Array("a.invalid".utf8) : [1, 10, 0, 0, 1]
      try client.send([5, 1, 0] + host + Self.port(target))
      #expect(try client.receive(10) == [5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
      try client.send(Self.get)
      _ = try client.receive(until: "got /x")
      let request = try #require(proxy.requests.first)
      #expect(request.host == (hasName ? "a.invalid" : "10.0.0.1"))
      #expect(request.addressType == (hasName ? .name : .ipv4))
      #expect(request.user == (hasCredentials ? "joe" : nil) && request.password == (hasCredentials ? "pw" : nil))
      #expect(proxy.violations == [])
    }
  }

  @Test("SOCKS 5 refuses wrong credentials, and clients without any")
  func socks5Credentials() async throws {
    try await with(.socks5, credentials: ("joe", "pw")) { proxy, _, client in
      try client.send([5, 1, 0])
      #expect(try client.receive(2) == [5, 0xFF])
      let other = try RawClient(proxy.server)
      try other.send([5, 1, 2])
      #expect(try other.receive(2) == [5, 2])
      try other.send([1, 3] + Array("joe".utf8) + [2] + Array("no".utf8))
      #expect(try other.receive(3) == [1, 1])
    }
  }

  @Test("SOCKS 4 by address and 4a by name")
  func socks4() async throws {
    try await with(.socks4) { proxy, target, client in
      try client.send([4, 1] + Self.port(target) + [0, 0, 0, 1] + Array("joe\0a.invalid\0".utf8))
      #expect(try client.receive(8) == [0, 90, 0, 80, 127, 0, 0, 1])
      try client.send(Self.get)
      _ = try client.receive(until: "got /x")
      let other = try RawClient(proxy.server)
      try other.send([4, 1] + Self.port(target) + [10, 0, 0, 1, 0])
      #expect(try other.receive(8) == [0, 90, 0, 80, 127, 0, 0, 1])
      #expect(proxy.requests.map(\.host) == ["a.invalid", "10.0.0.1"])
      #expect(proxy.requests.map(\.user) == ["joe", ""])
    }
  }

  @Test("a target that refuses the connection is told in the protocol's words")
  func refusedTarget() async throws {
    let closed = try ScriptedServer.start(.steps([]))
    closed.stop()
    try await with(.http) { _, _, client in
      try client.send("CONNECT a:\(closed.port) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.receive(until: "connect").hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
    }
    try await with(.socks5) { _, _, client in
      try client.send([5, 1, 0])
      _ = try client.receive(2)
      try client.send([5, 1, 0, 1, 127, 0, 0, 1] + Self.port(closed))
      #expect(try client.receive(10) == [5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
    }
    try await with(.socks4) { _, _, client in
      try client.send([4, 1] + Self.port(closed) + [127, 0, 0, 1, 0])
      #expect(try client.receive(8) == [0, 91, 0, 0, 0, 0, 0, 0])
    }
  }

  @Test("407 keeps the connection; the right credentials pass on it")
  func basic() async throws {
    try await with(.http, credentials: ("joe", "pw")) { _, target, client in
      let head = "CONNECT a.invalid:\(target.port) HTTP/1.1\r\nHost: a\r\n"
      try client.send(head + "\r\n")
      let refusal = try client.receive(until: "deny")
      #expect(
        refusal.hasPrefix("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"))
      try client.send(head + "Proxy-Authorization: Basic \(Base64.encode("joe:pw".utf8))\r\n\r\n")
      #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test("answers are decided: refused, paced, followed by bytes, or replaced by steps")
  func decisions() async throws {
    let gate = Gate()
    try await with(
      .http,
      decide: { request in
        switch request.host {
        case "closing.invalid": .refuse(403, body: "no", closes: true)
        case "split.invalid": .allow.paced(.split(at: 5, until: gate)).followed(by: [0x21])
        case "slow.invalid": .allow.paced(.trickle(every: nil))
        default: .steps([.send("SSH-2.0-x\r\n"), .close])
        }
      }
    ) { proxy, target, _ in
      func connect(_ host: String) throws -> RawClient {
        let client = try RawClient(proxy.server)
        try client.send("CONNECT \(host):\(target.port) HTTP/1.1\r\nHost: a\r\n\r\n")
        return client
      }
      let answer = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"
      #expect(try connect("closing.invalid").receiveToEnd() == answer)
      let split = try connect("split.invalid")
      #expect(try split.receive(5) == Array("HTTP/".utf8))
      gate.open()
      #expect(try split.receive(until: "!") == "1.1 200 Connection established\r\n\r\n!")
      #expect(try connect("slow.invalid").receive(until: "\r\n\r\n") == "HTTP/1.1 200 Connection established\r\n\r\n")
      #expect(try connect("garbage.invalid").receiveToEnd() == "SSH-2.0-x\r\n")
    }
  }

  @Test("bulk data passes both ways at once, and the end of each side is passed on")
  func bulk() async throws {
    let size = 3 << 20
    let target = try ScriptedServer.start(.steps([.sendPattern(UInt64(size)), .halfClose, .readUntilClosed]))
    defer { target.stop() }
    let proxy = try ScriptedProxy.start(.socks4)
    defer { proxy.stop() }
    let client = try RawClient(proxy.server)
    try client.send([4, 1] + Self.port(target) + [127, 0, 0, 1, 0])
    _ = try client.receive(8)
    // The target sends while nobody reads; this direction goes on all the same.
    try client.send([UInt8](repeating: 7, count: size))
    client.halfClose()
    #expect(try client.receive(size + 1).count == size)
    #expect(try await target.waitForConnectionsClosed(1)[0].receivedBytes == UInt64(size))
    #expect(try await proxy.server.waitForConnectionsClosed(1)[0].ending == .peerClosed)
  }

  @Test("stopping ends a tunnel whose sides are silent")
  func stop() async throws {
    let target = try ScriptedServer.start(.steps([.stall]))
    defer { target.stop() }
    let proxy = try ScriptedProxy.start(.socks4)
    let client = try RawClient(proxy.server)
    try client.send([4, 1] + Self.port(target) + [127, 0, 0, 1, 0])
    _ = try client.receive(8)
    proxy.stop()
    #expect(try client.receiveToEnd() == "")
    #expect(proxy.server.snapshot.openCount == 0)
  }
}
