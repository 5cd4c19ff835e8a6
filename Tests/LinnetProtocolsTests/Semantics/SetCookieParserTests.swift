import LinnetHTTPTypes
import LinnetProtocols
import LinnetTestRandom
import Testing

@Suite struct SetCookieParserTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  static let now = HTTPDate(secondsSince1970: 784_111_777)

  private func parse(_ text: String) throws(CookieProblem) -> SetCookie {
    try SetCookie(parsing: Array(text.utf8), now: Self.now)
  }

  private func problem(_ text: String) -> CookieProblem? {
    do throws(CookieProblem) {
      _ = try parse(text)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "the name ends at the first =, white space around both is dropped, and a pair without = is a value without a name",
    arguments: [
      ("a=b", "a", "b"), (" a = b ", "a", "b"), ("\ta\t=\tb\t", "a", "b"), ("a=b=c", "a", "b=c"), ("a==", "a", "="),
      ("a=", "a", ""), ("a", "", "a"), ("=a", "", "a"), ("==a", "", "=a"), ("a b=c d", "a b", "c d"),
      ("a=\"b; c\"", "a", "\"b"), ("a=b, c=d", "a", "b, c=d"), ("é=ü", "é", "ü"),
    ])
  func pair(text: String, name: String, value: String) throws {
    let cookie = try parse(text)
    #expect(cookie.name == Array(name.utf8))
    #expect(cookie.value == Array(value.utf8))
  }

  @Test("a field without name and value is ignored", arguments: ["", "=", " = ", ";", "; Path=/", "\t", "=;a=b"])
  func empty(text: String) { #expect(problem(text) == .empty) }

  @Test("every control character but a tab makes a field ignored, wherever it stands")
  func controls() throws {
    for byte in (UInt8.min...0x1F).filter({ $0 != 0x09 }) + [0x7F] {
      for text in [[0x61, byte, 0x3D, 0x62], Array("a=b; x=".utf8) + [byte]] {
        #expect(throws: CookieProblem.controlCharacter) { try SetCookie(parsing: text, now: Self.now) }
      }
    }
    #expect(try parse("a=b\tc").value == Array("b\tc".utf8))
  }

  @Test("name and value may have 4,096 bytes together, and attributes 1,024")
  func sizes() throws {
    #expect(try parse("a=" + String(repeating: "b", count: 4095)).value.count == 4095)
    #expect(problem("a=" + String(repeating: "b", count: 4096)) == .tooLarge)
    let path = "/" + String(repeating: "p", count: 1023)
    #expect(try parse("a=b; Path=\(path)").path == Array(path.utf8))
    #expect(try parse("a=b; Path=/x; Path=\(path)p").path == Array("/x".utf8))
    // What is ignored does not end the parsing.
    #expect(try parse("a=b; x=\(path)p; Secure").isSecure)
  }

  @Test("attributes are found without case, with white space around them, and the last of a kind counts")
  func attributes() throws {
    let cookie = try parse("a=b;SECURE; httponly=x ; pAth = /p ;Domain=.Example.COM; SameSite=LAX;; unknown=1; junk")
    #expect(cookie.isSecure && cookie.isHTTPOnly)
    #expect(cookie.path == Array("/p".utf8))
    #expect(cookie.domain == Array("example.com".utf8))
    #expect(cookie.sameSite == .lax)
    #expect(try parse("a=b; Domain=a.example; Domain=b.example").domain == Array("b.example".utf8))
    #expect(try parse("a=b; Domain=a.example; Domain=").domain.isEmpty)
    #expect(try parse("a=b; Path=/p; Path=q").path == nil)
    #expect(try parse("a=b; Path=/p; Path").path == nil)
    #expect(try parse("a=b; SameSite=Strict; SameSite=whatever").sameSite == nil)
    #expect(try parse("a=b; SameSite=none").sameSite == CookieRecord.SameSite.none)
    #expect(try !parse("a=b; \"Secure\"; Secure x").isSecure)
  }

  @Test(
    "Max-Age counts from now; what is no number is ignored; zero and less have expired",
    arguments: [
      ("1", 1), ("3600", 3600), ("007", 7), ("34559999", 34_559_999), ("34560001", 34_560_000),
      ("99999999999999999999999999", 34_560_000), ("0", .min), ("-1", .min), ("-99999999999999999999", .min),
      ("", nil), ("-", nil), ("+1", nil), ("1.5", nil), ("1s", nil), ("--1", nil), ("1 2", nil), ("٣", nil),
    ] as [(String, Int64?)])
  func maximumAge(text: String, seconds: Int64?) throws {
    let expected = seconds.map {
      $0 == .min ? HTTPDate.earliest : HTTPDate(secondsSince1970: Self.now.secondsSince1970 + $0)
    }
    #expect(try parse("a=b; Max-Age=\(text)").expires == expected)
  }

  @Test("Max-Age wins over Expires in either order, and a broken one does not")
  func precedence() throws {
    let date = "Expires=Mon, 07 Nov 1994 08:49:37 GMT"
    let minute = HTTPDate(secondsSince1970: Self.now.secondsSince1970 + 60)
    let day = HTTPDate(secondsSince1970: Self.now.secondsSince1970 + 86_400)
    #expect(try parse("a=b; \(date); Max-Age=60").expires == minute)
    #expect(try parse("a=b; Max-Age=60; \(date)").expires == minute)
    #expect(try parse("a=b; Max-Age=x; \(date)").expires == day)
    #expect(try parse("a=b; \(date); Expires=never").expires == day)
    #expect(try parse("a=b; Expires=never").expires == nil)
  }

  @Test("no lifetime exceeds 400 days")
  func cap() throws {
    let limit = HTTPDate(secondsSince1970: Self.now.secondsSince1970 + 400 * 86_400)
    #expect(try parse("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT").expires == limit)
    #expect(try SetCookie(parsing: Array("a=b; Max-Age=9".utf8), now: .latest).expires == .latest)
  }

  @Test("any bytes make a cookie or a problem")
  func anything() {
    var generator = SeededGenerator(seed: 6265)
    let pieces = [
      "a=b", ";", "=", "Max-Age=", "Expires=", "1-Jan-99 1:2:3", "Domain=", ".", "Path=/", "é", " ", "\t", "9",
    ]
    for _ in 0..<20_000 {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        if Int.random(in: 0..<4, using: &generator) == 0 {
          text.append(UInt8.random(in: .min ... .max, using: &generator))
        } else {
          text.append(contentsOf: (pieces.randomElement(using: &generator) ?? "").utf8)
        }
      }
      guard let cookie = try? SetCookie(parsing: text, now: Self.now) else { continue }
      #expect(cookie.name.count + cookie.value.count <= SetCookie.maximumBytes)
      #expect(cookie.name.count + cookie.value.count > 0)
    }
  }
}
