import FoundationEssentials
import Linnet
import LinnetBytes
import Testing

/// Redirects by a table of paths or URLs, and remembers the requests.
final class RedirectOrigin: Sendable {
  private let seen = Lock<[HTTPRequest]>([])
  private let answers: [String: Response]

  init(_ answers: [String: (Int, String)]) {
    self.answers = answers.mapValues { .redirect($0.0, to: $0.1) }
  }

  var requests: [HTTPRequest] { seen.withLock { $0 } }
  var urls: [String] { requests.map(\.url) }

  var next: NextStage {
    { request throws(NetworkError) in
      self.seen.withLock { $0.append(request) }
      return self.answers[request.url] ?? Response.end
    }
  }
}

extension Response {
  fileprivate static func redirect(_ status: Int, to location: String) -> Response {
    Response(
      statusCode: status, data: Data(), request: nil,
      response: ResponseHead(status: HTTPStatus(code: status) ?? .found, headers: ["Location": location]))
  }

  fileprivate static var end: Response {
    Response(statusCode: 200, data: Data("end".utf8), request: nil, response: ResponseHead(status: .ok))
  }
}

@Suite struct RedirectStageTests {
  private func send(
    _ request: HTTPRequest, to origin: RedirectOrigin, policy: any RedirectPolicy = DefaultRedirectPolicy(),
    sessionHeaderNames: [String] = [], isSigned: Bool = false, allowsInsecureHTTP: Bool = false
  ) async throws(NetworkError) -> Response {
    let stage = RedirectStage(policy: policy, sessionHeaderNames: sessionHeaderNames)
    let call = CallContext(isSigned: isSigned, allowsInsecureHTTP: allowsInsecureHTTP)
    return try await stage.execute(request, call: call, next: origin.next)
  }

  @Test("redirections are followed, and the response lists them")
  func following() async throws {
    let origin = RedirectOrigin([
      "https://a/1": (301, "/2"), "https://a/2": (307, "https://b/3#x"), "https://b/3#x": (303, "4"),
    ])
    let response = try await send(.get("https://a/1"), to: origin)
    #expect(response.statusCode == 200)
    #expect(origin.urls == ["https://a/1", "https://a/2", "https://b/3#x", "https://b/4#x"])
    #expect(response.redirects.map(\.statusCode) == [301, 307, 303])
    #expect(response.redirects.map(\.to.description) == ["https://a/2", "https://b/3#x", "https://b/4#x"])
    #expect(response.redirects.first?.from.description == "https://a/1")
    #expect(response.request?.url == "https://b/4#x")
  }

  @Test("301 turns POST into GET without the body and its description; 308 repeats both")
  func methods() async throws {
    let origin = RedirectOrigin(["https://a/1": (308, "/2"), "https://a/2": (301, "/3")])
    let headers: HTTPHeaders = ["Content-Type": "text/plain", "Authorization": "t"]
    _ = try await send(.post("https://a/1", headers: headers, body: .text("b")), to: origin)
    #expect(origin.requests.map(\.method) == [.post, .post, .get])
    #expect(origin.requests[1].body != nil)
    #expect(origin.requests[1].headers == headers)
    #expect(origin.requests[2].body == nil)
    #expect(origin.requests[2].headers == ["Authorization": "t"])
  }

  @Test("what was dropped on the way to another origin does not come back, not even at the first origin")
  func noReturn() async throws {
    let origin = RedirectOrigin(["https://a/1": (302, "https://b/2"), "https://b/2": (302, "https://a/3")])
    _ = try await send(.get("https://a/1", headers: ["Authorization": "t", "X-A": "1"]), to: origin)
    #expect(origin.requests.map(\.headers.count) == [2, 0, 0])
  }

  @Test("headers that the transport adds for the application stay away from another origin; so does the certificate")
  func sessionHeaders() async throws {
    let origin = RedirectOrigin(["https://a/1": (302, "/2"), "https://a/2": (302, "https://b/3")])
    var request = HTTPRequest.get("https://a/1")
    request.options.tls = TLSConfiguration()
    request.options.tls?.clientIdentity = TLSConfiguration.ClientIdentity(certificates: .bytes([]))
    request.options.omittedDefaultHeaders = ["Accept"]
    _ = try await send(request, to: origin, sessionHeaderNames: ["X-Session"])
    #expect(origin.requests.map(\.options.omittedDefaultHeaders) == [["Accept"], ["Accept"], ["Accept", "X-Session"]])
    #expect(origin.requests.map { $0.options.tls?.clientIdentity != nil } == [true, true, false])
  }

  @Test("a policy that refuses gets the caller the redirection itself, or an error when it asks for that")
  func refusal() async throws {
    let origin = RedirectOrigin(["https://a/1": (307, "https://b/2"), "https://a/ftp": (302, "ftp://a/")])
    let delivered = try await send(.post("https://a/1"), to: origin)
    #expect(delivered.statusCode == 307)
    #expect(delivered.redirects.isEmpty)
    #expect(try await send(.get("https://a/ftp"), to: origin).statusCode == 302)
    let strict = DefaultRedirectPolicy(refusal: .throwsError)
    for (request, code) in [(HTTPRequest.post("https://a/1"), 7), (.get("https://a/ftp"), 5)] {
      let error = await #expect(throws: NetworkError.self) { try await send(request, to: origin, policy: strict) }
      #expect(error?.origin == "Redirect \(code)")
    }
    #expect(origin.requests.count == 4)
  }

