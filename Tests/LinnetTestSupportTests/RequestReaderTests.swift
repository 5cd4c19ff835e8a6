import LinnetTestRandom
import LinnetTestSupport
import Testing

@Suite("Requests as the server reads them", .timeLimit(.minutes(2)))
struct RequestReaderTests {
  private func ending(of request: String) async throws -> ConnectionEnding? {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(request)
    client.halfClose()
    return try await server.waitForConnectionsClosed(1).first?.ending
  }

  @Test(
    "what RFC 9112 forbids a sender is a violation",
    arguments: [
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\nHost: a\n\n",
      "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
      "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /#f HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /ü HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
      "GET / http/1.1\r\nHost: a\r\n\r\n",
      "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nA: b\rc\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nA: b\u{0}c\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n 1\r\nx\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\nx\r\n0\r\n\r\n",
    ])
  func violations(_ request: String) async throws {
    let ending = try await ending(of: request)
    guard case .violation(let text) = ending else {
      Issue.record("\(request.debugDescription) ended as \(ending.map { "\($0)" } ?? "nothing")")
      return
    }
    #expect(!text.isEmpty)
  }

  @Test(
    "a client that leaves in the middle of a request has broken no rule",
    arguments: [
      "", "GET", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nx",
    ])
  func truncated(_ request: String) async throws {
    #expect(try await ending(of: request) == .peerClosed)
  }

  @Test("a body is recorded the same however it is cut", arguments: 0..<20 as Range<UInt64>)
  func cuts(seed: UInt64) async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    var request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    request += "5\r\nhello\r\nA;x=y\r\n, world...\r\n0\r\nT: 1\r\n\r\n"
    let client = try RawClient(server)
    var random = SeededGenerator(seed: seed)
    var rest = Array(request.utf8)[...]
    while !rest.isEmpty {
      let count = seed == 0 ? 1 : Int.random(in: 1...min(rest.count, 20), using: &random)
      try client.send(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let recorded = try #require(try await server.waitForRequests(1).first)
    #expect(recorded.body.text == "hello, world...")
    #expect(recorded.body.chunkSizes == [5, 10])
    #expect(recorded.body.sha256 == "c3319e466f4d15b14537e6911561b0feb380e3f848da901aa2f809333ae287d7")
    #expect(recorded.body.matchesTestPattern == false)
    #expect(recorded.trailers == [HeaderLine("T", "1")])
  }

  @Test(
    "the digest and the pattern check hold for every block boundary",
    arguments: [
      (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
      (55, "463eb28e72f82e0a96c0a4cc53690c571281131f672aa229e0d45ae59b598b59"),
      (56, "da2ae4d6b36748f2a318f23e7ab1dfdf45acdc9d049bd80e59de82a60895f562"),
      (63, "29af2686fd53374a36b0846694cc342177e428d1647515f078784d69cdb9e488"),
      (64, "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108"),
      (65, "4bfd2c8b6f1eec7a2afeb48b934ee4b2694182027e6d0fc075074f2fabb31781"),
      (119, "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6"),
      (200_000, "e24bc62381f1224fbbb74688663f8f9743b9680b193edd666835e97b06e730eb"),
    ])
  func digest(_ count: Int, _ digest: String) async throws {
    var options = ScriptedServer.Options()
    options.keptBodyBytes = 100_000
    let server = try ScriptedServer.start(.handler { _ in .text("ok") }, options: options)
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
    try client.send(TestPattern.bytes(count))
    let body = try #require(try await server.waitForRequests(1).first?.body)
    #expect(body.sha256 == digest && body.matchesTestPattern && body.count == UInt64(count))
    #expect(body.bytes == (count <= 100_000 ? TestPattern.bytes(count) : nil))
  }
}
