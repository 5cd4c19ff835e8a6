import LinnetBytes
import LinnetHTTP
import LinnetTLS
import LinnetTestSupport
import Testing

/// What has to work with every server over every version of HTTP.
@Suite("Every server over every version", .peerTable, .timeLimit(.minutes(2)))
struct HTTPVersionTableTests {
  @Test("a small GET has its status, version, fields and body", arguments: PeerRow.all())
  func get(row: PeerRow) async throws {
    let access = try row.start()
    let response = try await access.send(.get, "/5.bin")
    #expect(response.status.code == 200)
    #expect(response.headers["content-length"] == "5")
    #expect(response.body.expectedLength == 5)
    #expect(try await response.collect().array == TestPattern.bytes(5))
  }

  @Test("HEAD has the length and no body, and the connection is used again", arguments: PeerRow.all())
  func head(row: PeerRow) async throws {
    let access = try row.start()
    let head = try await access.send(.head, "/70000.bin")
    #expect(head.status.code == 200)
    #expect(head.headers["content-length"] == "70000")
    #expect(try await head.collect().isEmpty)
    let get = try await access.send(.get, "/70000.bin")
    #expect(get.connection.isReused)
    #expect(try await get.collect().count == 70_000)
  }

  @Test("304 has no body, and the connection is used again", arguments: PeerRow.all())
  func notModified(row: PeerRow) async throws {
    let access = try row.start()
    let first = try await access.send(.get, "/70000.bin")
    let modified = try #require(first.headers["last-modified"])
    _ = try await first.collect()
    for _ in 0..<2 {
      let response = try await access.send(.get, "/70000.bin", headers: ["If-Modified-Since": modified])
      #expect(response.status.code == 304)
      #expect(response.connection.isReused)
      #expect(try await response.collect().isEmpty)
    }
  }

  @Test("204 has no body, and the connection is used again", arguments: PeerRow.all(can: .application))
  func noContent(row: PeerRow) async throws {
    let access = try row.start()
    for index in 0..<3 {
      let response = try await access.send(.get, "/app/status/204")
      #expect(response.status.code == 204)
      #expect(response.connection.isReused == (index > 0))
      #expect(try await response.collect().isEmpty)
    }
  }

  @Test("404 is a response; so is a redirect for those who want it", arguments: PeerRow.all())
  func statuses(row: PeerRow) async throws {
    let access = try row.start()
    let missing = try await access.send(.get, "/missing")
    #expect(missing.status.code == 404)
    #expect(try await !missing.collect().isEmpty)
    if row.kind.can(.application, over: row.wire) {
      var request = HTTPRequest.get(access.url("/app/redirect"))
      request.options.redirects = .manual
      let redirect = try await access.send(request)
      #expect(redirect.status.code == 302)
      #expect(redirect.headers["location"]?.hasSuffix("/app/echo") == true)
      #expect(try await redirect.collect().isEmpty)
      let followed = try await access.send(.get, "/app/redirect")
      #expect(followed.status == .ok)
      #expect(followed.history.map(\.status.code) == [302])
    }
  }

  @Test("downloads of every size are byte-exact on one connection", arguments: PeerRow.all())
  func downloads(row: PeerRow) async throws {
    let access = try row.start()
    for (index, size) in PeerTable.sizes.enumerated() {
      let response = try await access.send(.get, "/\(size).bin")
      #expect(response.status.code == 200)
      #expect(response.body.expectedLength == size)
      #expect(response.connection.isReused == (index > 0))
      let (count, sha256) = try await response.digest()
      #expect(count == size)
      #expect(try sha256 == PatternContent.digest(size), "\(size) bytes")
    }
  }

  @Test("bodies without a length are byte-exact", arguments: PeerRow.all(can: .application))
  func unknownLength(row: PeerRow) async throws {
    let access = try row.start()
    for size in PeerTable.sizes {
      let (count, sha256) = try await access.send(.get, "/app/pattern/\(size)").digest()
      #expect(count == size)
      #expect(try sha256 == PatternContent.digest(size), "\(size) bytes")
    }
  }

  @Test("a body that comes in many small pieces is read as it comes", arguments: PeerRow.all(can: .application))
  func drip(row: PeerRow) async throws {
    let response = try await row.start().send(.get, "/app/drip/20")
    #expect(try await response.text() == String(repeating: "drop\n", count: 20))
  }

