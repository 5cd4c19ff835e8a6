import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite struct RedirectRulesTests {
  private func proposal(
    _ status: Int, _ location: String?, method: HTTPMethod = .get, from url: String = "https://a.example/x/y?q#top"
  ) throws -> RedirectRules.Proposal? {
    var headers = HTTPHeaders()
    headers["Location"] = location
    return try RedirectRules.proposal(status: status, headers: headers, method: method, url: try HTTPURL(url))
  }

  @Test(
    "the status decides about method and body",
    arguments: [
      (301, "GET", "GET", true), (301, "HEAD", "HEAD", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
      (301, "DELETE", "DELETE", true), (301, "post", "post", true), (302, "POST", "GET", false),
      (302, "PATCH", "PATCH", true), (302, "HEAD", "HEAD", true), (303, "GET", "GET", false),
      (303, "HEAD", "HEAD", false), (303, "POST", "GET", false), (303, "PUT", "GET", false),
      (303, "PURGE", "GET", false), (307, "POST", "POST", true), (307, "GET", "GET", true), (308, "POST", "POST", true),
      (308, "DELETE", "DELETE", true),
    ])
  func methods(status: Int, method: String, expected: String, keepsBody: Bool) throws {
    let sent = try #require(HTTPMethod(rawValue: method))
    let found = try #require(try proposal(status, "/z", method: sent))
    #expect(found.method.rawValue == expected)
    #expect(found.keepsBody == keepsBody)
  }

  @Test("no other status is a redirection to follow", arguments: [200, 201, 300, 304, 305, 306, 309, 399, 400, 503])
  func otherStatuses(status: Int) throws { #expect(try proposal(status, "/z") == nil) }

  @Test("without a Location, or with an empty one, the response is delivered")
  func noLocation() throws {
    #expect(try proposal(302, nil) == nil)
    #expect(try proposal(302, "") == nil)
  }

  @Test(
    "Location is resolved against the request's URL, and a fragment is inherited unless there is one",
    arguments: [
      ("/z", "https://a.example/z#top"), ("z", "https://a.example/x/z#top"), ("../z#own", "https://a.example/z#own"),
      ("?p", "https://a.example/x/y?p#top"), ("//b.example/z", "https://b.example/z#top"),
      ("http://b.example:8080/z#", "http://b.example:8080/z#"),
      ("HTTPS://B.Example:443/%7e", "https://b.example/%7e#top"),
      ("/ä b", "https://a.example/%C3%A4%20b#top"), ("/a%2Fb", "https://a.example/a%2Fb#top"),
    ])
  func targets(location: String, expected: String) throws {
    #expect(try proposal(302, location)?.url.description == expected)
  }

  @Test("bytes that are not UTF-8 reach the URL as they are")
  func rawBytes() throws {
    var headers = HTTPHeaders()
    headers.appendUnchecked(name: "Location".utf8Span.span, value: ([0x2F, 0xE4] as [UInt8]).span)
    let found = try RedirectRules.proposal(
      status: 302, headers: headers, method: .get, url: try HTTPURL("https://a.example/"))
    #expect(found?.url.description == "https://a.example/%E4")
  }

  @Test(
    "a Location that cannot be used is an error that says why",
    arguments: [
      ("ftp://b.example/", RedirectProblem.unsupportedScheme("ftp")), ("mailto:a@b", .unsupportedScheme("mailto")),
      ("file:///etc/passwd", .unsupportedScheme("file")), ("https://", .invalidLocation(.missingHost(in: "https://"))),
      ("https://b.example:99999/", .invalidLocation(.portOutOfRange("99999"))),
    ])
  func unusable(location: String, expected: RedirectProblem) {
    #expect(throws: expected) { try proposal(302, location) }
  }

  @Test("two Location fields must agree")
  func severalLocations() throws {
    let url = try HTTPURL("https://a.example/")
    let same: HTTPHeaders = [HTTPHeader("Location", "/b"), HTTPHeader("Location", "/b")]
    #expect(try RedirectRules.proposal(status: 302, headers: same, method: .get, url: url) != nil)
    let other: HTTPHeaders = [HTTPHeader("Location", "/b"), HTTPHeader("Location", "/c")]
    #expect(throws: RedirectProblem.severalLocations) {
      try RedirectRules.proposal(status: 302, headers: other, method: .get, url: url)
    }
  }

  @Test("without the body go the fields that describe it")
  func bodyFields() {
    let kept = RedirectRules.droppingBodyFields([
      "Content-Type": "a/b", "content-length": "3", "Content-Encoding": "gzip", "Content-Language": "de",
      "Content-Digest": "x", "Repr-Digest": "x", "Digest": "x", "Expect": "100-continue",
      "Transfer-Encoding": "chunked",
      "Trailer": "X", "Accept": "a/b", "X-Content-Type": "kept", "Authorization": "t",
    ])
    #expect(kept.map(\.name) == ["Accept", "X-Content-Type", "Authorization"])
  }

  @Test("another origin gets nothing of the caller's and no credentials, whatever their case")
  func crossOrigin() {
    let original: HTTPHeaders = ["X-Tenant": "1", "Accept": "a/b", "Content-Type": "a/b", "Content-Encoding": "gzip"]
    var proposed = original
    for name in RedirectRules.credentialNames { proposed.add(name.uppercased(), "secret") }
    proposed.add("x-tenant", "2")
    proposed.add("X-Extra", "secret")
    proposed.add("X-Added-By-Nobody", "kept")
    let kept = RedirectRules.crossOriginFields(
      proposed, original: original, additional: ["x-EXTRA"], keepsBody: false)
    #expect(kept == ["X-Added-By-Nobody": "kept"])
    let withBody = RedirectRules.crossOriginFields(
      proposed, original: original, additional: ["x-extra"], keepsBody: true)
    #expect(withBody == ["Content-Type": "a/b", "Content-Encoding": "gzip", "X-Added-By-Nobody": "kept"])
  }

  @Test("a description of the body that was named as a credential does not go along either")
  func bodyFieldAsCredential() {
    let original: HTTPHeaders = ["Content-Type": "a/b"]
    let kept = RedirectRules.crossOriginFields(
      original, original: original, additional: ["content-type"], keepsBody: true)
    #expect(kept.isEmpty)
  }
}

@Suite("What a redirection of a client without a policy of its own may do")
struct SafeRedirectRulesTests {
  private func refusal(
    _ target: String, method: HTTPMethod = .get, hasBody: Bool = false, allowsDowngrade: Bool = false,
    allowsUnsafe: Bool = false, from url: String = "https://a.example/"
  ) throws -> RedirectProblem? {
    RedirectRules.refusal(
      of: RedirectRules.Proposal(url: try HTTPURL(target), method: method, keepsBody: hasBody), from: try HTTPURL(url),
      hasBody: hasBody, allowsDowngrade: allowsDowngrade, allowsUnsafe: allowsUnsafe)
  }

  @Test("http after https is refused unless it is allowed")
  func downgrade() throws {
    let target = "http://u:p@a.example/"
    #expect(try refusal(target) == .downgrade(url: "http://***@a.example/"))
    #expect(try refusal(target, allowsDowngrade: true) == nil)
    #expect(try refusal(target, from: "http://b.example/") == nil)
    #expect(try refusal("https://a.example/", from: "http://a.example/") == nil)
  }

  @Test("another port, scheme or host gets no unsafe method and no body unless they are allowed")
  func unsafe() throws {
    for target in ["https://a.example:8443/", "https://b.example/", "https://x.a.example/"] {
      #expect(try refusal(target) == nil)
      #expect(try refusal(target, method: .post) == .unsafeAcrossOrigins(method: .post, url: target))
      #expect(try refusal(target, method: .options, hasBody: true) == .bodyAcrossOrigins(url: target))
      #expect(try refusal(target, method: .post, hasBody: true, allowsUnsafe: true) == nil)
    }
    #expect(try refusal("https://A.example:443/x", method: .post, hasBody: true) == nil)
  }

  @Test("301, 302 and 303 repeat a POST on request", arguments: [(301, true), (302, true), (303, true), (307, true)])
  func keepsPost(status: Int, keeps: Bool) throws {
    let found = try RedirectRules.proposal(
      status: status, headers: ["Location": "/b"], method: .post, url: try HTTPURL("https://a.example/"),
      keepsPost: true)
    #expect(found?.method == (keeps ? .post : .get))
    #expect(found?.keepsBody == keeps)
  }

  @Test(
    "a referer has neither userinfo nor fragment, and an https one is told to its own origin only",
    arguments: [
      ("http://u:p@a.test/x?y#z", "http://b.test/", "http://a.test/x?y"),
      ("http://a.test/x", "https://b.test/", "http://a.test/x"),
      ("https://a.test/x", "https://a.test:443/y", "https://a.test/x"),
      ("https://a.test/x", "https://b.test/", nil), ("https://a.test/x", "https://a.test:444/", nil),
      ("https://a.test/x", "http://a.test/", nil),
    ] as [(String, String, String?)])
  func referer(from: String, to: String, referer: String?) throws {
    #expect(RedirectRules.referer(from: try HTTPURL(from), to: try HTTPURL(to)) == referer)
  }

  @Test("WebSocket schemes are no targets, and neither is a port that nobody can connect to", arguments: ["ws", "wss"])
  func noTargets(scheme: String) throws {
    let url = try HTTPURL("https://a.example/")
    #expect(throws: RedirectProblem.unsupportedScheme(scheme)) {
      try RedirectRules.proposal(status: 302, headers: ["Location": "\(scheme)://a.example/"], method: .get, url: url)
    }
    #expect(throws: RedirectProblem.self) {
      try RedirectRules.proposal(status: 302, headers: ["Location": "https://a.example:0/"], method: .get, url: url)
    }
  }

  @Test("another origin gets fields that are known to be harmless, none that is marked, named or known as secret")
  func harmless() {
    var headers: HTTPHeaders = [
      "accept": "a/b", "Accept-Language": "de", "User-Agent": "x", "Range": "bytes=0-", "If-None-Match": "e",
      "Cache-Control": "no-cache", "Priority": "u=1", "Host": "a.example", "Referer": "r", "Origin": "o", "Cookie": "c",
      "Authorization": "a", "Proxy-Authorization": "p", "X-Anything": "x", "Content-Type": "t",
      "Content-Encoding": "gzip",
      "Connection": "x-anything", "Accept-Secret": "s", "From": "f",
    ]
    for name in RedirectRules.credentialNames { headers.update(name, "secret") }
    let kept = RedirectRules.harmlessFields(of: headers, additional: ["USER-agent"], keepsBody: false)
    #expect(
      kept.map(\.name) == ["accept", "Accept-Language", "Range", "If-None-Match", "Cache-Control", "Priority"])
    let withBody = RedirectRules.harmlessFields(of: headers, additional: [], keepsBody: true)
    #expect(withBody.map(\.name).suffix(2) == ["Content-Type", "Content-Encoding"])
    headers.update(HTTPHeader(name: "Range", value: "bytes=0-", isSensitive: true))
    headers.add("range", "bytes=1-")
    #expect(!RedirectRules.harmlessFields(of: headers, additional: [], keepsBody: false).contains("Range"))
  }
}

