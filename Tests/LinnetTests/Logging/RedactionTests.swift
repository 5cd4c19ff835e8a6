import Linnet
import LinnetHTTP
import LinnetTestRandom
import Testing

@Suite("Logging: redaction")
struct RedactionTests {
  private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9"

  @Test(
    "URLs keep origin, path and names of the query",
    arguments: [
      ("https://example.com/a/b", "https://example.com/a/b"),
      ("https://user:pass@example.com:8443/a", "https://example.com:8443/a"),
      (
        "https://example.com/a?x=1&y=&z&x=a=b#fragment",
        "https://example.com/a?x=<redacted>&y=<redacted>&z&x=<redacted>"
      ),
      ("https://example.com/?a%20b=c%20d", "https://example.com/?a%20b=<redacted>"),
      ("https://example.com/reset/\(jwt)/x", "https://example.com/reset/<redacted-jwt>/x"),
      ("https://example.com/\(jwt);v=1", "https://example.com/<redacted-jwt>;v=1"),
      ("https://example.com/ey.short.token", "https://example.com/ey.short.token"),
      ("https://example.com/AKIAIOSFODNN7EXAMPLE/x", "https://example.com/<redacted>/x"),
      ("https://[::1]:8080/?q", "https://[::1]:8080/?q"),
      ("not a URL?token=secret#secret", "not a URL?token=<redacted>"),
      ("https://user:pa#ss@host/", "https://<redacted>"), ("user:secret@host", "<redacted>"), ("", ""),
      ("/path?a=b&c=d", "/path?a=<redacted>&c=<redacted>"), ("ftp://h/x#y", "ftp://h/x"),
    ])
  func urls(_ url: String, _ expected: String) {
    #expect(Redaction.url(url) == expected)
    #expect(Redaction.url(Redaction.url(url)) == expected)
  }

  @Test("query values are kept on demand, user information and fragment never")
  func values() {
    #expect(
      Redaction.url("https://u:p@a.test/x?a=1&b=%20#f", keepsQueryValues: true) == "https://a.test/x?a=1&b=%20")
  }

  @Test(
    "free text loses what looks like a secret and keeps the rest",
    arguments: [
      ("connection refused (127.0.0.1:443)", "connection refused (127.0.0.1:443)"),
      ("GET https://u:p@a.test/x?k=v: head: no answer", "GET https://a.test/x?k=<redacted>: head: no answer"),
      ("see (https://a.test/?k=v).", "see (https://a.test/?k=<redacted>)."),
      ("missing scheme in \"a.test/x?k=v&l=w\"", "missing scheme in \"a.test/x?k=<redacted>&l=<redacted>\""),
      ("cannot parse user:pass@host now", "cannot parse <redacted>@host now"),
      ("mail to a@b.test", "mail to a@b.test"),
      ("Authorization: Bearer abc.def, sorry", "Authorization: Bearer <redacted> sorry"),
      ("Basic dXNlcjpwYXNz", "Basic <redacted>"), ("token \(jwt)!", "token <redacted-jwt>!"),
      ("token=\(jwt)", "token=<redacted-jwt>"), ("key AKIAIOSFODNN7EXAMPLE.", "key <redacted>."),
      ("XAKIAIOSFODNN7EXAMPLE", "XAKIAIOSFODNN7EXAMPLE"),
      ("Credential=AKIDEXAMPLE/2015/aws4_request, Signature=5d67", "Credential=<redacted>, Signature=<redacted>"),
      (#"{"SecretAccessKey": "wJalrXUtnFEMI", "a": 1}"#, #"{"SecretAccessKey": "<redacted>", "a": 1}"#),
      ("X-Amz-Security-Token: abc", "X-Amz-Security-Token: <redacted>"),
      ("the signature is wrong", "the signature is wrong"), ("", ""),
    ])
  func text(_ text: String, _ expected: String) {
    #expect(Redaction.text(text) == expected)
    #expect(Redaction.text(expected) == expected)
  }

  /// Text that is likely to confuse a scanner, without some characters.
  private static func noise(without left: String = "", _ generator: inout some RandomNumberGenerator) -> String {
    let pieces = [
      "a", "/", "?", "#", "@", ":", "&", "=", "%", " ", "\"", "<redacted>", "https://", "ey", ".", "AKIA", "\n", "é",
      "[", "]", "\\", ";", "Bearer", "signature=",
    ].filter { piece in !piece.contains { left.contains($0) } }
    return (0..<Int.random(in: 0..<12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
      .joined()
  }

  @Test(
    "secrets in user information, query values, fragments and tokens never appear, in whatever surroundings",
    arguments: 0..<10)
  func fuzz(_ round: Int) async {
    var generator = SeededGenerator(seed: UInt64(round))
    for _ in 0..<20 {
      let secret = "sekret" + String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
      let jwt = "eyJ\(secret)AAAAAA.eyJ\(secret)AAAAAA.\(secret)BBBBBBB"
      let around = Self.noise(&generator)
      // A slash or a question mark ends the user information, whatever was meant.
      let user = Self.noise(without: "/\\?#\n", &generator)
      let url =
        [
          "https://\(secret):\(secret)@a.test/p?x=\(secret)&\(around)=\(secret)#\(secret)",
          "https://\(secret)@a.test/\(jwt)?\(around)=\(secret)", "https://a.test/\(jwt)#\(around)\(secret)",
          "https://u\(user):\(secret)@a.test/",
        ].randomElement(using: &generator) ?? ""
      // In free text, a URL ends at a space or a quotation mark.
      let word = url.filter { !$0.isWhitespace && $0 != "\"" }
      var request = HTTPRequest(method: .post, url: url, body: .text(around + secret))
      request.headers.add("X-Custom", secret)
      request.headers.add("Authorization", "Bearer \(secret)")
      request.headers.add("Cookie", "a=\(secret)")
      let response = ErrorSamples.response(
        500, body: #"{"error":"\#(secret)"}"#, headers: ["Set-Cookie": "a=\(secret)"], request: request)
      let transport = TransportError(
        code: .invalidURL, phase: .request, sent: .nothing, reason: "invalid URL \"\(word)\"", method: .post,
        url: try? HTTPURL(url))
      let words = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: secret))
      var errors: [NetworkError] = [
        .statusCode(response), NetworkError(transport), .configuration(reason: .invalidBaseURL(word)),
        .decoding(words, stage: .responseBody, data: response.data, response: response),
        .underlying(SendableUnderlyingError(domain: "d", code: 1, message: "cannot reach \(word)"), response),
        .trustEvaluationFailed(.custom("no pin for \(word)")),
      ]
      errors += errors.map { $0.redactingFailurePayload() }
      var lines = errors.flatMap { error -> [String] in
        ["\(error)", String(reflecting: error), error.errorDescription ?? ""]
          + error.errorUserInfo.values.map { "\($0)" } + [error.underlyingError.map { "\($0)" } ?? ""]
      }
      lines += [request.curlCommand(), Redaction.url(url), Redaction.text("see \(word)")]
      let written = LineCollector()
      let logger = DefaultNetworkLogger(options: .secureDefault, isRelease: false) { written.append($0) }
      logger.log(request: request)
      logger.log(response: response, isError: true)
      for error in errors { logger.log(error: error) }
      lines += written.lines
      for line in lines { #expect(!line.contains(secret), "\(url) gave \(line)") }
    }
  }
}
