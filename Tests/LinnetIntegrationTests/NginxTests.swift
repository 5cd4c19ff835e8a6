import LinnetBytes
import LinnetHTTP
import LinnetTLS
import LinnetTestSupport
import Testing

@Suite("nginx", .enabled(if: Nginx.isInstalled, Comment(rawValue: Nginx.reason)))
struct NginxTests {
  @Test("downloads of every size are byte-exact on one connection", arguments: Transport.allCases)
  func downloads(over transport: Transport) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client(transport)
    for (index, size) in PatternContent.sizes.enumerated() {
      let response = try await client.send(.get(nginx.url(try nginx.serve(size), over: transport)))
      #expect(response.status.code == 200)
      #expect(response.body.expectedLength == size)
      #expect(response.connection.isReused == (index > 0))
      let (count, sha256) = try await response.digest()
      #expect(count == size)
      #expect(try sha256 == PatternContent.digest(size), "\(size) bytes")
    }
  }

  @Test("100 MiB are downloaded byte-exact", arguments: [Transport.http, .https])
  func largeDownload(over transport: Transport) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let path = try nginx.serve(PatternContent.large)
    let response = try await nginx.client(transport).send(.get(nginx.url(path, over: transport)))
    let (count, sha256) = try await response.digest()
    #expect(count == PatternContent.large)
    #expect(try sha256 == PatternContent.digest(PatternContent.large))
  }

  @Test("uploads of every size are byte-exact, with a length and chunked", arguments: Transport.allCases)
  func uploads(over transport: Transport) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client(transport)
    for size in PatternContent.sizes {
      let bytes = TestPattern.bytes(Int(size))
      let bodies: [(String, HTTPRequestBody)] = [
        ("bytes", .bytes(bytes)), ("known", .stream(length: size) { PatternStream(count: size) }),
        ("chunked", .stream { PatternStream(count: size, pieceBytes: 16 << 10) }),
      ]
      for (kind, body) in bodies {
        let path = "/upload/\(kind)-\(size)"
        let response = try await client.send(.put(nginx.url(path, over: transport), body: body))
        #expect(response.status.code == 201, "\(path)")
        _ = try await response.collect()
        #expect(TemporaryDirectory.contents(of: nginx.directory.path + path) == bytes, "\(path)")
      }
    }
  }

  @Test("the head of a HEAD response has the length, and the connection is used again")
  func head() async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client()
    let url = nginx.url(try nginx.serve(70_000))
    let head = try await client.send(.head(url))
    #expect(head.headers["Content-Length"] == "70000")
    #expect(try await head.collect().isEmpty)
    let get = try await client.send(.get(url))
    #expect(get.connection.isReused)
    #expect(try await get.collect().count == 70_000)
  }

  @Test("a gzip body is decoded, and handed out as it is when decoding is off", arguments: Transport.allCases)
  func gzip(over transport: Transport) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client(transport)
    let url = nginx.url("/gzip" + (try nginx.serve(300_000)), over: transport)
    let response = try await client.send(.get(url))
    #expect(response.headers["Content-Encoding"] == "gzip")
    let (count, sha256) = try await response.digest()
    #expect(count == 300_000)
    #expect(try sha256 == PatternContent.digest(300_000))
    #expect(response.body.receivedWireBytes < 300_000)

    var encoded = HTTPRequest.get(url, headers: ["Accept-Encoding": "gzip"])
    encoded.options.decompression = .disabled
    let raw = try await client.send(encoded).collect()
    #expect(raw.prefix(2).array == [0x1F, 0x8B])

    var plain = HTTPRequest.get(url)
    plain.options.decompression = .disabled
    let identity = try await client.send(plain)
    #expect(identity.headers["Content-Encoding"] == nil)
    #expect(try await identity.digest().count == 300_000)
  }

  @Test(
    "a range is answered with 206 and exactly those bytes",
    arguments: [
      ("bytes=0-0", 0, 1), ("bytes=100-16484", 100, 16_385), ("bytes=69999-", 69_999, 1), ("bytes=-5", 69_995, 5),
    ])
  func range(_ range: String, offset: UInt64, count: Int) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let url = nginx.url(try nginx.serve(70_000))
    let response = try await nginx.client().send(.get(url, headers: ["Range": range]))
    #expect(response.status.code == 206)
    #expect(response.headers["Content-Range"] == "bytes \(offset)-\(offset + UInt64(count) - 1)/70000")
    #expect(try await response.collect().array == TestPattern.bytes(count, from: offset))
  }

  @Test("a range beyond the end is answered with 416 and the size")
  func unsatisfiableRange() async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let url = nginx.url(try nginx.serve(10))
    let response = try await nginx.client().send(.get(url, headers: ["Range": "bytes=10-"]))
    #expect(response.status.code == 416)
    #expect(response.headers["Content-Range"] == "bytes */10")
  }

  @Test("a body that was announced with Expect is sent after 100, and not at all after a final status")
  func expectContinue() async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client()
    let events = EventRecorder<Int>()
    var request = HTTPRequest.put(nginx.url("/upload/expected"), body: .bytes(TestPattern.bytes(200_000)))
    request.options.expectsContinue = true
    request.options.onEvent = { event in
      if case .interim(let head) = event { events.record(head.status.code) }
    }
    let accepted = try await client.send(request)
    #expect(accepted.status.code == 201)
    #expect(events.events == [100])
    _ = try await accepted.collect()
    #expect(TemporaryDirectory.contents(of: nginx.directory.path(of: "upload/expected")) == TestPattern.bytes(200_000))

    request.url = nginx.url("/small/refused")
    let refused = try await client.send(request)
    #expect(refused.status.code == 413)
    #expect(events.events == [100])
  }

  @Test("a refusal that comes while a large body is sent is the response", arguments: [Transport.http, .https])
  func earlyRefusal(over transport: Transport) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let body = HTTPRequestBody.stream(length: 50 << 20) { PatternStream(count: 50 << 20) }
    let response = try await nginx.client(transport).send(.put(nginx.url("/forbidden", over: transport), body: body))
    #expect(response.status.code == 403)
    #expect(try await response.text() == "no")
  }

  @Test("requests succeed whenever the server closes idle connections", arguments: [Transport.http, .https, .unix])
  func idleClose(over transport: Transport) async throws {
    var options = Nginx.Options()
    options.keepAlive = "20ms"
    let nginx = try Nginx(options)
    defer { nginx.stop() }
    let client = nginx.client(transport)
    let url = nginx.url(try nginx.serve(5), over: transport)
    // Pauses around the server's own: some requests meet a connection that is open, some one that closes just then, and
    // some one that is gone.
    for pause in [0, 5, 18, 19, 20, 21, 22, 25, 60, 20, 19, 21] {
      #expect(try await client.send(.get(url)).collect().count == 5)
      try await Task.sleep(for: .milliseconds(pause))
    }
    let put = HTTPRequest.put(nginx.url("/upload/x", over: transport), body: .text("x"))
    try await Task.sleep(for: .milliseconds(100))
    #expect(try await client.send(put).status.code == 201)
  }

  @Test("a connection that serves a limited number of requests is replaced without an error")
  func requestsPerConnection() async throws {
    var options = Nginx.Options()
    options.requestsPerConnection = 3
    let nginx = try Nginx(options)
    defer { nginx.stop() }
    let client = nginx.client()
    let url = nginx.url(try nginx.serve(5))
    var reused: [Bool] = []
    for _ in 0..<7 {
      let response = try await client.send(.get(url))
      reused.append(response.connection.isReused)
      _ = try await response.collect()
    }
    #expect(reused == [false, true, true, false, true, true, false])
  }

  @Test("hundreds of requests at a time are all answered", arguments: Transport.allCases)
  func concurrent(over transport: Transport) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client(transport)
    let url = nginx.url(try nginx.serve(20_000), over: transport)
    let expected = try PatternContent.digest(20_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<300 {
        group.addTask {
          let response = try await client.send(.get(url))
          #expect(try await response.digest().sha256 == expected)
        }
      }
      try await group.waitForAll()
    }
  }
}
