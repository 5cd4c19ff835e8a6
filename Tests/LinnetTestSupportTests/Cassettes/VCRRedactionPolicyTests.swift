import FoundationEssentials
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("VCRRedactionPolicy", .timeLimit(.minutes(2)))
struct VCRRedactionPolicyTests {
  /// The response that a recording keeps of one with this body; checks that the caller got it as it came.
  private func stored(
    _ body: some Collection<UInt8>, headers: HTTPHeaders = ["Content-Type": "application/json"],
    policy: VCRRedactionPolicy = VCRRedactionPolicy(replacement: "*")
  ) async throws -> VCRResponse {
    let mock = MockTransport()
    mock.mockResponse = .http(data: Data(body), headers: headers)
    let recorder = VCRTransport(mode: .record, recordingTransport: mock, redactionPolicy: policy)
    let response = try await recorder.send(.get("http://a.test/token"))
    #expect(response.headers == headers)
    #expect(Data(try await response.collect(upTo: 64 << 20)) == Data(body))
    return try #require(recorder.cassette.interactions.first?.response)
  }

  private func text(_ response: VCRResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  @Test(
    "the values of sensitive keys in JSON are replaced, and no other byte",
    arguments: [
      (#"{"access_token":"s","expires_in":3600}"#, #"{"access_token":"*","expires_in":3600}"#),
      ("{ \"token\" :\r\n\t\"s\" , \"a\": 1.50 }\n", "{ \"token\" :\r\n\t\"*\" , \"a\": 1.50 }\n"),
      (#"{"token":-12.5e+3,"b":2}"#, #"{"token":"*","b":2}"#),
      (
        #"{"token":true,"secret":false,"password":null,"b":2}"#, #"{"token":true,"secret":false,"password":null,"b":2}"#
      ),
      (#"{"a":[{"b":{"id_token":"s"}},"c"]}"#, #"{"a":[{"b":{"id_token":"*"}},"c"]}"#),
      (#"[{"secret":"s"},{"secret":"t"}]"#, #"[{"secret":"*"},{"secret":"*"}]"#),
      (#"{"token":["s",{"x":"t","n":[1,null]}],"b":"c"}"#, #"{"token":["*",{"x":"*","n":["*",null]}],"b":"c"}"#),
      (#"{"token":[],"secret":{},"b":"c"}"#, #"{"token":[],"secret":{},"b":"c"}"#),
      (#"{"a":"token","b":["secret","password"]}"#, #"{"a":"token","b":["secret","password"]}"#),
      (#"{"a":"\"token\":\"x\""}"#, #"{"a":"\"token\":\"x\""}"#),
      (#"{"token":"s\"t\\","b":"c"}"#, #"{"token":"*","b":"c"}"#),
      (#"{"tok\u0065n":"s","\u00e9":"\u00e9"}"#, #"{"tok\u0065n":"*","\u00e9":"\u00e9"}"#),
      (#"{"clé":"é😀","secret":"é😀"}"#, #"{"clé":"é😀","secret":"*"}"#),
      (#"{"token":"","b":1}"#, #"{"token":"*","b":1}"#),
      (#"{"token":"a","token":"b"}"#, #"{"token":"*","token":"*"}"#),
      (#"{"tokens":"a","mytoken":"b"}"#, #"{"tokens":"a","mytoken":"b"}"#),
    ])
  func json(body: String, expected: String) async throws {
    #expect(text(try await stored(body.utf8)) == expected)
  }

  @Test(
    "keys are compared without case, underscores and hyphens",
    arguments: [
      "accessToken", "ACCESS_TOKEN", "Access-Token", "accesstoken", "refreshToken", "idToken", "apiKey", "api-key",
      "clientSecret", "client_secret", "Password", "SECRET", "Token",
    ])
  func spellings(key: String) async throws {
    #expect(text(try await stored("{\"\(key)\":\"s\"}".utf8)) == "{\"\(key)\":\"*\"}")
  }

  @Test(
    "what is not whole or not JSON keeps its other bytes and loses its secrets",
    arguments: [
      (#"{"token":"s"#, #"{"token":"*""#), (#"{"token":"s\"#, #"{"token":"*""#), (#"{"token":12"#, #"{"token":"*""#),
      (#"{"token":"#, #"{"token":"#), (#"{"token"#, #"{"token"#), (#"{"tok\"#, #"{"tok\"#),
      (#"{"token":["s","t"#, #"{"token":["*","*""#),
      (#"{"token":}"s""#, #"{"token":}"s""#), (#"{"token":,"b":"c"}"#, #"{"token":,"b":"c"}"#),
      (#"{"token":"s":"t"}"#, #"{"token":"*":"t"}"#), (#"{"token":bare words}"#, #"{"token":"*" words}"#),
      (#"{"to\qken":"a","token":"s"}"#, #"{"to\qken":"a","token":"*"}"#),
      ("]]}}{\"token\":\"s\"}", "]]}}{\"token\":\"*\"}"),
      ("{\"token\":\"s\"}\n{\"token\":\"t\"}\n", "{\"token\":\"*\"}\n{\"token\":\"*\"}\n"), ("\"", "\""), ("{", "{"),
    ])
  func malformed(body: String, expected: String) async throws {
    #expect(text(try await stored(body.utf8)) == expected)
  }

  @Test("bytes that are not UTF-8 stay as they are")
  func notUTF8() async throws {
    let body = Array(#"{"a":"X","token":"X"}"#.utf8).map { $0 == UInt8(ascii: "X") ? 0xFF : $0 }
    let expected = Array(#"{"a":"X","token":"*"}"#.utf8).map { $0 == UInt8(ascii: "X") ? 0xFF : $0 }
    #expect(Array(try await stored(body).body) == expected)
  }

  @Test("nesting has no limit, below a sensitive key or not", arguments: ["a", "token"])
  func deepNesting(outer: String) async throws {
    let levels = 20_000
    let opening = "{\"\(outer)\":" + String(repeating: "[", count: levels)
    let closing = String(repeating: "]", count: levels) + ",\"b\":\"c\"}"
    let body = opening + #"{"token":"s"}"# + closing
    #expect(text(try await stored(body.utf8)) == opening + #"{"token":"*"}"# + closing)
  }

  @Test(
    "which bodies are JSON is said by the media type or by the first byte",
    arguments: [
      ("application/json; charset=utf-8", "  {\"token\":\"s\"}", true),
      ("application/problem+JSON", "{\"token\":1}", true),
      ("text/plain", "\r\n [{\"token\":\"s\"}]", true), ("", "\u{FEFF}{\"token\":\"s\"}", true),
      ("application/json", "\"token\":\"s\"", true), ("text/plain", "\"token\":\"s\"", false),
      ("text/html", "<p>{\"token\":\"s\"}", false), ("", "", false),
    ])
  func detection(type: String, body: String, isReplaced: Bool) async throws {
    let headers: HTTPHeaders = type.isEmpty ? [:] : ["Content-Type": type]
    #expect((text(try await stored(body.utf8, headers: headers)) != body) == isReplaced)
  }

  @Test(
    "the values of sensitive items of a form are replaced",
    arguments: [
      ("access_token=s&expires=1&scope=a+b", "access_token=*&expires=1&scope=a+b"),
      ("a=token&Refresh%5FToken=s=t&&token&secret=", "a=token&Refresh%5FToken=*&&token&secret=*"),
      ("token=%", "token=*"),
      ("&=&", "&=&"),
    ])
  func form(body: String, expected: String) async throws {
    let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]
    #expect(text(try await stored(body.utf8, headers: headers)) == expected)
  }

  @Test("a stored Content-Length is that of the stored body, also when it is replayed")
  func contentLength() async throws {
    let body = #"{"token":"a long secret"}"#
    let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"]
    let response = try await stored(body.utf8, headers: headers)
    #expect(response.headers["Content-Length"] == "\(response.body.count)")
    #expect(response.body.count < body.utf8.count)
    let interaction = VCRInteraction(
      request: VCRRequest(method: .get, url: "http://a.test/token"), response: response)
    let player = VCRTransport(cassette: VCRCassette(interactions: [interaction]), mode: .replay)
    #expect(try await player.send(.get("http://a.test/token")).text() == #"{"token":"*"}"#)
    let other = try await stored("{}".utf8, headers: ["Content-Length": "7"])
    #expect(other.headers["Content-Length"] == "7")
  }

  @Test("the default replacement stands in the body, and one with quotation marks is escaped")
  func replacement() async throws {
    let body = #"{"token":"s"}"#
    #expect(text(try await stored(body.utf8, policy: .default)) == #"{"token":"<redacted>"}"#)
    let quoting = VCRRedactionPolicy(replacement: #"a"/\"#)
    #expect(text(try await stored(body.utf8, policy: quoting)) == #"{"token":"a\"/\\"}"#)
  }

  @Test("the keys are the policy's; with none, bodies are stored as they came")
  func ownKeys() async throws {
    let body = #"{"pin_code":"1","Größe":2,"token":"s"}"#
    let own = VCRRedactionPolicy(sensitiveJSONKeys: ["pinCode", "GRÖSSE", "größe"], replacement: "*")
    #expect(text(try await stored(body.utf8, policy: own)) == #"{"pin_code":"*","Größe":"*","token":"s"}"#)
    #expect(text(try await stored(body.utf8, policy: VCRRedactionPolicy(sensitiveJSONKeys: []))) == body)
  }

  @Test("the policy's own change of bodies comes after the keys")
  func ownRedaction() async throws {
    var policy = VCRRedactionPolicy(replacement: "*")
    policy.redactResponseBody = { $0 + Data("!".utf8) }
    #expect(text(try await stored(#"{"token":"s"}"#.utf8, policy: policy)) == #"{"token":"*"}!"#)
  }
}
