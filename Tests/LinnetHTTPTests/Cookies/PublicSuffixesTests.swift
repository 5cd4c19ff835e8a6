import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite struct PublicSuffixesTests {
  private static let list = PublicSuffixes(
    list: Array(
      """
      // comment
      com
      uk
      co.uk   trailing text
      *.ck
      !www.ck
      公司.cn
      *.kawasaki.jp\r
      !city.kawasaki.jp
      // ===BEGIN PRIVATE DOMAINS===
      github.io
      """.utf8))

  @Test(
    "rules, wildcards, exceptions and names in Unicode are followed; an unknown name with one label is a suffix",
    arguments: [
      ("com", true), ("example.com", false), ("co.uk", true), ("uk", true), ("a.co.uk", false), ("a.uk", false),
      ("ck", true), ("any.ck", true), ("a.any.ck", false), ("www.ck", false), ("a.www.ck", false),
      ("xn--55qx5d.cn", true), ("a.xn--55qx5d.cn", false), ("any.kawasaki.jp", true), ("city.kawasaki.jp", false),
      ("github.io", true), ("b.github.io", false), ("unknown", true), ("a.unknown", false), ("localhost", true),
      ("com.", true), ("co.uk.", true), ("example.com.", false), ("", true),
    ])
  func rules(name: String, isSuffix: Bool) { #expect(Self.list.contains(name) == isSuffix) }

  @Test(
    "without a list a rule of thumb remains",
    arguments: [
      ("com", true), ("localhost", true), ("co.uk", true), ("com.au", true), ("org.xx", true), ("example.com", false),
      ("a.co.uk", false), ("co.example", false), ("x.de", false), ("github.io", false), ("t.co", false),
      ("co.99", false),
    ])
  func ruleOfThumb(name: String, isSuffix: Bool) {
    #expect(PublicSuffixes.ruleOfThumb.contains(name) == isSuffix)
    #expect(PublicSuffixes.load("/nonexistent/list").contains(name) == isSuffix)
  }

  @Test("any bytes make a list")
  func garbage() {
    let list = PublicSuffixes(
      list: [0xFF, 0x0A, 0x21, 0x0A, 0x2A, 0x2E, 0x0A, 0x2E, 0x0A, 0x00] + Array("\n%zz\ncom".utf8))
    #expect(list.contains("com"))
    #expect(!list.contains("a.com"))
  }
}
