import LinnetHTTP
import LinnetTestRandom
import Testing

@Suite("Proxy URLs")
struct HTTPProxyURLTests {
  struct Case: Sendable {
    let text: String
    let url: String
    let credentials: HTTPCredentials?

    init(_ text: String, _ url: String, _ credentials: HTTPCredentials? = nil) {
      self.text = text
      self.url = url
      self.credentials = credentials
    }
  }

  @Test(
    "[scheme://][user[:password]@]host[:port][/]",
    arguments: [
      Case("proxy.test", "http://proxy.test:1080"), Case("proxy.test:3128", "http://proxy.test:3128"),
      Case("http://proxy.test", "http://proxy.test:1080"), Case("http://proxy.test/", "http://proxy.test:1080"),
      Case("http://proxy.test:/", "http://proxy.test:1080"), Case("HTTP://Proxy.TEST:80", "http://proxy.test:80"),
      Case("https://proxy.test", "https://proxy.test:443"), Case("https://proxy.test:8443", "https://proxy.test:8443"),
      Case("socks5://proxy.test", "socks5://proxy.test:1080"),
      Case("SOCKS5H://proxy.test:9050", "socks5h://proxy.test:9050"),
      Case("socks4a://proxy.test", "socks4a://proxy.test:1080"),
      Case("socks4://proxy.test", "socks4a://proxy.test:1080"),
      Case("socks://127.0.0.1:1080/", "socks4a://127.0.0.1:1080"), Case("127.0.0.1:8080", "http://127.0.0.1:8080"),
      Case("127.1:8080", "http://127.0.0.1:8080"), Case("[::1]", "http://[::1]:1080"),
      Case("[::1]:3128", "http://[::1]:3128"),
      Case("socks5h://[2001:DB8::1]:1", "socks5h://[2001:db8::1]:1"),
      Case("bücher.test:1", "http://xn--bcher-kva.test:1"),
      Case(" proxy.test:1\r\n", "http://proxy.test:1"), Case("localhost", "http://localhost:1080"),
      Case("proxy.test:65535", "http://proxy.test:65535"), Case("proxy.test:00080", "http://proxy.test:80"),
      Case("joe@proxy.test", "http://proxy.test:1080", .basic(user: "joe", password: "")),
      Case("joe:pw@proxy.test", "http://proxy.test:1080", .basic(user: "joe", password: "pw")),
      Case("http://joe:p:w@proxy.test:1/", "http://proxy.test:1", .basic(user: "joe", password: "p:w")),
      Case("http://joe:p@w@proxy.test", "http://proxy.test:1080", .basic(user: "joe", password: "p@w")),
      Case("http://j%6Fe:%40%3A%2F%25@proxy.test", "http://proxy.test:1080", .basic(user: "joe", password: "@:/%")),
      Case("http://joe:%C3%A9@proxy.test", "http://proxy.test:1080", .basic(user: "joe", password: "é")),
      Case("http://joe:é%@proxy.test", "http://proxy.test:1080", .basic(user: "joe", password: "é%")),
      Case("socks5://joe:a b+c@[::1]:9", "socks5://[::1]:9", .basic(user: "joe", password: "a b+c")),
      Case(":pw@proxy.test", "http://proxy.test:1080", .basic(user: "", password: "pw")),
      Case("@proxy.test", "http://proxy.test:1080"),
    ])
  func valid(item: Case) throws {
    let proxy = try HTTPProxy(item.text)
    #expect(proxy.description == item.url)
    #expect(proxy.credentials == item.credentials)
  }

