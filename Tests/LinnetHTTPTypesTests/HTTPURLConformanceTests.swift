import LinnetHTTPTypes
import Testing

/// The vectors of web-platform-tests for parsing and percent-encoding.
///
/// Differences that are kept, all of them because the engine speaks four schemes only:
///
/// | Vector | The standard | Here | Reason |
/// | --- | --- | --- | --- |
/// | input with another scheme | a URL or a failure | `unsupportedScheme` | nothing else could be sent |
/// | relative input, base with another scheme | a URL or a failure | the base is `unsupportedScheme` | as above |
/// | origin of `ws:` and `wss:` | `ws://h`, `wss://h` | `http://h`, `https://h` | it names the connection |
///
/// The first two are checked below to give exactly that error.
@Suite(.enabled(if: WebPlatformTests.isPresent, WebPlatformTests.comment))
struct HTTPURLConformanceTests {
  struct ParseCase: Decodable {
    var input: String
    var base: String?
    var failure: Bool?
    var href: String?
    var origin: String?
    var `protocol`: String?
    var username: String?
    var password: String?
    var host: String?
    var hostname: String?
    var port: String?
    var pathname: String?
    var search: String?
    var hash: String?
  }

  private func scheme(of text: String) -> String? {
    let cleaned = text.unicodeScalars.drop { $0.value <= 0x20 }.filter { !"\t\n\r".unicodeScalars.contains($0) }
    guard let colon = cleaned.firstIndex(of: ":"), let first = cleaned.first, first.properties.isAlphabetic else {
      return nil
    }
    let name = cleaned[..<colon]
    let isName = name.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
    }
    return isName ? String(String.UnicodeScalarView(name)).lowercased() : nil
  }

  private func isSupported(_ scheme: String) -> Bool { HTTPURL.Scheme(rawValue: scheme) != nil }

  @Test("urltestdata: every input parses to the parts that the standard gives, or fails")
  func parsing() throws {
    let cases = try WebPlatformTests.load("urltestdata", as: ParseCase.self)
    var compared = 0
    for test in cases {
      var base: HTTPURL?
      if let text = test.base {
        if let scheme = scheme(of: text), !isSupported(scheme) {
          #expect(throws: HTTPURLError.unsupportedScheme(scheme)) { try HTTPURL(text) }
          guard self.scheme(of: test.input).map(isSupported) == true else { continue }
        } else {
          base = try? HTTPURL(text)
        }
      }
      if let scheme = scheme(of: test.input), !isSupported(scheme) {
        let error = #expect(throws: HTTPURLError.self) { try parse(test.input, base) }
        guard case .unsupportedScheme = error else {
          Issue.record("\(test.input.debugDescription): \(String(describing: error))")
          continue
        }
        continue
      }
      compared += 1
      let url = try? parse(test.input, base)
      if test.failure == true {
        #expect(url == nil, "\(test.input.debugDescription) against \(test.base ?? "-")")
      } else {
        compare(url, test)
      }
    }
    #expect(compared > 470)
  }

  private func parse(_ input: String, _ base: HTTPURL?) throws(HTTPURLError) -> HTTPURL {
    if let base { try base.resolve(input) } else { try HTTPURL(input) }
  }

  private func compare(_ parsed: HTTPURL?, _ test: ParseCase) {
    let label: Comment = "\(test.input.debugDescription) against \(test.base ?? "-")"
    guard let url = parsed else {
      Issue.record("\(label) is refused")
      return
    }
    #expect(url.description == test.href, label)
    #expect(url.scheme.rawValue + ":" == test.protocol, label)
    #expect(url.username == test.username, label)
    #expect(url.password == test.password, label)
    #expect(url.hostHeaderValue == test.host, label)
    #expect((url.host.contains(":") ? "[\(url.host)]" : url.host) == test.hostname, label)
    #expect(url.port.map(String.init) ?? "" == test.port, label)
    #expect(url.path == test.pathname, label)
    #expect(prefixed("?", url.query) == test.search, label)
    #expect(prefixed("#", url.fragment) == test.hash, label)
    #expect(url.requestTarget.description == url.path + (url.query.map { "?" + $0 } ?? ""), label)
    if let origin = test.origin {
      let mapped = origin.hasPrefix("ws") ? "http" + origin.dropFirst(2) : origin
      #expect(url.origin.description == mapped, label)
    }
    #expect((try? HTTPURL(url.description)) == url, label)
  }

  private func prefixed(_ mark: String, _ part: String?) -> String {
    part.map { $0.isEmpty ? "" : mark + $0 } ?? ""
  }

  struct EncodingCase: Decodable {
    var input: String
    var output: [String: String]
  }

  @Test("percent-encoding: query and fragment are encoded as UTF-8, what may stand is kept")
  func percentEncoding() throws {
    // Other encodings than UTF-8 in the vectors belong to pages, which the engine does not have.
    for test in try WebPlatformTests.load("percent-encoding", as: EncodingCase.self) {
      guard let expected = test.output["utf-8"] else { continue }
      let url = try HTTPURL("https://doesnotmatter.invalid/?\(test.input)#\(test.input)")
      #expect(url.query == expected)
      #expect(url.fragment == expected)
    }
  }
}
