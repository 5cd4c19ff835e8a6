import LinnetHTTPTypes
import LinnetProtocols
import LinnetTestRandom
import Testing

@Suite struct AuthChallengeTests {
  /// `scheme token68` or `scheme name=value;name=value`, parted by ` | `.
  private func read(_ values: String...) -> String {
    let headers = HTTPHeaders(values.map { HTTPHeader("WWW-Authenticate", $0) })
    return AuthChallenge.all(in: headers, field: "WWW-Authenticate").map { challenge in
      let rest =
        challenge.token68
        ?? challenge.parameters.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }.joined(separator: ";")
      return rest.isEmpty ? challenge.scheme : "\(challenge.scheme) \(rest)"
    }.joined(separator: " | ")
  }

  @Test(
    "a field may have several challenges; what follows a name tells a scheme from a parameter",
    arguments: [
      ("Basic realm=\"simple\"", "basic realm=simple"),
      ("Basic", "basic"),
      ("Negotiate", "negotiate"),
      ("NTLM TlRMTVNTUAACAAAA==", "ntlm TlRMTVNTUAACAAAA=="),
      ("Basic, Negotiate", "basic | negotiate"),
      (
        "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
        "newauth realm=apps;type=1;title=Login to \"apps\" | basic realm=simple"
      ),
      ("Negotiate a2V5, Basic realm=x", "negotiate a2V5 | basic realm=x"),
      ("Digest realm=\"a, Basic realm=b\", nonce=n", "digest realm=a, Basic realm=b;nonce=n"),
      ("DIGEST Realm=\"r\",NONCE=\"n\"", "digest realm=r;nonce=n"),
      ("Digest  realm = \"r\" ,\tnonce\t=\t\"n\"", "digest realm=r;nonce=n"),
      (",, Basic realm=x ,, Digest nonce=n,,", "basic realm=x | digest nonce=n"),
      ("Basic realm=\"\"", "basic realm="),
    ])
  func grammar(value: String, expected: String) { #expect(read(value) == expected) }

  @Test(
    "what servers send that breaks the grammar is read as far as it makes sense",
    arguments: [
      ("Digest realm=\"r\" nonce=\"n\" qop=\"auth\"", "digest realm=r;nonce=n;qop=auth"),
      ("Digest realm=test realm, nonce=n", "digest realm=test;nonce=n"),
      ("Digest realm=a@b/c, nonce=x==", "digest realm=a@b/c;nonce=x=="),
      ("Digest realm=\"unfinished, nonce=n", "digest realm=unfinished, nonce=n"),
      ("Digest realm=\"a\", realm=\"b\"", "digest realm=a"),
      ("Digest realm=", "digest realm="),
      ("Digest nonce=n, realm=, qop=auth", "digest nonce=n;realm=;qop=auth"),
      ("Digest =x, nonce=n", ""), ("Digest , =x, nonce=n", "digest nonce=n"),
      ("Basic realm=\"a\"garbage, Digest nonce=n", "basic realm=a | digest nonce=n"),
      ("realm=\"of nobody\", Basic", "basic"),
      ("\"quoted, Basic\", Digest nonce=n", "digest nonce=n"),
      ("Basic realm=\"x\\", "basic realm=x\\"),
      ("Basic @@, Digest nonce=n", "basic | digest nonce=n"),
      ("Negotiate abc==, x=1", "negotiate abc=="),
      ("", ""), (" , ,", ""), ("=", ""), ("\"", ""), ("\\", ""),
    ])
  func damaged(value: String, expected: String) { #expect(read(value) == expected) }

  @Test("a token may end in =, and is none when something follows it")
  func token68OrParameter() {
    #expect(read("X a=") == "x a=")
    #expect(read("X a=b") == "x a=b")
    let both = AuthChallenge.all(in: ["WWW-Authenticate": "X a=, X a=b"], field: "WWW-Authenticate")
    #expect(both.map(\.token68) == ["a=", nil])
    #expect(both.map { $0.text(of: "a") } == [nil, "b"])
  }

  @Test("the fields of one name make one list, and those of another name none")
  func severalFields() {
    #expect(read("Basic realm=a", "Digest nonce=n") == "basic realm=a | digest nonce=n")
    #expect(read("Digest realm=a", "nonce=n, Basic") == "digest realm=a;nonce=n | basic")
    #expect(read("Digest realm=\"open", "Basic realm=b") == "digest realm=open | basic realm=b")
    #expect(AuthChallenge.all(in: ["WWW-Authenticate": "Basic"], field: "Proxy-Authenticate").isEmpty)
  }

  @Test("values are bytes: what is not UTF-8 comes through unchanged")
  func latin1() {
    var headers = HTTPHeaders()
    let value: [UInt8] = Array("Digest nonce=n, realm=\"".utf8) + [0xE9, 0xFF] + Array("\"".utf8)
    headers.appendUnchecked(name: "WWW-Authenticate".utf8Span.span, value: value.span)
    #expect(AuthChallenge.all(in: headers, field: "WWW-Authenticate").first?.value(of: "realm") == [0xE9, 0xFF])
  }

  @Test("no more challenges and parameters are kept than there is a use for")
  func bounds() {
    let many = Array(repeating: "Basic realm=x", count: 1000).joined(separator: ", ")
    let challenges = AuthChallenge.all(in: ["WWW-Authenticate": many], field: "WWW-Authenticate")
    #expect(challenges.count == AuthChallenge.maximumChallenges)
    let long = "Digest " + (0..<1000).map { "p\($0)=v" }.joined(separator: ",")
    let one = AuthChallenge.all(in: ["WWW-Authenticate": long], field: "WWW-Authenticate")
    #expect(one.first?.parameters.count == AuthChallenge.maximumParameters)
  }

  @Test("Authentication-Info is a list of parameters without a scheme")
  func information() {
    let info = AuthChallenge.information(
      in: ["Authentication-Info": "nextnonce=\"n2\", qop=auth, rspauth=\"ab\""], field: "Authentication-Info")
    #expect(info.text(of: "nextnonce") == "n2")
    #expect(info.text(of: "rspauth") == "ab")
    #expect(AuthChallenge.information(in: [:], field: "Authentication-Info").parameters.isEmpty)
  }

  @Test(
    "random bytes of the grammar's alphabet never trap, and every value that is found stands in them", arguments: 0..<20
  )
  func randomBytes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("Ba=,\"\\ \tdigest;/0\u{E9}".utf8) + [0xFF, 0x80]
    for _ in 0..<500 {
      let value = (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      var headers = HTTPHeaders()
      headers.appendUnchecked(name: "WWW-Authenticate".utf8Span.span, value: value.span)
      headers.appendUnchecked(name: "WWW-Authenticate".utf8Span.span, value: value.span)
      for challenge in AuthChallenge.all(in: headers, field: "WWW-Authenticate") {
        #expect(!challenge.scheme.isEmpty)
        #expect(challenge.token68 == nil || challenge.parameters.isEmpty)
        for parameter in challenge.parameters {
          #expect(parameter.value.allSatisfy(alphabet.contains))
          #expect(Set(challenge.parameters.map(\.name)).count == challenge.parameters.count)
        }
        _ = DigestChallenge(challenge)
      }
    }
  }
}