  @Test("a gzip body is decoded", arguments: PeerRow.all(can: .gzip))
  func gzip(row: PeerRow) async throws {
    let response = try await row.start().send(.get, "/gzip/70000.txt")
    #expect(response.status.code == 200)
    #expect(response.headers["content-encoding"] == "gzip")
    #expect(try await response.collect().array == TestPattern.bytes(70_000))
    #expect(response.body.receivedWireBytes < 10_000)
  }

  @Test("a range is answered with exactly its bytes", arguments: PeerRow.all(can: .range))
  func range(row: PeerRow) async throws {
    let access = try row.start()
    let response = try await access.send(.get, "/70000.bin", headers: ["Range": "bytes=100-16484"])
    #expect(response.status.code == 206)
    #expect(response.headers["content-range"] == "bytes 100-16484/70000")
    #expect(try await response.collect().array == TestPattern.bytes(16_385, from: 100))
    let beyond = try await access.send(.get, "/70000.bin", headers: ["Range": "bytes=70000-"])
    #expect(beyond.status.code == 416)
  }

  @Test("trailers are there at the end of the body", arguments: PeerRow.all(can: .trailers))
  func trailers(row: PeerRow) async throws {
    let access = try row.start()
    let isOwn = row.kind == .nghttpd
    for _ in 0..<2 {
      let response = try await access.send(.get, isOwn ? "/5.bin" : "/app/trailers", headers: ["TE": "trailers"])
      #expect(response.status.code == 200)
      #expect(try await response.collect().count == 5)
      #expect(response.body.trailers?[isOwn ? "x-trailer" : "x-sum"] == (isOwn ? "yes" : "42"))
    }
  }

  @Test("early hints are an event before the response", arguments: PeerRow.all(can: .earlyHints))
  func earlyHints(row: PeerRow) async throws {
    let access = try row.start()
    let hints = EventRecorder<String>()
    var request = HTTPRequest.get(access.url("/app/hints"))
    request.options.onEvent = { event in
      if case .interim(let head) = event { hints.record("\(head.status.code) \(head.headers["link"] ?? "")") }
    }
    let response = try await access.send(request)
    #expect(response.status.code == 200)
    #expect(hints.events == ["103 </style.css>; rel=preload"])
    #expect(try await response.text() == "hinted")
  }

  @Test("method, target and fields arrive as they were given", arguments: PeerRow.all(can: .application))
  func fields(row: PeerRow) async throws {
    let access = try row.start()
    let long = String(repeating: "value ", count: 1_000) + "end"
    // The second and third time HPACK sends what it has seen before.
    for _ in 0..<3 {
      let headers: HTTPHeaders = ["X-Short": "a", "X-Long": long, "X-Empty": "", "Authorization": "Bearer secret"]
      let response = try await access.send(.patch, "/app/echo?a=b&c=%20/?", headers: headers, body: .text("body"))
      #expect(response.headers["echo-method"] == "PATCH")
      #expect(response.headers["echo-target"] == "/app/echo?a=b&c=%20/?")
      #expect(response.headers["echo-x-short"] == "a")
      #expect(response.headers["echo-x-long"] == long)
      #expect(response.headers["echo-x-empty"] == "")
      #expect(try await response.text() == "body")
    }
  }
}

/// Request bodies.
extension HTTPVersionTableTests {
  /// Around the initial windows of servers and the size of a frame.
  private static let echoSizes =
    PatternContent.sizes + [65_535 * 2, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3 << 20]

  @Test("what is posted comes back byte-exact, with and without a length", arguments: PeerRow.all())
  func echo(row: PeerRow) async throws {
    let access = try row.start()
    for size in Self.echoSizes {
      let bytes = TestPattern.bytes(Int(size))
      let bodies: [(String, HTTPRequestBody)] = [
        ("bytes", .bytes(bytes)), ("known", .stream(length: size) { PatternStream(count: size) }),
        ("unknown", .stream { PatternStream(count: size, pieceBytes: 16 << 10) }),
      ]
      for (kind, body) in bodies {
        let response = try await access.send(.post, "/app/echo", body: body)
        #expect(response.status.code == 200)
        let (count, sha256) = try await response.digest()
        #expect(count == size, "\(kind), \(size) bytes")
        #expect(try sha256 == PatternContent.digest(size), "\(kind), \(size) bytes")
      }
    }
  }

  @Test("20 MiB are uploaded as a stream", arguments: PeerRow.all(can: .application), [true, false])
  func upload(row: PeerRow, hasLength: Bool) async throws {
    let size = PeerTable.large
    let body = HTTPRequestBody.stream(length: hasLength ? size : nil) { PatternStream(count: size) }
    let response = try await row.start().send(.put, "/app/count", body: body)
    #expect(response.status.code == 200)
    #expect(try await response.text() == "\(size) \(PatternContent.digest(size).hex)")
  }

