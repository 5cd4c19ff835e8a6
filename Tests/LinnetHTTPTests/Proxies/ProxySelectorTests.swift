import LinnetHTTP
import LinnetHTTPTypes
import Testing

@Suite("Proxy selection")
struct ProxySelectorTests {
  private func choice(
    _ configuration: ProxyConfiguration, _ variables: [String: String], _ url: String
  ) throws -> String? {
    switch try select(configuration, variables, url) {
    case .direct: return nil
    case .through(let proxy): return proxy.description
    case .unusable(let reason): return "! \(reason)"
    }
  }

  private func select(
    _ configuration: ProxyConfiguration, _ variables: [String: String], _ url: String
  ) throws -> ProxySelector<HTTPProxy>.Choice {
    ProxySelector(configuration, variables: variables) { $0 }.choice(for: try HTTPURL(url))
  }

  private func proxy(
    _ configuration: ProxyConfiguration, _ variables: [String: String], _ url: String
  ) throws -> HTTPProxy? {
    if case .through(let proxy) = try select(configuration, variables, url) { return proxy }
    return nil
  }

  struct Case: Sendable {
    let variables: [String: String]
    let url: String
    let proxy: String?

    init(_ variables: [String: String], _ url: String, _ proxy: String?) {
      self.variables = variables
      self.url = url
      self.proxy = proxy
    }
  }

  static let all = [
    "http_proxy": "h.test:1", "https_proxy": "https://s.test:2", "all_proxy": "socks5h://a.test:3",
    "no_proxy": "direct.test,[::1]:81",
  ]

  @Test(
    "PRX-01: the environment is honoured when the configuration says so",
    arguments: [
      Case(all, "http://x.test/", "http://h.test:1"), Case(all, "https://x.test/", "https://s.test:2"),
      Case(all, "ws://x.test/", "http://h.test:1"), Case(all, "wss://x.test/", "https://s.test:2"),
      Case(all, "http://direct.test/", nil), Case(all, "https://a.direct.test:8443/", nil),
      Case(all, "http://[::1]:81/", nil),
      Case(all, "http://[::1]/", "http://h.test:1"),
      Case(["all_proxy": "socks5://a.test"], "https://x.test/", "socks5://a.test:1080"),
      Case(["ALL_PROXY": "a.test", "NO_PROXY": "*"], "https://x.test/", nil),
      Case(["ALL_PROXY": "a.test", "NO_PROXY": "*", "no_proxy": ""], "https://x.test/", "http://a.test:1080"),
      Case(["http_proxy": "", "all_proxy": "a.test"], "http://x.test/", nil), Case([:], "http://x.test/", nil),
      Case(["HTTP_PROXY": "h.test"], "http://x.test/", "http://h.test:1080"),
      Case(["HTTP_PROXY": "h.test", "REQUEST_METHOD": "GET"], "http://x.test/", nil),
      Case(["no_proxy": "*"], "http://x.test/", nil),
      // Nothing is direct by itself, as with curl.
      Case(["http_proxy": "h.test"], "http://127.0.0.1/", "http://h.test:1080"),
      Case(["http_proxy": "h.test"], "http://localhost/", "http://h.test:1080"),
      Case(["http_proxy": "h.test", "no_proxy": "127.0.0.1"], "http://127.1/", nil),
    ])
  func environment(item: Case) throws {
    #expect(try choice(.environment, item.variables, item.url) == item.proxy)
    #expect(try choice(.direct, item.variables, item.url) == nil)
  }