  @Test(
    "what is no proxy's URL is refused, and the error never shows what may be a password",
    arguments: [
      ("", .empty), (" \t", .empty), ("ftp://s3cret", .unsupportedScheme("ftp")),
      ("socks6://s3cret", .unsupportedScheme("socks6")),
      ("socks5a://s3cret", .unsupportedScheme("socks5a")), ("file:///s3cret", .unsupportedScheme("file")),
      ("http://", .missingHost),
      ("http:///", .missingHost), ("http://:3128", .missingHost), ("http://joe:s3cret@", .missingHost),
      ("http://joe:s3cret@:3128", .missingHost), ("http://joe:s3cret@/", .missingHost),
      ("http://proxy.test:s3cret", .invalidPort),
      ("joe:s3cret", .invalidPort), ("proxy.test:0", .invalidPort), ("proxy.test:65536", .invalidPort),
      ("proxy.test:-1", .invalidPort),
      ("proxy.test:+80", .invalidPort), ("proxy.test:80:80", .invalidPort), ("proxy.test:8 0", .invalidPort),
      ("joe:s3cret@proxy.test:x", .invalidPort), ("[::1]x", .invalidPort), ("[::1]:x", .invalidPort),
      ("::1", .missingBrackets), ("http://joe:s3cret@2001:db8::1", .missingBrackets),
      ("http://proxy.test/s3cret", .path),
      ("http://proxy.test//", .path), ("proxy.test:1/a", .path), ("http://proxy.test?s3cret", .query),
      ("http://proxy.test/?s3cret", .query),
      ("http://proxy.test#s3cret", .fragment), ("http://proxy.test/#", .fragment),
      ("http://joe:s3/cret@proxy.test", .unescapedUserinfo),
      ("http://joe:s3?cret@proxy.test:1", .unescapedUserinfo), ("http://joe:s3#cret@proxy.test", .unescapedUserinfo),
      ("joe:x://s3cret@proxy.test", .unescapedUserinfo),
      ("http://joe:s3cret%FF@proxy.test", .invalidUserinfo), ("http://joe:s3cret%0A@proxy.test", .invalidUserinfo),
      ("http://joe%00:s3cret@proxy.test", .invalidUserinfo), ("[::1", .invalidHost(.notAnIPv6Address)),
      ("http://[proxy.test]", .invalidHost(.notAnIPv6Address)),
      ("http://[fe80::1%25eth0]:1", .invalidHost(.notAnIPv6Address)),
      ("http://a b", .invalidHost(.forbiddenCharacter(" "))),
      ("http://joe:s3cret@a|b", .invalidHost(.forbiddenCharacter("|"))),
      ("1.2.3.4.5", .invalidHost(.notAnIPv4Address)), ("256.0.0.1", .invalidHost(.notAnIPv4Address)),
    ] as [(String, ProxyURLError)])
  func invalid(text: String, error: ProxyURLError) {
    #expect(throws: error) { try HTTPProxy(text) }
    #expect(!"\(error)".contains("s3") && !String(reflecting: error).contains("s3"))
  }

  @Test("neither credentials nor headers show in descriptions, mirrors and dumps")
  func secrecy() throws {
    var proxy = try HTTPProxy("http://joe:s3cret@proxy.test:1")
    proxy.headers = ["X-Token": "s3cret"]
    let configuration = ProxyConfiguration.fixed(proxy)
    var dumped = ""
    dump(configuration, to: &dumped)
    dump(proxy, to: &dumped)
    for text in ["\(proxy)", String(reflecting: proxy), "\(configuration)", String(reflecting: configuration), dumped] {
      #expect(!text.contains("s3cret") && !text.contains("joe"))
    }
    #expect(proxy != (try HTTPProxy("http://joe:other@proxy.test:1")))
  }

  @Test("random texts give a proxy or an error", arguments: 0..<4)
  func totality(seed: UInt64) {
    var generator = SeededGenerator(seed: 0x11 + seed)
    let pieces = [
      "http", "socks5", "://", ":", "@", "/", "?", "#", "[", "]", "::1", "a", "test", ".", "80", "99999", "%", "%41",
      "%FF", "é", " ",
      "\u{0}", "1.2.3.4", "-", "xn--",
    ]
    for _ in 0..<TestSize.of(5000, long: 200_000) {
      let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? ""
      }
      _ = try? HTTPProxy(text.joined())
    }
  }
}
