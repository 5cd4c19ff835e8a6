import LinnetTestSupport
import Testing

/// `-x` and its relatives, and the variables of the environment.
@Suite("Proxies of the command", .timeLimit(.minutes(2)))
struct ProxyTests {
  private static let script = ServerScript.handler { request in
    .text(request.headers["Proxy-Authorization"] == nil ? "origin" : "leak")
  }

  /// A server, a proxy, and what runs the command for a name that only the proxy knows.
  private func withProxy(
    _ kind: ScriptedProxy.Kind = .http, credentials: (user: String, password: String)? = nil, tls: ServerTLS? = nil,
    _ body: (ScriptedProxy, ScriptedServer) async throws -> Void
  ) async throws {
    var options = ScriptedProxy.Options()
    options.credentials = credentials
    options.tls = tls
    try await ScriptedServer.with(Self.script) { server async throws in
      try await ScriptedProxy.with(kind, options: options) { proxy async throws in try await body(proxy, server) }
    }
  }

  private func run(_ words: [String], _ environment: [String: String] = [:]) async throws -> CommandRun.Result {
    try await CommandRun(([CommandRun.path, "-sS"] + words).map { Array($0.utf8) }, environment: environment).result()
  }

  @Test("-x forwards http, -p tunnels it")
  func http() async throws {
    try await withProxy { proxy, server async throws in
      let url = "http://name.invalid:\(server.port)/"
      #expect(try await run(["-x", proxy.url, url]).output == "origin")
      #expect(try await run(["-x", "127.0.0.1:\(proxy.port)", "-p", url]).output == "origin")
      #expect(proxy.requests.map(\.way) == [.forward, .connect])
    }
  }

  @Test(
    "SOCKS proxies by URL and by option",
    arguments: [
      (.socks5, "--socks5-hostname", .socks5), (.socks5, "-x", .socks5), (.socks4, "--socks4a", .socks4),
      (.socks4, "-x", .socks4),
    ] as [(ScriptedProxy.Kind, String, RecordedProxyRequest.Way)])
  func socks(_ kind: ScriptedProxy.Kind, _ option: String, _ way: RecordedProxyRequest.Way) async throws {
    try await withProxy(kind) { proxy, server async throws in
      let address = option == "-x" ? proxy.url : "127.0.0.1:\(proxy.port)"
      let result = try await run([option, address, "http://name.invalid:\(server.port)/"])
      #expect(result.output == "origin", "\(result.error)")
      #expect(proxy.requests.map(\.way) == [way] && proxy.requests.map(\.host) == ["name.invalid"])
    }
  }

  @Test("--socks5 resolves the name here")
  func localNames() async throws {
    try await withProxy(.socks5) { proxy, server async throws in
      let result = try await run(["--socks5", "127.0.0.1:\(proxy.port)", server.url()])
      #expect(result.output == "origin" && proxy.requests.map(\.addressType) == [.ipv4], "\(result.error)")
      #expect(try await run(["--socks5", "127.0.0.1:\(proxy.port)", "http://name.invalid/"]).status == 6)
    }
  }

  @Test(
    "-U and the proxy's URL give it credentials, which the server never sees; without them the status is 97")
  func credentials() async throws {
    try await withProxy(credentials: ("me", "p w")) { proxy, server async throws in
      let url = "http://name.invalid:\(server.port)/"
      #expect(try await run(["-x", proxy.url, "-U", "me:p w", url]).output == "origin")
      #expect(try await run(["-x", proxy.url, "-U", "me:p w", "--proxy-anyauth", url]).output == "origin")
      #expect(try await run(["-x", proxy.url(userinfo: "me:p%20w"), "-p", url]).output == "origin")
      for words in [["-p", url], [url]] {
        let refused = try await run(["-x", proxy.url] + words)
        #expect(refused.status == 97 && refused.error.contains("127.0.0.1:\(proxy.port)"), "\(refused.error)")
        #expect(refused.output.isEmpty)
      }
    }
  }

  @Test("-U, --proxy-header and TLS settings are for proxies of the environment, too", arguments: [false, true])
  func ofTheEnvironment(_ isSecure: Bool) async throws {
    let certificates = try TestCertificates()
    let tls = isSecure ? ServerTLS(try certificates.loopback()) : nil
    try await withProxy(credentials: ("me", "p w"), tls: tls) { proxy, server async throws in
      let url = "http://name.invalid:\(server.port)/"
      let trust = isSecure ? ["--proxy-cacert", certificates.authorityFile] : []
      for variable in ["http_proxy", "all_proxy"] {
        for words in [[], ["-p"], ["--proxy-anyauth"]] {
          let result = try await run(
            trust + words + ["-U", "me:p w", "--proxy-header", "X-P: 1", url], [variable: proxy.url(userinfo: "x:y")])
          #expect(result.output == "origin" && result.error.isEmpty, "\(words) \(result.error)")
        }
      }
      #expect(proxy.requests.allSatisfy { $0.headers["X-P"] == "1" })
      #expect(Set(proxy.requests.map(\.way)) == [.forward, .connect])
      #expect(try await run(trust + [url], ["http_proxy": proxy.url]).status == 97)
    }
  }

