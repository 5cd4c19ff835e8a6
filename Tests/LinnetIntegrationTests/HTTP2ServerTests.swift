import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// What servers do to the connections of all versions, and only to those of HTTP/2.
@Suite("nginx over every version", .enabled(if: Nginx.isInstalled, Comment(rawValue: Nginx.reason)))
struct HTTP2ServerTests {
  private func access(_ wire: HTTPWire, _ options: Nginx.Options = Nginx.Options()) throws -> (Nginx, PeerAccess) {
    let nginx = try Nginx(options)
    return (nginx, PeerAccess(wire: wire, peer: nginx, client: nginx.client(over: wire)))
  }

  @Test(
    "200 requests go through the reload of a server without an error", .timeLimit(.minutes(1)),
    arguments: HTTPWire.allCases)
  func reload(wire: HTTPWire) async throws {
    let (nginx, access) = try access(wire)
    defer { nginx.stop() }
    let path = try nginx.serve(20_000)
    let expected = TestPattern.bytes(20_000)
    let first = try await access.send(.get, path)
    _ = try await first.collect()
    let responses = EventRecorder<String?>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<10 {
        group.addTask {
          // On until 200 are done, and until the new process has answered each of the ten.
          var isBeyond = false
          while responses.events.count < 200 || !isBeyond {
            let response = try await access.send(.get, path)
            #expect(response.status.code == 200)
            #expect(try await response.collect().array == expected)
            isBeyond = wire.isHTTP2 ? response.connection.localAddress != first.connection.localAddress : true
            responses.record(response.connection.localAddress)
            // Over HTTP/2 nothing was done with a request that the server did not take.
            if wire.isHTTP2 {
              let put = try await access.send(.put, "/upload/\(worker)", body: .bytes(expected))
              #expect([201, 204].contains(put.status.code))
              _ = try await put.collect()
            }
          }
        }
      }
      try await responses.waitForCount(50)
      try nginx.reload()
      try await group.waitForAll()
    }
    if wire.isHTTP2 { #expect(Set(responses.events).count == 2) }
  }

  @Test(
    "a connection that serves a limited number of requests is replaced without an error", arguments: HTTPWire.allCases)
  func requestsPerConnection(wire: HTTPWire) async throws {
    var options = Nginx.Options()
    options.requestsPerConnection = 30
    let (nginx, access) = try access(wire, options)
    defer { nginx.stop() }
    let path = try nginx.serve(20_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          for _ in 0..<10 {
            let response = try await access.send(.get, path)
            #expect(try await response.collect().array == TestPattern.bytes(20_000))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("a refusal that comes while a large body is sent is the response", arguments: HTTPWire.allCases)
  func earlyRefusal(wire: HTTPWire) async throws {
    let (nginx, access) = try access(wire)
    defer { nginx.stop() }
    for _ in 0..<3 {
      let body = HTTPRequestBody.stream(length: 50 << 20) { PatternStream(count: 50 << 20) }
      let response = try await access.send(.put, "/forbidden", body: body)
      #expect(response.status.code == 403)
      #expect(try await response.text() == "no")
    }
  }

  @Test("uploads of every size are byte-exact, with a length and without", arguments: HTTPWire.allCases)
  func uploads(wire: HTTPWire) async throws {
    let (nginx, access) = try access(wire)
    defer { nginx.stop() }
    for size in PatternContent.sizes {
      for hasLength in [true, false] {
        let path = "/upload/\(size)-\(hasLength)"
        let body = HTTPRequestBody.stream(length: hasLength ? size : nil) { PatternStream(count: size) }
        let response = try await access.send(.put, path, body: body)
        #expect(response.status.code == 201, "\(path)")
        _ = try await response.collect()
        #expect(TemporaryDirectory.contents(of: nginx.directory.path + path) == TestPattern.bytes(Int(size)), "\(path)")
      }
    }
  }

  @Test("a server that does not agree to HTTP/2 is an error for a request that wants nothing else")
  func notNegotiated() async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let url = nginx.url("/tls", over: .https)
    var configuration = nginx.configuration(.https)
    let automatic = try await HTTPClient(configuration: configuration).send(.get(url))
    #expect(automatic.version == .http1_1)
    configuration.httpVersion = .http2Only
    let client = HTTPClient(configuration: configuration)
    let error = await #expect(throws: TransportError.self) { try await client.send(.get(url)) }
    #expect(error?.code == .http2NotNegotiated)
  }

  @Test("a request may want another version than its client", arguments: [HTTPWire.http1TLS, .http2TLS])
  func requestOption(wire: HTTPWire) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let client = nginx.client(over: .http2TLS)
    var request = HTTPRequest.get(nginx.url(try nginx.serve(5), over: .http2TLS))
    request.options.httpVersion = wire.isHTTP2 ? .http2Only : .http1Only
    for index in 0..<2 {
      let response = try await client.send(request)
      #expect(response.version == wire.version)
      #expect(response.connection.isReused == (index > 0))
      #expect(try await response.collect().count == 5)
    }
  }
}

/// One test for each server, so that a run tells which of them were missing in the table.
@Suite("Servers of the table")
struct PeerInstallationTests {
  private func answers(_ kind: PeerKind) async throws {
    let rows = PeerRow.all().filter { $0.kind == kind }
    #expect(rows.count == (kind == .nghttpd ? 2 : 4))
  }

  @Test(.enabled(if: Haproxy.isInstalled, Comment(rawValue: Haproxy.reason))) func haproxy() async throws {
    try await answers(.haproxy)
  }
  @Test(.enabled(if: H2O.isInstalled, Comment(rawValue: H2O.reason))) func h2o() async throws {
    try await answers(.h2o)
  }
  @Test(.enabled(if: Nghttpx.isInstalled, Comment(rawValue: Nghttpx.reason))) func nghttpx() async throws {
    try await answers(.nghttpx)
  }
  @Test(.enabled(if: Nghttpd.isInstalled, Comment(rawValue: Nghttpd.reason))) func nghttpd() async throws {
    try await answers(.nghttpd)
  }
  @Test(.enabled(if: Hypercorn.isInstalled, Comment(rawValue: Hypercorn.reason))) func hypercorn() async throws {
    try await answers(.hypercorn)
  }
}