  @Test("the URL of every hop is admitted before it is requested, and a failure is an error, not a response")
  func admission() async throws {
    let origin = RedirectOrigin([
      "https://a/user": (302, "https://u:p@b/"), "https://a/dots": (302, "/x/%252e%252e/y"),
      "https://a/plain": (302, "http://b/"), "https://a/port": (302, "https://b:0/"),
      "https://a/broken": (302, "https://b:x/"),
    ])
    let downgrading = DefaultRedirectPolicy(allowsHTTPSDowngrade: true)
    for path in ["user", "dots", "plain", "port", "broken"] {
      let error = await #expect(throws: NetworkError.self) {
        try await send(.get("https://a/\(path)"), to: origin, policy: downgrading)
      }
      guard case .configuration(let reason)? = error else {
        Issue.record("\(path): \(String(describing: error))")
        continue
      }
      #expect(!"\(reason)".utf8.contains("u:p".utf8), "\(reason)")
    }
    #expect(origin.requests.count == 5)
    let insecure = try await send(.get("https://a/plain"), to: origin, policy: downgrading, allowsInsecureHTTP: true)
    #expect(insecure.request?.url == "http://b/")
  }

  @Test("a signed request is not redirected")
  func signed() async throws {
    let origin = RedirectOrigin(["https://a/1": (302, "/2")])
    #expect(try await send(.get("https://a/1"), to: origin, isSigned: true).statusCode == 302)
    #expect(origin.requests.count == 1)
  }

  @Test("a loop ends with an error that names it, and so does an endless chain")
  func endless() async throws {
    let loop = RedirectOrigin(["https://a/1": (302, "/2"), "https://a/2": (302, "/1")])
    let error = await #expect(throws: NetworkError.self) { try await send(.get("https://a/1"), to: loop) }
    #expect(error?.origin == "Redirect 2")
    #expect(loop.requests.count == 2)
    let chain = RedirectOrigin(
      Dictionary(uniqueKeysWithValues: (0..<50).map { ("https://a/\($0)", (302, "/\($0 + 1)")) }))
    let limit = await #expect(throws: NetworkError.self) { try await send(.get("https://a/0"), to: chain) }
    #expect(limit?.origin == "Redirect 1")
    #expect(chain.requests.count == 21)
  }

  @Test("a body that exists once is not sent twice; when the method becomes GET it need not be")
  func oneShotBody() async throws {
    func request(_ path: String) -> HTTPRequest {
      let body = HTTPRequestBody.oneShot(AsyncStream<ByteChunk> { $0.finish() })
      return .post("https://a/\(path)", body: body)
    }
    let origin = RedirectOrigin(["https://a/keep": (307, "/2"), "https://a/drop": (303, "/2")])
    let consuming: NextStage = { request throws(NetworkError) in
      if let body = request.body { _ = try? await body.collect(upTo: 10) }
      return try await origin.next(request)
    }
    let stage = RedirectStage()
    let error = await #expect(throws: NetworkError.self) {
      try await stage.execute(request("keep"), call: CallContext(), next: consuming)
    }
    #expect(error?.origin == "Redirect 6")
    #expect(try await stage.execute(request("drop"), call: CallContext(), next: consuming).statusCode == 200)
  }

  @Test("a policy of one's own decides: it sees a proposal without credentials, and what it returns is sent")
  func ownPolicy() async throws {
    let origin = RedirectOrigin(["https://a/1": (302, "https://b/2"), "https://c/3": (302, "/4")])
    let policy = Rewriting()
    let response = try await send(
      .get("https://a/1", headers: ["Authorization": "t", "X-A": "1"]), to: origin, policy: policy)
    #expect(origin.urls == ["https://a/1", "https://c/3"])
    #expect(origin.requests[1].headers == ["X-Mine": "1"])
    #expect(response.statusCode == 302)
    #expect(response.redirects.map(\.to.description) == ["https://c/3"])
  }

  @Test("a cancelled call follows no further")
  func cancelled() async throws {
    let origin = RedirectOrigin(["https://a/1": (302, "/2")])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await send(.get("https://a/1"), to: origin)
    }
    await #expect(throws: NetworkError.self) { try await task.value }
    #expect(origin.requests.count == 1)
  }
}

/// Sends every first redirection elsewhere and follows no second.
private struct Rewriting: RedirectPolicy {
  func redirect(request: HTTPRequest, response: Response, originalRequest: HTTPRequest) -> HTTPRequest? {
    guard response.request?.url == originalRequest.url, request.headers.isEmpty else { return nil }
    var changed = request
    changed.url = "https://c/3"
    changed.headers["X-Mine"] = "1"
    return changed
  }
}