  @Test(
    "with --connect-to the proxy is asked for a tunnel to there, and the request keeps its host",
    arguments: [ScriptedProxy.Kind.http, .socks5, .socks4])
  func connectTo(_ kind: ScriptedProxy.Kind) async throws {
    try await withProxy(kind) { proxy, server async throws in
      let entry = "name.invalid:81:other.invalid:\(server.port)"
      let result = try await run(["-x", proxy.url, "--connect-to", entry, "http://name.invalid:81/"])
      #expect(result.output == "origin", "\(result.error)")
      #expect(proxy.requests.map(\.authority) == ["other.invalid:\(server.port)"])
      #expect(proxy.requests.map(\.way) == [kind == .http ? .connect : kind == .socks5 ? .socks5 : .socks4])
      #expect(server.snapshot.requests.map { $0.headers["Host"] } == ["name.invalid:81"])
      // One that is for another host changes nothing, and an exception for the host of the URL counts.
      let other = try await run([
        "-x", proxy.url, "--connect-to", "x.test::y.test:", "http://a.invalid:\(server.port)/",
      ])
      #expect(other.output == "origin" && proxy.requests.last?.host == "a.invalid", "\(other.error)")
      let direct = try await run(
        [
          "-x", proxy.url, "--noproxy", "name.invalid", "--connect-to", "::127.0.0.1:\(server.port)",
          "http://name.invalid/",
        ])
      #expect(direct.output == "origin" && proxy.requests.count == 2, "\(direct.error)")
    }
  }

  @Test("--proxy-header goes to the proxy alone")
  func headers() async throws {
    try await withProxy { proxy, server async throws in
      let url = "http://name.invalid:\(server.port)/"
      #expect(try await run(["-x", proxy.url, "-p", "--proxy-header", "X-P: 1", url]).output == "origin")
      #expect(proxy.requests.first?.headers["X-P"] == "1")
      #expect(server.snapshot.requests.first?.headers["X-P"] == nil)
    }
  }

  @Test("an https proxy is checked with --proxy-cacert, and -k is not for it")
  func secure() async throws {
    let certificates = try TestCertificates()
    try await withProxy(tls: ServerTLS(try certificates.loopback())) { proxy, server async throws in
      let url = "http://name.invalid:\(server.port)/"
      let words = ["-x", proxy.url, url]
      #expect(try await run(words + ["--proxy-cacert", certificates.authorityFile]).output == "origin")
      let insecure = try await run(words + ["--proxy-insecure"])
      #expect(insecure.output == "origin" && insecure.error.contains("warning: --proxy-insecure"))
      #expect(try await run(words + ["-k"]).status == 60)
    }
  }

  @Test("variables name proxies and exceptions; -x, an empty -x and --noproxy come before them")
  func environment() async throws {
    try await withProxy { proxy, server async throws in
      let url = server.url()
      let direct = ["-x", "", url]
      for (words, variables, count) in [
        ([url], ["http_proxy": proxy.url], 1), ([url], ["all_proxy": proxy.url], 1),
        (direct, ["http_proxy": proxy.url], 0),
        ([url], ["http_proxy": proxy.url, "no_proxy": "127.0.0.0/8"], 0),
        (["--noproxy", "x.test", url], ["http_proxy": proxy.url, "no_proxy": "*"], 1),
        (["--noproxy", "*", url], ["http_proxy": proxy.url], 0),
        (["--noproxy", "127.0.0.1", "-x", proxy.url, url], [:], 0),
        (["-x", proxy.url, url], ["http_proxy": "http://127.0.0.1:1"], 1),
        (["-x", proxy.url, url], ["no_proxy": "127.0.0.1"], 0),
      ] as [([String], [String: String], Int)] {
        let before = proxy.requests.count
        let result = try await run(words, variables)
        #expect(result.output == "origin", "\(words) \(variables) \(result.error)")
        #expect(proxy.requests.count - before == count, "\(words) \(variables)")
      }
    }
  }

  @Test(
    "a malformed proxy is refused before anything is sent, without its password",
    arguments: ["http://me:S3CRET@", "ftp://p", "http://p:99999", "http://p/path", "http://me:S3CRET@p:x", "::1"])
  func malformed(_ address: String) async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      for (words, variables) in [(["-x", address], [:]), ([], ["http_proxy": address])]
        as [([String], [String: String])]
      {
        let result = try await run(words + [server.url()], variables)
        #expect(result.status == 2 && result.error.hasPrefix("linnet: "), "\(words) \(result.error)")
        #expect(!result.error.contains("S3CRET"))
      }
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test(
    "what would be shown in another way than asked for, or after the first request, is refused before anything is sent",
    arguments: [
      ["--proxy-digest"], ["--proxy-anyauth"], ["--digest", "--netrc-file", "/dev/null"],
      ["--anyauth", "--netrc-file", "/dev/null"], ["--etag-save", "/dev/null", "URL{a,b}"],
    ])
  func refusedEarly(_ words: [String]) async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = words.map { $0 == "URL{a,b}" ? server.url("/{a,b}") : $0 }
      let result = try await run(words + (words.contains("--etag-save") ? [] : [server.url()]), [:])
      #expect(result.status == 2 && result.error.hasPrefix("linnet: "), "\(words) \(result.error)")
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test("a proxy without an address is 5, one that does not listen 7, one that refuses 97")
  func failures() async throws {
    #expect(try await run(["-x", "http://proxy.invalid:1", "http://a.invalid/"]).status == 5)
    let proxy = try ScriptedProxy.start(.http)
    proxy.stop()
    #expect(try await run(["-x", proxy.url, "http://a.invalid/"]).status == 7)
    try await ScriptedProxy.with(.socks5, decide: { _ in .refuse(5) }) { proxy async throws in
      #expect(try await run(["-x", proxy.url, "http://a.invalid/"]).status == 97)
    }
  }
}
