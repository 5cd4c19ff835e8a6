import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// Reports about other clients' cookies, by their ids.
@Suite("Cookie reports", .timeLimit(.minutes(1)))
struct CookieReportTests {
  /// A list with the suffixes of the reports.
  private static let suffixes = PublicSuffixes(list: Array("com\nuk\nco.uk\n// private\ngithub.io\nio\ntest\n".utf8))

  /// Every name is the own machine.
  private func client(_ wire: Wire, jar: CookieJar, _ names: String...) -> HTTPClient {
    wire.client { configuration in
      configuration.cookies = .jar(jar)
      for name in names { configuration.resolveOverrides[name] = ["127.0.0.1"] }
    }
  }

  private func url(_ server: ScriptedServer, _ host: String, _ path: String = "/") -> String {
    "http://\(host):\(server.port)\(path)"
  }

  // MARK: COOK-01

  @Test(
    "COOK-01: host-only cookies and those with Domain=localhost work on localhost", arguments: WireProtocol.versions)
  func localhost(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let answer = ServerResponse.text("").adding("Set-Cookie", "a=1; Domain=localhost").adding("Set-Cookie", "b=2")
    try await ScriptedServer.with(.handler { _ in answer }, options: wire.options) { server async throws in
      let client = client(wire, jar: CookieJar(), "localhost")
      for _ in 0..<2 { _ = try await client.send(.get(url(server, "localhost"))).collect() }
      #expect(server.snapshot.requests.map { $0.headers.values(for: "Cookie") } == [[], ["a=1; b=2"]])
    }
  }

  // MARK: COOK-02

  @Test(
    "COOK-02: no cookie for a public suffix; a host that is one keeps it for itself",
    arguments: [
      ("a.co.uk", "co.uk", ""), ("b.github.io", "github.io", ""), ("co.uk", "co.uk", "x=1"),
      ("a.co.uk", "a.co.uk", "x=1"),
      ("www.a.co.uk", "a.co.uk", "x=1"),
    ])
  func publicSuffix(host: String, domain: String, sent: String) async throws {
    let wire = try Wire(.http1)
    let script = ServerScript.handler { _ in .text("").adding("Set-Cookie", "x=1; Domain=\(domain)") }
    try await ScriptedServer.with(script) { server async throws in
      let client = client(wire, jar: CookieJar(suffixes: Self.suffixes), host, "z.co.uk", "z.github.io")
      for name in [host, host, "z.co.uk", "z.github.io"] {
        _ = try await client.send(.get(url(server, name))).collect()
      }
      let cookies = server.snapshot.requests.map { $0.headers.values(for: "Cookie").joined() }
      // The other names have set theirs meanwhile, and their servers set what they may.
      #expect(cookies == ["", sent, "", ""])
    }
  }

  @Test(
    "COOK-02: with the list of the system", .enabled(if: SystemList.isPresent, "the package publicsuffix is missing"))
  func systemList() async throws {
    let jar = CookieJar()
    for (host, domain) in [("a.co.uk", "co.uk"), ("b.github.io", "github.io"), ("x.example.com", "example.com")] {
      let headers: HTTPHeaders = [HTTPHeader("Set-Cookie", "x=1; Domain=\(domain)")]
      await jar.store(headers, from: try HTTPURL("https://\(host)/"))
    }
    #expect(jar.cookies.map(\.domain) == ["example.com"])
  }

  private enum SystemList {
    static let isPresent = (try? FileIdentity(path: PublicSuffixes.systemPath)) != nil
  }

  // MARK: COOK-03

  @Test("COOK-03: a domain with a leading dot is the domain and all below it", arguments: WireProtocol.versions)
  func leadingDot(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let script = ServerScript.handler { request in
      request.path == "/set" ? .text("").adding("Set-Cookie", "s=1; Domain=.example.test; Path=/") : .text("")
    }
    try await ScriptedServer.with(script, options: wire.options) { server async throws in
      let names = ["example.test", "www.example.test", "notexample.test"]
      let client = client(wire, jar: CookieJar(suffixes: Self.suffixes), names[0], names[1], names[2])
      _ = try await client.send(.get(url(server, "example.test", "/set"))).collect()
      for name in names { _ = try await client.send(.get(url(server, name))).collect() }
      let cookies = server.snapshot.requests.map { $0.headers.values(for: "Cookie").joined() }
      #expect(cookies == ["", "s=1", "s=1", ""])
    }
  }

  // MARK: RED-07

  @Test(
    "RED-07: a cookie that a redirection sets goes to its target, with or without somebody who decides",
    arguments: WireProtocol.versions, [false, true])
  func redirection(over version: WireProtocol, decides: Bool) async throws {
    let wire = try Wire(version)
    let script = ServerScript.handler { request in
      request.path == "/b" ? .text("there") : .redirect(to: "/b").adding("Set-Cookie", "s=1")
    }
    try await ScriptedServer.with(script, options: wire.options) { server async throws in
      let client = wire.client { configuration in
        configuration.cookies = .privateJar
        if decides { configuration.redirects = .following { _ in .follow } }
      }
      #expect(try await client.send(.get(server.url("/a"))).text() == "there")
      let requests = server.snapshot.requests
      #expect(requests.map(\.path) == ["/a", "/b"])
      #expect(requests.map { $0.headers.values(for: "Cookie") } == [[], ["s=1"]])
    }
  }
}