  @Test("PRX-01: credentials of a variable belong to the proxy")
  func credentials() throws {
    let variables = ["https_proxy": "http://joe:s3%63ret@p.test:8080/"]
    #expect(
      try proxy(.environment, variables, "https://x.test/")
        == HTTPProxy(kind: .http, host: "p.test", port: 8080, credentials: .basic(user: "joe", password: "s3cret")))
  }

  @Test("what is set for the proxies of variables goes before what their URLs say, and is for no other proxy")
  func settingsOfVariables() throws {
    var configuration = ProxyConfiguration.environment
    configuration.environmentCredentials = .basic(user: "me", password: "pw")
    configuration.environmentHeaders = ["X-P": "1"]
    configuration.environmentTLS = TLSConfiguration()
    let variables = ["http_proxy": "http://joe:x@p.test:1", "https_proxy": "https://q.test:2"]
    for url in ["http://x.test/", "https://x.test/"] {
      let proxy = try #require(try proxy(configuration, variables, url))
      #expect(proxy.credentials == configuration.environmentCredentials && proxy.headers == ["X-P": "1"])
      #expect(proxy.tls == TLSConfiguration())
    }
    configuration.proxy = try HTTPProxy("own.test")
    #expect(try proxy(configuration, variables, "http://x.test/") == HTTPProxy("own.test"))
    configuration.proxy = nil
    configuration.environmentHeaders.add("X", "a\r\nb")
    #expect(try choice(configuration, variables, "http://x.test/")?.hasPrefix("! ") == true)
  }

  @Test("each source has a switch of its own")
  func switches() throws {
    var configuration = ProxyConfiguration.environment
    configuration.usesNoProxyVariable = false
    #expect(try choice(configuration, Self.all, "http://direct.test/") == "http://h.test:1")
    configuration = .fixed(try HTTPProxy("own.test"), exceptions: ["except.test", "a.test,b.test"])
    #expect(try choice(configuration, Self.all, "http://x.test/") == "http://own.test:1080")
    #expect(try choice(configuration, Self.all, "http://direct.test/") == "http://own.test:1080")
    for host in ["except.test", "b.test"] { #expect(try choice(configuration, Self.all, "https://\(host)/") == nil) }
    configuration.usesNoProxyVariable = true
    #expect(try choice(configuration, Self.all, "http://direct.test/") == nil)
    #expect(try choice(configuration, Self.all, "http://except.test/") == nil)
  }

  @Test("a proxy of the configuration's own comes before those of the environment")
  func precedence() throws {
    var configuration = ProxyConfiguration.environment
    configuration.proxy = try HTTPProxy("socks5://own.test")
    for url in ["http://x.test/", "https://x.test/"] {
      #expect(try choice(configuration, Self.all, url) == "socks5://own.test:1080")
    }
  }

  @Test(
    "a variable that names no proxy fails the requests that it is for, by its name and without its value",
    arguments: [
      ("http_proxy", "http://p.test/path/s3cret", "it has a path"),
      ("HTTPS_PROXY", "ftp://s3cret", "its scheme \"ftp\""),
      ("all_proxy", "http://joe:s3cret@p.test:x", "its port"), ("ALL_PROXY", " ", "it is empty"),
      ("https_proxy", "http://joe:s3/cret@p.test", "must be percent-encoded"),
    ])
  func unusableVariable(name: String, value: String, reason: String) throws {
    let variables = [name: value, "no_proxy": "direct.test"]
    let scheme = name == "http_proxy" ? "http" : "https"
    let message = try #require(try choice(.environment, variables, "\(scheme)://x.test/"))
    #expect(message.hasPrefix("! ") && message.contains(name) && message.contains(reason) && !message.contains("s3"))
    #expect(try choice(.environment, variables, "\(scheme)://direct.test/") == nil)
    if name == "http_proxy" { #expect(try choice(.environment, variables, "https://x.test/") == nil) }
  }

  @Test("a proxy that was put together by hand is checked and normalised")
  func byHand() throws {
    #expect(try choice(.fixed(HTTPProxy(kind: .http, host: "P.Test")), [:], "http://x.test/") == "http://p.test:1080")
    #expect(try choice(.fixed(HTTPProxy(kind: .socks5, host: "[::1]")), [:], "http://x.test/") == "socks5://[::1]:1080")
    #expect(
      try choice(.fixed(HTTPProxy(kind: .socks5, host: "0:0::1")), [:], "http://x.test/") == "socks5://[::1]:1080")
    var withHeader = HTTPProxy(kind: .http, host: "p.test")
    withHeader.headers.add("X", "a\r\nb")
    for proxy in [
      HTTPProxy(kind: .http, host: ""), HTTPProxy(kind: .http, host: "a b"), HTTPProxy(kind: .http, host: "a", port: 0),
      withHeader,
    ] {
      #expect(try choice(.fixed(proxy), [:], "http://x.test/")?.hasPrefix("! ") == true)
    }
  }
}
