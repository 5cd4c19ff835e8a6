import LinnetHTTPTypes
import Testing

@Suite
struct PercentEncodingTests {
  @Test(
    "each rule encodes its set",
    arguments: [
      (PercentEncoding.Rule.fragment, "a \"<>`#?'%é", "a%20%22%3C%3E%60#?'%%C3%A9"),
      (.query, "a #'`?%", "a%20%23%27`?%"),
      (.path, "a/b?#{}^`'%", "a/b%3F%23%7B%7D%5E%60'%"), (.userinfo, "a:b@c/;=[]|\\", "a%3Ab%40c%2F%3B%3D%5B%5D%7C%5C"),
      (.component, "a&b=c+d%/,$'", "a%26b%3Dc%2Bd%25%2F%2C%24%27"), (.component, "-._~!*()", "-._~!*()"),
    ])
  func sets(_ rule: PercentEncoding.Rule, _ text: String, _ encoded: String) {
    #expect(PercentEncoding.encode(text, as: rule) == encoded)
  }

  @Test(
    "decoding undoes escapes and keeps a stray percent sign",
    arguments: [
      ("%41%2fb", "A/b"), ("%", "%"), ("%4", "%4"), ("%4g", "%4g"), ("100%25", "100%"), ("%%41", "%A"), ("%C3%A9", "é"),
    ])
  func decoding(_ text: String, _ decoded: String) {
    #expect(PercentEncoding.decode(text) == Array(decoded.utf8))
  }

  @Test("a component survives the way through a URL")
  func component() throws {
    let all = String(String.UnicodeScalarView((0x00..<0x100).compactMap { Unicode.Scalar($0) }))
    let url = try HTTPURL("https://h/?q=" + PercentEncoding.encode(all, as: .component))
    #expect(PercentEncoding.decode(try #require(url.query)) == Array(("q=" + all).utf8))
  }
}
