import FoundationEssentials
import Linnet
import Testing

@Suite("URL admission")
struct URLAdmissionTests {
  private let secure = URLAdmission(allowsInsecure: false)
  private let insecure = URLAdmission(allowsInsecure: true)

  private enum Outcome: Equatable {
    case admitted(String)
    case invalidBaseURL
    case invalidRequest
    case other
  }

  private func outcome(_ admission: URLAdmission, _ text: String) -> Outcome {
    do {
      return .admitted(try admission.admit(text).description)
    } catch {
      switch error {
      case .configuration(reason: .invalidBaseURL): return .invalidBaseURL
      case .configuration(reason: .invalidRequest): return .invalidRequest
      default: return .other
      }
    }
  }

  @Test(
    "A sound URL is admitted and normalised",
    arguments: [
      ("https://example.com", "https://example.com/"), ("HTTPS://Example.COM/A", "https://example.com/A"),
      ("https://example.com:443/", "https://example.com/"), ("https://example.com:8443/", "https://example.com:8443/"),
      ("https://example.com:/", "https://example.com/"), ("https://[::1]/", "https://[::1]/"),
      ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x"), ("https://127.0.0.1/", "https://127.0.0.1/"),
      ("https://bücher.example/", "https://xn--bcher-kva.example/"), ("https://例.jp/", "https://xn--fsq.jp/"),
      ("https://%E4%BE%8B.jp/", "https://xn--fsq.jp/"),
      ("https://h/a%2Fb?x=%23&y=../..", "https://h/a%2Fb?x=%23&y=../.."),
      ("https://h?x=1", "https://h/?x=1"), ("https://h/a b", "https://h/a%20b"), ("https://h/...", "https://h/..."),
      ("https://h/a@b:c", "https://h/a@b:c"), ("https://h/?u=a@b&p=//x\\y", "https://h/?u=a@b&p=//x\\y"),
      ("https://h/%00", "https://h/%00"),
      ("https://a_b.example/", "https://a_b.example/"), ("https://h./", "https://h./"),
    ])
  func sound(_ text: String, _ expected: String) { #expect(outcome(secure, text) == .admitted(expected)) }

  @Test(
    "A URL of the wrong shape is an invalid base URL",
    arguments: [
      "", "example.com", "/path", "//example.com/", "https:", "https:/", "https://", "https:example.com",
      "https:/example.com",
      "https:///example.com", "https://?x", "https://:443/", "ftp://example.com/", "file:///etc/passwd",
      "javascript:alert(1)",
      "data:text/plain,x", "ws://example.com/", "wss://example.com/", "1https://example.com/", "://example.com",
      " https://example.com",
      "https://example.com ", "https://example.com\n", "\u{9}https://example.com", "ht\ntps://example.com",
      "https://exam\tple.com/",
      "https://example.com/a\r\nb", "https://example.com/a\0", "https://example.com/\u{7F}",
      "https://user@example.com/",
      "https://user:secret@example.com/", "https://@example.com/", "https://:@example.com/", "https://example.com#f",
      "https://example.com/#", "https://example.com/?a#b", "https://exa mple.com/", "https://example.com%20/",
      "https://exa%2Fmple.com/",
      "https://exa%40mple.com/", "https://exa%5Cmple.com/", "https://exa%3Fmple.com/", "https://exa%23mple.com/",
      "https://exa%3Ample.com/",
      "https://exa%25mple.com/", "https://exa%00mple.com/", "https://exa%0Ample.com/", "https://exa%2520mple.com/",
      "https://exa%mple.com/",
      "https://example.com%/", "https://example.com\\@evil.test/", "https://example.com\\evil",
      "https://exa\\mple.com/",
      "https://example.com/a\\b", "https:\\\\example.com/", "https://example.com:port/", "https://example.com:99999/",
      "https://h:80:90/",
      "https://example.com:0/", "https://[::1/", "https://[::1]x/", "https://::1/", "https://[fe80::1%25eth0]/",
      "https://[1.2.3.4]/",
      "https://1.2.3/", "https://0x7f.1/", "https://2130706433/", "https://0177.0.0.1/", "https://%31.2.3.4/",
      "https://１.2.3.4/",
      "https://1.2.3.256/", "https://exa<mple.com/", "https://exa|mple.com/",
      "https://\u{AD}/",
    ])
  func shape(_ text: String) {
    #expect(outcome(secure, text) == .invalidBaseURL)
    #expect(outcome(insecure, text) == .invalidBaseURL)
  }

  @Test(
    "A path that climbs is an invalid request",
    arguments: [
      "https://h/..", "https://h/a/../b", "https://h/.", "https://h/a/./b", "https://h/%2e", "https://h/%2e%2E/x",
      "https://h/.%2e",
      "https://h/%252e%252e", "https://h/%25252e", "https://h/a\\..\\b", "https://h/a%5C..%5Cb", "https://h/a%2F..",
      "https://h/..?x=1",
      "https://h/%2%65",
    ])
  func climbing(_ text: String) { #expect(outcome(secure, text) == .invalidRequest) }

  @Test("The scheme without TLS needs the opt-in, also for loopback")
  func insecureScheme() {
    for text in [
      "http://example.com/", "HTTP://example.com/", "http://localhost/", "http://127.0.0.1:8080/", "http://[::1]/",
    ] {
      #expect(outcome(secure, text) == .invalidBaseURL)
    }
    #expect(outcome(insecure, "http://127.0.0.1:8080/x") == .admitted("http://127.0.0.1:8080/x"))
    #expect(outcome(insecure, "https://h/") == .admitted("https://h/"))
  }

  @Test("WebSocket URLs have their own pair of schemes")
  func webSocket() {
    let socket = URLAdmission(.webSocket, allowsInsecure: false)
    #expect(outcome(socket, "WSS://h/x") == .admitted("wss://h/x"))
    #expect(outcome(socket, "ws://h/x") == .invalidBaseURL)
    #expect(outcome(socket, "https://h/x") == .invalidBaseURL)
    #expect(outcome(URLAdmission(.webSocket, allowsInsecure: true), "ws://h/x") == .admitted("ws://h/x"))
  }

  @Test(
    "A parsed URL, such as a redirect's target, passes the same rules",
    arguments: [
      ("https://h/a", true), ("http://h/a", false), ("https://u@h/a", false), ("https://u:p@h/a", false),
      ("https://h/a#f", false),
      ("https://h/%252e%252e/a", false), ("https://h:0/", false), ("wss://h/", false), ("https://h/../a", true),
    ])
  func parsed(_ text: String, _ isAdmitted: Bool) throws {
    let url = try HTTPURL(text)
    if isAdmitted {
      #expect(try secure.admit(url) == url)
    } else {
      #expect(throws: NetworkError.self) { try secure.admit(url) }
    }
  }

  @Test(
    "No message shows a user name, a password or a query",
    arguments: [
      "https://alice:hunter2@example.com/", "https://alice:hunter2@", "ftp://alice:hunter2@example.com/",
      "https://alice:hunter2",
      "https://alice:hunter2@example.com/../x", "https://alice:hunter2@exa mple.com/#f", "alice:hunter2@example.com",
      "https://h:x/?token=hunter2", "https://?token=hunter2", "https://exa mple.com/?token=hunter2",
      "//alice:hunter2@example.com/",
      "https://alice:hunter2\\@example.com/", "https://alice:hunter2@example.com/\n", "/x?token=hunter2",
    ])
  func secrets(_ text: String) {
    for admission in [secure, insecure] {
      let error = #expect(throws: NetworkError.self) { try admission.admit(text) }
      guard case .configuration(let reason)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!"\(reason)".contains("hunter2"))
      #expect(!"\(reason)".contains("alice:"))
    }
  }

  @Test("What Foundation makes of an admitted URL has the same host, port and path")
  func foundation() throws {
    for text in ["https://example.com:8443/a%20b/c?x=1", "https://[::1]/x", "https://h/a@b", "http://h:80/x"] {
      let url = try insecure.admit(text)
      let foundation = try #require(URL(string: text))
      #expect(foundation.host(percentEncoded: false) == url.host)
      #expect(foundation.path(percentEncoded: true) == url.path)
      #expect(foundation.query(percentEncoded: true) == url.query)
    }
  }
}