@Suite struct RedirectTrailTests {
  private func url(_ text: String) throws -> HTTPURL { try HTTPURL(text) }

  @Test("twenty redirections are followed, the next is an error")
  func limit() throws {
    var trail = RedirectTrail()
    trail.visit(method: .get, url: try url("https://h/0"), headers: [:])
    for hop in 1...20 { try trail.follow(method: .get, url: try url("https://h/\(hop)"), headers: [:], after: [:]) }
    #expect(trail.hops == 20)
    let next = try url("https://h/21")
    #expect(throws: RedirectProblem.tooManyHops(20)) {
      try trail.follow(method: .get, url: next, headers: [:], after: [:])
    }
  }

  @Test("the same request again is a loop, also with another fragment; another method or header is another request")
  func loops() throws {
    var trail = RedirectTrail()
    let a = try url("https://h/a")
    trail.visit(method: .post, url: a, headers: ["X": "1"])
    try trail.follow(method: .get, url: a, headers: ["X": "1"], after: [:])
    try trail.follow(method: .get, url: a, headers: [:], after: [:])
    let again = try url("https://h/a#b")
    #expect(throws: RedirectProblem.loop("https://h/a#b")) {
      try trail.follow(method: .get, url: again, headers: [:], after: [:])
    }
  }

  @Test("a cookie that was set on the way makes the same request another one, up to the limit")
  func cookies() throws {
    var trail = RedirectTrail()
    let a = try url("https://h/a")
    trail.visit(method: .get, url: a, headers: [:])
    for _ in 0..<20 { try trail.follow(method: .get, url: a, headers: [:], after: ["Set-Cookie": "a=1"]) }
    #expect(throws: RedirectProblem.tooManyHops(20)) {
      try trail.follow(method: .get, url: a, headers: [:], after: ["Set-Cookie": "a=1"])
    }
  }

  @Test("a limit of zero or less follows nothing", arguments: [0, -1])
  func zero(limit: Int) throws {
    var trail = RedirectTrail(limit: limit)
    let next = try url("https://h/")
    #expect(throws: RedirectProblem.tooManyHops(0)) {
      try trail.follow(method: .get, url: next, headers: [:], after: [:])
    }
  }
}
