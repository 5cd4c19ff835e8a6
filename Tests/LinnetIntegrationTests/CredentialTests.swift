import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Credentials with servers that other people made.
@Suite("Credentials with Apache", .enabled(if: Apache.isInstalled, Comment(rawValue: Apache.reason)))
struct ApacheCredentialTests {
  @Test("Basic is let in, with the password in UTF-8", arguments: [Transport.http, .https])
  func basic(over transport: Transport) async throws {
    let apache = try Apache()
    defer { apache.stop() }
    let client = apache.client()
    for (credentials, status) in [
      (HTTPCredentials.basic(user: "user", password: Apache.password), 404),
      (.any(user: "user", password: Apache.password), 404), (.basic(user: "user", password: "wrong"), 401),
      (.any(user: "user", password: "wrong"), 401), (.digest(user: "user", password: Apache.password), 401),
    ] {
      var request = HTTPRequest.get(apache.url("/basic/none", over: transport))
      request.options.credentials = credentials
      let response = try await client.send(request)
      #expect(response.status.code == status, "\(credentials)")
      _ = try await response.collect()
    }
  }

  @Test("Digest is let in, for every method and every kind of body", arguments: [Transport.http, .https])
  func digest(over transport: Transport) async throws {
    let apache = try Apache()
    defer { apache.stop() }
    let client = apache.client()
    let questions = EventRecorder<Int>()
    let content = Array("content of the file".utf8)
    let bodies: [HTTPRequestBody] = [
      .bytes(content),
      .stream {
        AsyncStream {
          $0.yield(ByteChunk(content)); $0.finish()
        }
      },
      .oneShot(
        length: UInt64(content.count),
        AsyncStream {
          $0.yield(ByteChunk(content)); $0.finish()
        }),
    ]
    for (number, body) in bodies.enumerated() {
      let url = apache.url("/digest/file%20\(number)?q=\"\(number)\"", over: transport)
      for method in [HTTPMethod.put, .get, .head] {
        var request = HTTPRequest(method: method, url: url, body: method == .put ? body : nil)
        request.options.credentials = .digest(user: "user", password: Apache.password)
        request.options.onEvent = { if case .challenged(let head) = $0 { questions.record(head.status.code) } }
        let response = try await client.send(request)
        #expect(response.status.code == (method == .put ? 201 : 200), "\(method) \(number)")
        #expect(response.headers["Authentication-Info"]?.isEmpty == false)
        let received = try await response.collect()
        if method == .get { #expect(received.array == content) }
      }
    }
    #expect(questions.events == [401])
  }

  @Test("a one-shot body is whole although the first request is asked")
  func oneShot() async throws {
    let apache = try Apache()
    defer { apache.stop() }
    let content = TestPattern.bytes(300_000)
    var request = HTTPRequest.put(
      apache.url("/digest/one"),
      body: .oneShot(
        AsyncStream {
          $0.yield(ByteChunk(content)); $0.finish()
        }))
    request.options.credentials = .any(user: "user", password: Apache.password)
    let client = apache.client()
    #expect(try await client.send(request).status.code == 201)
    var get = HTTPRequest.get(apache.url("/digest/one"))
    get.options.credentials = .any(user: "user", password: Apache.password)
    #expect(try await client.send(get).collect().array == content)
  }

  @Test("a wrong password is refused once and for all")
  func wrong() async throws {
    let apache = try Apache()
    defer { apache.stop() }
    var request = HTTPRequest.get(apache.url("/digest/none"))
    request.options.credentials = .digest(user: "user", password: "wrong")
    let response = try await apache.client().send(request)
    #expect(response.status == .unauthorized)
  }

  @Test("a nonce that has become stale is renewed")
  func stale() async throws {
    let apache = try Apache()
    defer { apache.stop() }
    let client = apache.client()
    let questions = EventRecorder<String>()
    var request = HTTPRequest.get(apache.url("/short/none"))
    request.options.credentials = .digest(user: "user", password: Apache.password)
    request.options.onEvent = { event in
      guard case .challenged(let head) = event else { return }
      let value = head.headers.values(for: "WWW-Authenticate").joined()
      questions.record(value.contains("stale=true") ? "stale" : "first")
    }
    // Each exchange comes later; the one that the nonce is too old for is what the test waits for.
    while !questions.events.contains("stale") {
      let response = try await client.send(request)
      #expect(response.status.code == 404)
      _ = try await response.collect()
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(questions.events == ["first", "stale"])
  }
}

@Suite("Credentials with httpbin", .enabled(if: PythonServer.hasHTTPBin, Comment(rawValue: PythonServer.httpBinReason)))
struct HTTPBinCredentialTests {
  @Test(
    "Digest with every algorithm and protection is let in",
    arguments: ["MD5", "SHA-256"], ["auth", "auth-int"])
  func digest(algorithm: String, qop: String) async throws {
    let server = try PythonServer.httpBin()
    defer { server.stop() }
    let client = HTTPClient()
    for body in [nil, HTTPRequestBody.text("some content")] {
      var request = HTTPRequest.get(server.url("/digest-auth/\(qop)/user/passwd/\(algorithm)"))
      request.body = body
      request.options.credentials = .digest(user: "user", password: "passwd")
      let response = try await client.send(request)
      #expect(response.status == .ok)
      #expect(try await response.text().contains("\"authenticated\": true"))
    }
  }

  @Test("a wrong password is refused, and so is no password")
  func refused() async throws {
    let server = try PythonServer.httpBin()
    defer { server.stop() }
    let url = server.url("/digest-auth/auth/user/passwd/SHA-256")
    #expect(try await HTTPClient().send(.get(url)).status == .unauthorized)
    var request = HTTPRequest.get(url)
    request.options.credentials = .any(user: "user", password: "wrong")
    #expect(try await HTTPClient().send(request).status == .unauthorized)
  }

  @Test("Basic and Bearer are let in")
  func others() async throws {
    let server = try PythonServer.httpBin()
    defer { server.stop() }
    for (path, credentials) in [
      ("/basic-auth/user/passwd", HTTPCredentials.basic(user: "user", password: "passwd")),
      ("/basic-auth/user/passwd", .any(user: "user", password: "passwd")),
      ("/hidden-basic-auth/user/passwd", .basic(user: "user", password: "passwd")), ("/bearer", .bearer("token")),
    ] {
      var request = HTTPRequest.get(server.url(path))
      request.options.credentials = credentials
      #expect(try await HTTPClient().send(request).status == .ok, "\(path)")
    }
  }
}