  @Test("many uploads at a time arrive", arguments: PeerRow.all(can: .application))
  func parallelUploads(row: PeerRow) async throws {
    let access = try row.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<20 {
        let size = UInt64(index) * 30_000
        group.addTask {
          let body = HTTPRequestBody.stream { PatternStream(count: size) }
          let response = try await access.send(.post, "/app/count", body: body)
          #expect(try await response.text() == "\(size) \(PatternContent.digest(size).hex)")
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Connections.
extension HTTPVersionTableTests {
  @Test("requests after each other use one connection", arguments: PeerRow.all())
  func reuse(row: PeerRow) async throws {
    let access = try row.start()
    var addresses = Set<String?>()
    for index in 0..<20 {
      let response = try await access.send(.get, "/5.bin")
      #expect(response.connection.isReused == (index > 0))
      addresses.insert(response.connection.localAddress)
      #expect(try await response.collect().count == 5)
    }
    #expect(addresses.count == 1)
  }

  @Test("100 requests at a time are answered, over HTTP/2 on one connection", arguments: PeerRow.all())
  func parallel(row: PeerRow) async throws {
    let access = try row.start()
    let first = try await access.send(.get, "/5.bin")
    _ = try await first.collect()
    let expected = try PatternContent.digest(70_000)
    let addresses = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let response = try await access.send(.get, "/70000.bin")
          #expect(try await response.digest().sha256 == expected)
          return response.connection.localAddress
        }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    if row.wire.isHTTP2 { #expect(addresses == [first.connection.localAddress]) }
  }

  @Test("more requests at a time than a server takes on one connection are answered", arguments: PeerRow.all())
  func beyondStreamLimit(row: PeerRow) async throws {
    let access = try row.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<400 {
        group.addTask {
          let response = try await access.send(.get, "/5.bin")
          #expect(try await response.collect().array == TestPattern.bytes(5))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("a body that nobody reads does not hold up others", arguments: PeerRow.all())
  func unreadBody(row: PeerRow) async throws {
    let access = try row.start()
    let unread = try await access.send(.get, "/\(PeerTable.large).bin")
    for _ in 0..<3 {
      let response = try await access.send(.get, "/65537.bin")
      #expect(try await response.collect().array == TestPattern.bytes(65_537))
      if row.wire.isHTTP2 { #expect(response.connection.localAddress == unread.connection.localAddress) }
    }
    #expect(try await unread.digest().sha256 == PatternContent.digest(PeerTable.large))
  }

  @Test("after a body was cancelled in the middle, HTTP/2 goes on on the same connection", arguments: PeerRow.all())
  func cancellation(row: PeerRow) async throws {
    let access = try row.start()
    let (reading, cancelled) = (Gate(), Gate())
    let task = Task {
      let response = try await access.send(.get, "/\(PeerTable.large).bin")
      #expect(try await response.body.next() != nil)
      reading.open()
      // Waits in a task of its own, which the cancellation does not reach.
      _ = await Task.detached { try? await cancelled.opened() }.value
      let error = await #expect(throws: TransportError.self) { _ = try await response.digest() }
      #expect(error?.code == .cancelled)
      return response.connection
    }
    try await reading.opened()
    task.cancel()
    cancelled.open()
    let connection = try await task.value
    for _ in 0..<2 {
      let response = try await access.send(.get, "/70000.bin")
      #expect(try await response.collect().array == TestPattern.bytes(70_000))
      if row.wire.isHTTP2 {
        #expect(response.connection.isReused)
        #expect(response.connection.localAddress == connection.localAddress)
      }
    }
  }

  @Test("after a body was dropped in the middle, HTTP/2 goes on on the same connection", arguments: PeerRow.all())
  func droppedBody(row: PeerRow) async throws {
    let access = try row.start()
    var addresses = Set<String?>()
    // More than the window of a connection holds, should what was dropped never be given back.
    for _ in 0..<10 {
      let dropped = try await access.send(.get, "/\(PeerTable.large).bin")
      #expect(try await dropped.body.next() != nil)
      addresses.insert(dropped.connection.localAddress)
    }
    let response = try await access.send(.get, "/1048576.bin")
    #expect(try await response.collect().array == TestPattern.bytes(1 << 20))
    if row.wire.isHTTP2 { #expect(addresses == [response.connection.localAddress]) }
  }
}
