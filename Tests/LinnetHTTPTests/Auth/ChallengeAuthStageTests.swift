import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// Which credentials go with a request, and what happens when they are asked for.
@Suite("Credentials", .timeLimit(.minutes(1)))
struct ChallengeAuthStageTests {
  private static let basicUP = "Basic dTpw"

  private func authorization(of server: ScriptedServer) -> [String?] {
    server.snapshot.requests.map { $0.headers["Authorization"] }
  }

  private func origin(of server: ScriptedServer, secure: Bool = false) throws -> Origin {
    try Origin(scheme: secure ? .https : .http, host: "127.0.0.1", port: server.port)
  }

  @Test("a response says whether its request was sent with credentials that its caller did not put among its headers")
  func sentCredentials() async throws {
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      var configuration = HTTPClientConfiguration()
      configuration.defaultHeaders.add("Authorization", "Key 1")
      for (client, isDefault) in [(HTTPClient(), false), (HTTPClient(configuration: configuration), true)] {
        var request = HTTPRequest.get(server.url())
        #expect(try await client.send(request).sentCredentials == isDefault)
        request.options.omittedDefaultHeaders = ["authorization"]
        #expect(try await client.send(request).sentCredentials == false)
        request.options.credentials = .basic(user: "u", password: "p")
        #expect(try await client.send(request).sentCredentials)
        request.headers.add("Authorization", "own")
        #expect(try await client.send(request).sentCredentials == false)
      }
    }
  }

  @Test("credentials that need no question are sent with the first request", arguments: WireProtocol.versions)
  func preemptive(version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let client = wire.client()
    for credentials in [HTTPCredentials.basic(user: "u", password: "p"), .bearer("t0ken")] {
      var request = HTTPRequest.get(server.url())
      request.options.credentials = credentials
      #expect(try await client.send(request).text() == "ok")
    }
    #expect(try await client.send(.get("http://u:p@127.0.0.1:\(server.port)/")).text() == "ok")
    #expect(try await client.send(.get("http://u%40x:%C3%A9%3A@127.0.0.1:\(server.port)/")).text() == "ok")
    let origin = try origin(of: server)
    let configured = wire.client { $0.credentials = [origin: .basic(user: "u", password: "p")] }
    #expect(try await configured.send(.get(server.url())).text() == "ok")
    #expect(
      authorization(of: server) == [Self.basicUP, "Bearer t0ken", Self.basicUP, "Basic dUB4OsOpOg==", Self.basicUP])
    #expect(server.snapshot.requests.allSatisfy { !$0.target.contains("@") && $0.authority?.contains("@") == false })
  }

  @Test("the order: own field, call, URL, client, netrc")
  func order() async throws {
    let directory = try TemporaryDirectory()
    let netrc = try directory.write("machine 127.0.0.1 login netrc password n", to: "netrc")
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let origin = try origin(of: server)
      var configuration = HTTPClientConfiguration()
      configuration.netrc = .file(netrc)
      let plain = HTTPClient(configuration: configuration)
      configuration.credentials = [origin: .bearer("client")]
      let client = HTTPClient(configuration: configuration)
      configuration.defaultHeaders.add("Authorization", "default")
      let defaulting = HTTPClient(configuration: configuration)

      let withUserinfo = "http://url:u@127.0.0.1:\(server.port)/"
      _ = try await plain.send(.get(server.url())).collect()
      _ = try await client.send(.get(server.url())).collect()
      _ = try await client.send(.get(withUserinfo)).collect()
      var request = HTTPRequest.get(withUserinfo)
      request.options.credentials = .bearer("call")
      _ = try await client.send(request).collect()
      _ = try await defaulting.send(request).collect()
      request.headers.add("authorization", "own")
      _ = try await defaulting.send(request).collect()
      request.headers.remove("authorization")
      request.options.omittedDefaultHeaders = ["AUTHORIZATION"]
      _ = try await defaulting.send(request).collect()
      #expect(
        authorization(of: server) == [
          "Basic bmV0cmM6bg==", "Bearer client", "Basic dXJsOnU=", "Bearer call", "default", "own", "Bearer call",
        ])
    }
  }

  @Test(
    "AUTH-07: netrc is used only when enabled, and never in the place of what the request has",
    arguments: [true, false])
  func netrcReport(isEnabled: Bool) async throws {
    let directory = try TemporaryDirectory()
    let netrc = try directory.write("machine 127.0.0.1 login u password p", to: "netrc")
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      var configuration = HTTPClientConfiguration()
      if isEnabled { configuration.netrc = .file(netrc) }
      let client = HTTPClient(configuration: configuration)
      var bearer = HTTPRequest.get(server.url())
      bearer.headers.add("Authorization", "Bearer t")
      var off = HTTPRequest.get(server.url())
      off.options.netrc = .off
      for request in [bearer, .get(server.url()), .get("http://x:y@127.0.0.1:\(server.port)/"), off] {
        _ = try await client.send(request).collect()
      }
      #expect(authorization(of: server) == ["Bearer t", isEnabled ? Self.basicUP : nil, "Basic eDp5", nil])
    }
  }

  @Test(
    "Digest with each algorithm is answered when it is asked for, and afterwards at once",
    arguments: ["MD5", "SHA-256", "SHA-512-256", "MD5-sess", "SHA-256-sess", "SHA-512-256-sess"],
    WireProtocol.versions)
  func digest(algorithm: String, version: WireProtocol) async throws {
    let guarding = DigestGuard(algorithm: algorithm)
    let wire = try Wire(version)
    let server = try wire.start(.handler { guarding.respond(to: $0) })
    defer { server.stop() }
    let client = wire.client()
    let challenges = EventRecorder<Int>()
    for path in ["/a?b=c", "/d/e", "/f"] {
      var request = HTTPRequest.post(server.url(path), body: .text("content"))
      request.options.credentials = .digest(user: "user", password: "passwd")
      request.options.onEvent = { event in
        if case .challenged(let head) = event { challenges.record(head.status.code) }
      }
      let response = try await client.send(request)
      #expect(response.status == .ok)
      #expect(try await response.text() == "ok")
    }
    #expect(challenges.events == [401])
    #expect(server.snapshot.requests.map(\.path) == ["/a", "/a", "/d/e", "/f"])
    #expect(server.snapshot.connections.count == 1)
    #expect(guarding.record.faults.isEmpty)
    #expect(guarding.record.counts == ["nonce-1": [1, 2, 3]])
  }

  @Test("without qop, and with the content protected", arguments: [nil, "auth-int", "auth-int, auth"])
  func protections(qop: String?) async throws {
    let guarding = DigestGuard(algorithm: "SHA-256", qop: qop)
    try await ScriptedServer.with(.handler { guarding.respond(to: $0) }) { server async throws in
      var request = HTTPRequest.post(server.url("/"), body: .text("content"))
      request.options.credentials = .any(user: "user", password: "passwd")
      #expect(try await HTTPClient().send(request).status == .ok)
      let last = try #require(server.snapshot.requests.last?.headers["Authorization"])
      #expect(last.contains("qop=auth-int") == (qop == "auth-int"))
      #expect(guarding.record.faults.isEmpty)
    }
  }

  @Test("content that is not at hand cannot be protected: the question is the response")
  func unprotectable() async throws {
    let guarding = DigestGuard(qop: "auth-int")
    try await ScriptedServer.with(.handler { guarding.respond(to: $0) }) { server async throws in
      let body = HTTPRequestBody.stream(length: 1) {
        AsyncStream {
          $0.yield(ByteChunk([0x61])); $0.finish()
        }
      }
      var request = HTTPRequest.post(server.url("/"), body: body)
      request.options.credentials = .digest(user: "user", password: "passwd")
      #expect(try await HTTPClient().send(request).status == .unauthorized)
      #expect(server.snapshot.requests.count == 1)
    }
  }

  @Test("a stale nonce is renewed, and its question does not count as a refusal")
  func stale() async throws {
    let guarding = DigestGuard(usesPerNonce: 2)
    try await ScriptedServer.with(.handler { guarding.respond(to: $0) }) { server async throws in
      let client = HTTPClient()
      for _ in 0..<5 {
        var request = HTTPRequest.get(server.url())
        request.options.credentials = .digest(user: "user", password: "passwd")
        #expect(try await client.send(request).text() == "ok")
      }
      #expect(guarding.record.counts == ["nonce-1": [1, 2, 3], "nonce-2": [1, 2, 3], "nonce-3": [1]])
      #expect(server.snapshot.requests.count == 8)
    }
  }

  @Test("a server that finds every nonce stale is not asked for ever")
  func alwaysStale() async throws {
    let guarding = DigestGuard(usesPerNonce: 0)
    try await ScriptedServer.with(.handler { guarding.respond(to: $0) }) { server async throws in
      var request = HTTPRequest.get(server.url())
      request.options.credentials = .digest(user: "user", password: "passwd")
      #expect(try await HTTPClient().send(request).status == .unauthorized)
      #expect(server.snapshot.requests.count == 3)
    }
  }

  @Test(
    "a wrong password makes the question the response, with its body",
    arguments: [
      (HTTPCredentials.digest(user: "user", password: "wrong"), 2), (.any(user: "user", password: "wrong"), 2),
      (.basic(user: "user", password: "wrong"), 1), (.bearer("wrong"), 1),
    ])
  func wrongPassword(credentials: HTTPCredentials, requests: Int) async throws {
    let guarding = DigestGuard()
    try await ScriptedServer.with(.handler { guarding.respond(to: $0) }) { server async throws in
      var request = HTTPRequest.get(server.url())
      request.options.credentials = credentials
      let client = HTTPClient()
      for round in 1...2 {
        let response = try await client.send(request)
        #expect(response.status == .unauthorized)
        #expect(try await response.text() == "denied")
        #expect(server.snapshot.requests.count == requests * round)
      }
    }
  }

  @Test(
    "the best of what a server asks for is chosen, and Digest credentials are never shown as Basic",
    arguments: [
      ("Basic realm=\"b\"", true, "Basic"), ("Basic realm=\"b\"", false, nil), ("Bearer", true, nil),
      ("Digest nonce=n, realm=r, algorithm=SHA-1, Basic realm=b", true, "Basic"),
      ("Basic realm=b, Digest nonce=n, realm=r", true, "Digest"),
      ("Digest nonce=n1, realm=r, Digest nonce=n2, realm=r, algorithm=SHA-256", false, "SHA-256"),
      ("Digest nonce=n, realm=r, qop=other", false, nil), ("", true, nil),
    ])
  func choice(question: String, isAny: Bool, expected: String?) async throws {
    let script = ServerScript.handler { request in
      request.headers["Authorization"] == nil
        ? ServerResponse(401, headers: [HeaderLine("WWW-Authenticate", question)]) : .text("ok")
    }
    try await ScriptedServer.with(script) { server async throws in
      var request = HTTPRequest.get(server.url())
      request.options.credentials = isAny ? .any(user: "u", password: "p") : .digest(user: "u", password: "p")
      let client = HTTPClient()
      let response = try await client.send(request)
      #expect(response.status == (expected == nil ? .unauthorized : .ok))
      let answers = authorization(of: server)
      #expect(answers.count == (expected == nil ? 1 : 2))
      #expect(answers.first == .some(nil))
      if let expected { #expect(answers.last??.contains(expected) == true) }
      guard expected != nil else { return }
      // What it asked for is remembered, Basic too.
      #expect(try await client.send(request).status == .ok)
      #expect(server.snapshot.requests.count == 3)
    }
  }

  @Test(
    "a one-shot body is kept until the server agrees, so that a question costs nothing",
    arguments: WireProtocol.versions)
  func oneShot(version: WireProtocol) async throws {
    let guarding = DigestGuard()
    let wire = try Wire(version)
    let server = try wire.start(
      .handler(onHead: { $0.headers["Authorization"] == nil ? .respond(guarding.respond(to: $0)) : .readBody }) {
        guarding.respond(to: $0)
      })
    defer { server.stop() }
    let body = AsyncStream<ByteChunk> { continuation in
      continuation.yield(ByteChunk("content"))
      continuation.finish()
    }
    var request = HTTPRequest.put(server.url("/"), body: .oneShot(length: 7, body))
    request.options.credentials = .digest(user: "user", password: "passwd")
    let response = try await wire.client().send(request)
    #expect(response.status == .ok)
    #expect(server.snapshot.requests.last?.body.text == "content")
  }

  @Test("a one-shot body that the server took before it asked cannot be sent again, and the error says so")
  func takenBody() async throws {
    let guarding = DigestGuard()
    try await ScriptedServer.with(.handler { guarding.respond(to: $0) }) { server async throws in
      let body = AsyncStream<ByteChunk> { continuation in
        continuation.yield(ByteChunk("content"))
        continuation.finish()
      }
      var request = HTTPRequest.put(server.url("/"), body: .oneShot(body))
      request.options.credentials = .any(user: "user", password: "passwd")
      let error = await HTTPClient().failure(of: request)
      #expect(error?.code == .bodyNotReplayable)
      #expect(error?.sent == .all)
      #expect(error?.reason.contains("401") == true)
    }
  }

  @Test("many requests at once use one nonce with a count of its own each", arguments: WireProtocol.versions)
  func concurrency(version: WireProtocol) async throws {
    let guarding = DigestGuard(algorithm: "SHA-256-sess")
    let wire = try Wire(version)
    let server = try wire.start(.handler { guarding.respond(to: $0) })
    defer { server.stop() }
    let client = wire.client { $0.limitRequests(to: 16, over: version) }
    var request = HTTPRequest.get(server.url())
    request.options.credentials = .digest(user: "user", password: "passwd")
    #expect(try await client.send(request).text() == "ok")
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<64 {
        group.addTask { [request] in
          let response = try await client.send(request)
          _ = try await response.collect()
          return response.status.code
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 64))
    #expect(guarding.record.faults.isEmpty)
    #expect(guarding.record.counts["nonce-1"]?.sorted() == Array(1...65))
  }

  @Test("a cancelled request stops between question and answer")
  func cancellation() async throws {
    let guarding = DigestGuard()
    let reached = Gate()
    let script = ServerScript.handler { request in
      guard request.headers["Authorization"] != nil else { return guarding.question() }
      reached.open()
      return .never
    }
    try await ScriptedServer.with(script) { server async throws in
      let task = Task {
        var request = HTTPRequest.get(server.url())
        request.options.credentials = .digest(user: "user", password: "passwd")
        return await HTTPClient().failure(of: request)
      }
      try await reached.opened()
      task.cancel()
      #expect(await task.value?.code == .cancelled)
    }
  }

  @Test(
    "credentials that cannot be expressed fail the request before anything is sent, and are not told",
    arguments: [
      HTTPCredentials.basic(user: "us:er", password: "s3cret"), .basic(user: "u", password: "s3cret\n"),
      .digest(user: "u\u{0}", password: "s3cret"), .any(user: "u", password: "s3cret\u{7F}"), .bearer(""),
      .bearer("s3cret with space"), .bearer("s3cret\r\nX: y"),
    ])
  func invalid(credentials: HTTPCredentials) async throws {
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      var request = HTTPRequest.get(server.url())
      request.options.credentials = credentials
      let error = await HTTPClient().failure(of: request)
      #expect(error?.code == .invalidConfiguration)
      #expect(error?.sent == .nothing)
      #expect(error.map { "\($0)".contains("s3cret") } == false)
      #expect(server.snapshot.connections.isEmpty)
    }
  }

  @Test("the next nonce of Authentication-Info is used, unless its proof is wrong", arguments: [false, true])
  func information(isForged: Bool) async throws {
    let guarding = DigestGuard()
    let script = ServerScript.handler { request in
      let response = guarding.respond(to: request)
      guard response.status == 200 else { return response }
      let proof = isForged ? ", rspauth=\"00\"" : ""
      return response.adding("Authentication-Info", "nextnonce=\"next\"\(proof)")
    }
    try await ScriptedServer.with(script) { server async throws in
      let client = HTTPClient()
      var request = HTTPRequest.get(server.url())
      request.options.credentials = .digest(user: "user", password: "passwd")
      #expect(try await client.send(request).text() == "ok")
      _ = try await client.send(request).collect()
      let third = server.snapshot.requests[2].headers["Authorization"]
      if isForged {
        #expect(third == nil)
      } else {
        #expect(third?.contains("nonce=\"next\"") == true && third?.contains("nc=00000001") == true)
      }
    }
  }

  @Test("nothing that describes a client's settings or a request shows a secret")
  func secrets() {
    let all: [HTTPCredentials] = [
      .basic(user: "user", password: "s3cret"), .digest(user: "user", password: "s3cret"),
      .any(user: "user", password: "s3cret"), .bearer("s3cret"),
    ]
    for credentials in all {
      var options = HTTPRequestOptions()
      options.credentials = credentials
      var proxy = HTTPProxy(kind: .http, host: "proxy.test", credentials: credentials)
      proxy.headers.add("Proxy-Authorization", "s3cret")
      var text = "\(options) \(credentials) \(String(reflecting: credentials)) \(proxy)"
      dump(credentials, to: &text)
      dump(options.credentials, to: &text)
      dump(proxy.credentials, to: &text)
      #expect(!text.contains("s3cret"))
    }
  }

  @Test("Basic that a server asked for is known in the directory that it asked about, and below (RFC 7617 §2.2)")
  func basicScope() async throws {
    let script = ServerScript.handler { request in
      request.headers["Authorization"] == nil && request.path != "/open"
        ? ServerResponse(401, headers: [HeaderLine("WWW-Authenticate", "Basic realm=\"r\"")]) : .text("ok")
    }
    try await ScriptedServer.with(script) { server async throws in
      let client = HTTPClient()
      func answers(_ target: String) async throws -> [Bool] {
        let before = server.snapshot.requestCount
        var request = HTTPRequest.get(server.url(target))
        request.options.credentials = .any(user: "u", password: "p")
        #expect(try await client.send(request).text() == "ok")
        return server.snapshot.requests.dropFirst(before).map { $0.headers["Authorization"] != nil }
      }
      #expect(try await answers("/a/b?c=/d/e") == [false, true])
      #expect(try await answers("/a/") == [true])
      #expect(try await answers("/a/x/y?z") == [true])
      #expect(try await answers("/open") == [false])
      #expect(try await answers("/a") == [false, true])
      // That was the whole server.
      #expect(try await answers("/open") == [true])
      #expect(try await answers("/z/") == [true])
    }
  }

  @Test("of many directories the latest are known")
  func manyDirectories() async throws {
    let script = ServerScript.handler { request in
      request.headers["Authorization"] == nil
        ? ServerResponse(401, headers: [HeaderLine("WWW-Authenticate", "Basic realm=\"r\"")]) : .text("ok")
    }
    try await ScriptedServer.with(script) { server async throws in
      let client = HTTPClient()
      func count(_ target: String) async throws -> Int {
        let before = server.snapshot.requestCount
        var request = HTTPRequest.get(server.url(target))
        request.options.credentials = .any(user: "u", password: "p")
        #expect(try await client.send(request).text() == "ok")
        return server.snapshot.requestCount - before
      }
      for number in 1...33 { #expect(try await count("/d\(number)/") == 2) }
      #expect(try await count("/d33/x") == 1)
      #expect(try await count("/d2/x") == 1)
      #expect(try await count("/d1/x") == 2)
      #expect(try await count("/d2/x") == 2)
    }
  }
}
