import LinnetHTTPTypes
import LinnetPolicies
import LinnetTestRandom
import Testing

@Suite struct CacheControlTests {
  private func parse(_ values: String...) -> CacheControl {
    CacheControl(HTTPHeaders(values.map { HTTPHeader("Cache-Control", $0) }))
  }

  @Test(
    "directives are found whatever their spelling, and nothing is found inside quotes",
    arguments: [
      ("no-store", "no-store"), ("NO-STORE", "no-store"), (" no-store , no-cache ", "no-store no-cache"),
      (",,no-store,,", "no-store"), ("max-age=60", "max-age=60"), ("MAX-AGE=60", "max-age=60"),
      ("max-age=\"60\"", "max-age=60"), ("max-age = 60", "max-age=60"),
      ("private=\"Set-Cookie, no-store\"", "private=Set-Cookie, no-store"),
      ("private=\"a\\\"b, no-store\", max-age=1", "private=a\"b, no-store max-age=1"),
      ("foo=\"no-store", "foo=no-store"), ("no-store;", "no-store"), ("no-store x", "no-store"),
      ("extension, other=\"\"", "extension other="), ("", ""), ("=60", ""), ("\"no-store\"", ""),
      ("max-age=", "max-age="), ("max-age=\"1\"2", "max-age=12"),
    ])
  func directives(value: String, expected: String) {
    let found = parse(value).directives.map { found in
      found.argument.map { "\(found.name)=\($0)" } ?? found.name
    }
    #expect(found.joined(separator: " ") == expected)
  }

  @Test("the directives of all fields count")
  func severalFields() {
    let control = parse("no-cache", "max-age=5")
    #expect(control.hasNoCache)
    #expect(control.seconds("max-age") == .valid(.seconds(5)))
  }

  @Test(
    "a time is digits, once; everything else is invalid and not absent",
    arguments: [
      ("", CacheControl.Seconds.absent), ("max-age=0", .valid(.zero)), ("max-age=007", .valid(.seconds(7))),
      ("max-age=2147483648", .valid(.seconds(2_147_483_648))),
      ("max-age=99999999999999999999999999", .valid(.seconds(2_147_483_648))), ("max-age", .invalid),
      ("max-age=", .invalid), ("max-age=-1", .invalid), ("max-age=1.5", .invalid), ("max-age=1s", .invalid),
      ("max-age='1'", .invalid), ("max-age=1 2", .invalid), ("max-age=1, max-age=1", .invalid),
      ("max-age=1, max-age=2", .invalid), ("max-age=x, max-age=2", .invalid), ("x-max-age=1", .absent),
      ("s-maxage=1", .absent),
    ])
  func seconds(value: String, expected: CacheControl.Seconds) {
    #expect(parse(value).seconds("max-age") == expected)
  }

  @Test("no text traps, and a directive that stands alone in front of any text is found")
  func randomText() {
    var random = SeededGenerator(seed: 7)
    let alphabet = Array("no-store,=\"\\ ;\tmaxage0123456789é'()".unicodeScalars)
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0..<30, using: &random) {
        text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
      }
      let control = parse("no-store," + text)
      #expect(control.hasNoStore, "\(text)")
      if case .valid(let duration) = control.seconds("max-age") {
        #expect(duration >= .zero && duration <= CacheControl.longestTime, "\(text)")
      }
    }
  }
}
