import LinnetProtocols
import LinnetTestRandom
import Testing

/// The list of PRX-02.
private let reported = ".d.test,127.0.0.0/8,localhost:8080,::1,*.x.test"

/// Lists and hosts, as a table: `true` is a direct connection.
@Suite("no_proxy")
struct NoProxyListTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let list: String
    let host: String
    let port: UInt16
    let isDirect: Bool

    init(_ list: String, _ host: String, _ port: UInt16, _ isDirect: Bool) {
      self.list = list
      self.host = host
      self.port = port
      self.isDirect = isDirect
    }

    init(_ list: String, _ host: String, _ isDirect: Bool) { self.init(list, host, 80, isDirect) }

    var testDescription: String { "[\(list)] \(host):\(port) \(isDirect ? "direct" : "proxy")" }
  }

  private func check(_ item: Case) {
    #expect(NoProxyList(item.list).contains(host: item.host, port: item.port) == item.isDirect)
  }

  @Test(
    "PRX-02: the list of the report",
    arguments: [
      Case(reported, "a.d.test", true), Case(reported, "d.test", true), Case(reported, "a.b.d.test", true),
      Case(reported, "ad.test", false), Case(reported, "d.test.example", false), Case(reported, "A.D.TEST", true),
      Case(reported, "127.0.0.1", true), Case(reported, "127.255.255.255", true), Case(reported, "128.0.0.1", false),
      Case(reported, "126.255.255.255", false), Case(reported, "localhost", 8080, true),
      Case(reported, "localhost", 80, false),
      Case(reported, "localhost", 443, false), Case(reported, "::1", true), Case(reported, "::2", false),
      Case(reported, "a.x.test", true), Case(reported, "a.b.x.test", true), Case(reported, "x.test", false),
      Case(reported, "ax.test", false), Case(reported, "example.com", false), Case(reported, "::ffff:127.0.0.1", true),
      Case(reported, "::ffff:128.0.0.1", false), Case(reported, "", false),
    ])
  func report(item: Case) { check(item) }

  @Test(
    "PRX-02: a name matches itself and every name below it, in any case and with a dot at either end",
    arguments: [
      Case("example.com", "example.com", true), Case("example.com", "www.example.com", true),
      Case("example.com", "a.b.c.example.com", true), Case("example.com", "badexample.com", false),
      Case("example.com", "example.com.evil.test", false), Case("example.com", "example.co", false),
      Case("example.com", "com", false), Case("example.com", "EXAMPLE.com", true),
      Case("EXAMPLE.COM", "example.com", true),
      Case("Example.Com", "wWw.eXample.com", true), Case("example.com.", "example.com", true),
      Case("example.com", "example.com.", true), Case("example.com.", "example.com.", true),
      Case("example.com.", "www.example.com", true), Case("example.com", "www.example.com.", true),
      Case(".example.com", "example.com", true), Case(".example.com", "www.example.com", true),
      Case(".example.com", "badexample.com", false), Case(".example.com.", "example.com", true),
      Case(".example.com", "example.com.", true), Case("com", "example.com", true),
      Case("localhost", "localhost", true),
      Case("localhost", "localhost.localdomain", false), Case("localhost", "a.localhost", true),
      Case("my_host", "my_host", true), Case("bücher.example", "xn--bcher-kva.example", true),
      Case("xn--bcher-kva.example", "xn--bcher-kva.example", true),
      Case("BÜCHER.example", "www.xn--bcher-kva.example", true),
      Case("www.example.com", "example.com", false), Case("a.example.com", "b.example.com", false),
      Case("..example.com", "example.com", false),
    ])
  func names(item: Case) { check(item) }

  @Test(
    "PRX-02: *.name matches every name below it, and * everything",
    arguments: [
      Case("*", "example.com", true), Case("*", "127.0.0.1", true), Case("*", "::1", true), Case("*", "a", 1, true),
      Case("a,*", "example.com", true), Case("* , a", "example.com", true), Case("*:80", "example.com", 80, true),
      Case("*:80", "example.com", 443, false), Case("*:443", "::1", 443, true),
      Case("*.example.com", "a.example.com", true),
      Case("*.example.com", "a.b.example.com", true), Case("*.example.com", "example.com", false),
      Case("*.example.com", "aexample.com", false), Case("*.EXAMPLE.com", "a.example.com", true),
      Case("*.example.com.", "a.example.com.", true), Case("*.example.com:8080", "a.example.com", 8080, true),
      Case("*.example.com:8080", "a.example.com", 80, false), Case("*.com", "example.com", true),
      Case("*.", "example.com", false), Case("*example.com", "www.example.com", false),
      Case("*example.com", "badexample.com", false), Case("ex*mple.com", "example.com", false),
      Case("www.*", "www.example.com", false), Case("**", "example.com", false), Case("*.*", "example.com", false),
      Case("*.0.0.1", "127.0.0.1", false), Case("*.*.com", "a.b.com", false),
    ])
  func wildcards(item: Case) { check(item) }

  @Test(
    "PRX-02: an entry with a port matches that port alone",
    arguments: [
      Case("example.com:8080", "example.com", 8080, true), Case("example.com:8080", "example.com", 80, false),
      Case("example.com:8080", "www.example.com", 8080, true), Case("example.com:8080", "www.example.com", 8081, false),
      Case(".example.com:8080", "a.example.com", 8080, true), Case(".example.com:8080", "a.example.com", 443, false),
      Case("127.0.0.1:8080", "127.0.0.1", 8080, true), Case("127.0.0.1:8080", "127.0.0.1", 80, false),
      Case("[::1]:8080", "::1", 8080, true), Case("[::1]:8080", "::1", 80, false),
      Case("10.0.0.0/8:8080", "10.1.2.3", 8080, true), Case("10.0.0.0/8:8080", "10.1.2.3", 80, false),
      Case("fd00::/8:8080", "fd12::1", 8080, true), Case("fd00::/8:8080", "fd12::1", 80, false),
      Case("[fd00::]/8:8080", "fd12::1", 8080, true), Case("example.com:65535", "example.com", 65535, true),
      Case("example.com:0", "example.com", 0, true), Case("example.com:65536", "example.com", 80, false),
      Case("example.com:65536", "example.com", 0, false), Case("example.com:", "example.com", 80, false),
      Case("example.com:x", "example.com", 80, false), Case("example.com:+80", "example.com", 80, false),
      Case("example.com:080", "example.com", 80, true), Case(":80", "example.com", 80, false),
      Case("a:1:2", "a", 2, false), Case("example.com:80,example.com:443", "example.com", 443, true),
    ])
  func ports(item: Case) { check(item) }

  @Test(
    "PRX-02: an address matches in whatever spelling, and no name",
    arguments: [
      Case("127.0.0.1", "127.0.0.1", true), Case("127.0.0.1", "127.0.0.2", false), Case("127.1", "127.0.0.1", true),
      Case("0x7f.0.0.1", "127.0.0.1", true), Case("0177.0.0.1", "127.0.0.1", true),
      Case("2130706433", "127.0.0.1", true),
      Case("::1", "::1", true), Case("[::1]", "::1", true), Case("0:0:0:0:0:0:0:1", "::1", true),
      Case("0000:0000:0000:0000:0000:0000:0000:0001", "::1", true), Case("2001:DB8::1", "2001:db8::1", true),
      Case("2001:db8:0:0::1", "2001:db8::1", true), Case("2001:db8::1", "2001:db8::2", false),
      Case("[2001:db8::1", "2001:db8::1", false), Case("2001:db8::1]", "2001:db8::1", false),
      Case("::ffff:127.0.0.1", "127.0.0.1", true), Case("127.0.0.1", "::ffff:7f00:1", true),
      Case("::ffff:7f00:1", "127.0.0.1", true), Case("[127.0.0.1]", "127.0.0.1", false),
      Case("127.0.0.1", "localhost", false),
      Case("localhost", "127.0.0.1", false), Case("0.0.1", "127.0.0.1", false), Case("1", "127.0.0.1", false),
      Case(".0.0.1", "127.0.0.1", false), Case(".127.0.0.1", "127.0.0.1", false), Case("127.0.0.1.", "127.0.0.1", true),
      Case("fe80::1%eth0", "fe80::1", false), Case("256.0.0.1", "0.0.0.1", false),
      Case("127.0.0.1.example.com", "127.0.0.1", false),
      Case("0.0.0.0", "0.0.0.0", true), Case("::", "::", true), Case("::", "::1", false),
    ])
  func addresses(item: Case) { check(item) }

  @Test(
    "PRX-02: a block matches the addresses that share its prefix",
    arguments: [
      Case("10.0.0.0/8", "10.0.0.0", true), Case("10.0.0.0/8", "10.255.255.255", true),
      Case("10.0.0.0/8", "11.0.0.0", false),
      Case("10.0.0.0/8", "9.255.255.255", false), Case("10.1.2.3/8", "10.9.9.9", true),
      Case("192.168.0.0/16", "192.168.77.1", true),
      Case("192.168.0.0/16", "192.169.0.1", false), Case("172.16.0.0/12", "172.31.255.255", true),
      Case("172.16.0.0/12", "172.32.0.0", false), Case("192.0.2.128/25", "192.0.2.200", true),
      Case("192.0.2.128/25", "192.0.2.127", false), Case("192.0.2.7/32", "192.0.2.7", true),
      Case("192.0.2.7/32", "192.0.2.8", false),
      Case("192.0.2.6/31", "192.0.2.7", true), Case("0.0.0.0/0", "203.0.113.9", true), Case("0.0.0.0/0", "::1", false),
      Case("0.0.0.0/0", "example.com", false), Case("::/0", "2001:db8::1", true), Case("::/0", "10.0.0.1", false),
      Case("fd00::/8", "fdff::1", true), Case("fd00::/8", "fe00::1", false), Case("[fd00::]/8", "fdff::1", true),
      Case("2001:db8::/32", "2001:db8:ffff::1", true), Case("2001:db8::/32", "2001:db9::1", false),
      Case("::1/128", "::1", true),
      Case("::1/128", "::2", false), Case("fe80::/10", "febf::1", true), Case("fe80::/10", "fec0::1", false),
      Case("::ffff:10.0.0.0/104", "10.1.2.3", true), Case("::ffff:10.0.0.0/104", "11.1.2.3", false),
      Case("10.0.0.0/8", "::ffff:10.1.2.3", true), Case("10.0.0.0/33", "10.0.0.0", false),
      Case("::1/129", "::1", false),
      Case("10.0.0.0/", "10.0.0.0", false), Case("10.0.0.0/x", "10.0.0.0", false),
      Case("10.0.0.0/-1", "10.0.0.0", false),
      Case("10.0.0.0/+8", "10.0.0.0", false), Case("10.0.0.0/8/8", "10.0.0.0", false), Case("10/8", "10.1.2.3", false),
      Case("/8", "10.0.0.0", false), Case("example.com/8", "example.com", false), Case("10.0.0.0/08", "10.1.2.3", true),
      Case("10.0.0.0/255.0.0.0", "10.1.2.3", false), Case("10.0.0.0/8", "name.10.0.0.1.test", false),
    ])
  func blocks(item: Case) { check(item) }

  @Test(
    "PRX-02: entries are separated by commas and blanks of any number, and nonsense is passed over",
    arguments: [
      Case("a.test,b.test", "b.test", true), Case("a.test, b.test", "b.test", true),
      Case(" a.test ,b.test ", "a.test", true),
      Case("a.test b.test", "b.test", true), Case("a.test\tb.test", "b.test", true),
      Case("a.test\nb.test", "b.test", true),
      Case("a.test\r\n", "a.test", true), Case(",,a.test,,", "a.test", true), Case(", ,", "a.test", false),
      Case("", "a.test", false),
      Case(" ", "a.test", false), Case(",", "", false), Case(".", "a.test", false), Case(".", "", false),
      Case("..", "a.test", false),
      Case("[", "a.test", false), Case("[]", "a.test", false), Case("]:80", "a.test", false),
      Case("a.test;b.test", "b.test", false),
      Case("http://a.test", "a.test", false), Case("a|b,c.test", "c.test", true), Case("%zz,c.test", "c.test", true),
      Case("\u{0},c.test", "c.test", true), Case("user@a.test", "a.test", false), Case("-,c.test", "c.test", true),
    ])
  func separators(item: Case) { check(item) }

  @Test("a list without entries is empty")
  func empty() {
    #expect(NoProxyList("").isEmpty && NoProxyList(" , ").isEmpty && !NoProxyList("a").isEmpty)
  }

  @Test("random lists and hosts give a verdict", arguments: 0..<4)
  func totality(seed: UInt64) {
    var generator = SeededGenerator(seed: 0x90 + seed)
    let pieces = [
      "*", ".", ":", "/", "[", "]", ",", " ", "a", "test", "::1", "10.0.0.0", "8", "80", "é", "%41", "\u{7F}", "xn--",
      "0x", "-",
    ]
    for _ in 0..<(isLong ? 200_000 : 5000) {
      let list = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }
      let host = (0..<Int.random(in: 0...4, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? ""
      }
      _ = NoProxyList(list.joined()).contains(host: host.joined(), port: 80)
    }
  }
}
