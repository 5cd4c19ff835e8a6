import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import LinnetTLS
import Testing

@Suite struct DigestAuthenticationTests {
  private func hash(_ name: DigestAlgorithm.Hash, _ bytes: [UInt8]) -> [UInt8]? {
    let algorithm: Digest.Algorithm =
      switch name {
      case .md5: .md5
      case .sha256: .sha256
      case .sha512_256: .sha512_256
      }
    return try? Digest.hash(bytes.span, with: algorithm)
  }

  private func read(_ value: String) -> DigestChallenge? {
    AuthChallenge.all(in: ["WWW-Authenticate": value], field: "WWW-Authenticate").first.flatMap { DigestChallenge($0) }
  }

  /// A challenge, who answers it, and to what.
  private struct Case {
    var challenge: String
    var user = "u"
    var password = "p"
    var method = "GET"
    var uri = "/"
    var body: String? = ""
    /// Nil: the challenge's.
    var nonce: String?
    var client = "c"
    var count: UInt32 = 1
    /// Nil: this request is the first.
    var first: DigestAuthentication.Nonces?
  }

  private func answer(_ given: Case) throws -> DigestAuthentication.Answer? {
    let challenge = try #require(read(given.challenge))
    let digest = DigestAuthentication(
      challenge, user: Array(given.user.utf8), password: Array(given.password.utf8))
    let nonces = DigestAuthentication.Nonces(
      server: given.nonce.map { Array($0.utf8) } ?? challenge.nonce, client: given.client, count: given.count)
    let request = DigestAuthentication.Request(
      method: given.method, uri: Array(given.uri.utf8), content: given.body.map { ByteChunk(Array($0.utf8)) })
    let secret = try #require(digest.sharedSecret(first: given.first ?? nonces, hash: hash))
    return digest.answer(request, nonces: nonces, secret: secret, hash: hash)
  }

  private func text(_ answer: DigestAuthentication.Answer?) -> String {
    answer.map { String(decoding: $0.fieldValue, as: UTF8.self) } ?? "none"
  }

  private static let mufasa =
    "realm=\"http-auth@example.org\", qop=\"auth, auth-int\", nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\","
    + " opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""

  @Test(
    "the examples of RFC 7616 §3.9.1",
    arguments: [
      ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
      ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
  func mufasa(algorithm: String, response: String) throws {
    let answer = try answer(
      Case(
        challenge: "Digest algorithm=\(algorithm), " + Self.mufasa, user: "Mufasa", password: "Circle of Life",
        uri: "/dir/index.html", client: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"))
    #expect(
      text(answer)
        == "Digest username=\"Mufasa\", realm=\"http-auth@example.org\","
        + " nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", uri=\"/dir/index.html\","
        + " response=\"\(response)\", algorithm=\(algorithm), qop=auth, nc=00000001,"
        + " cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\","
        + " opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"")
  }

  @Test("the example of RFC 7616 §3.9.2 with a hashed name, as its erratum 4897 corrects it")
  func userHash() throws {
    let answer = try answer(
      Case(
        challenge: "Digest realm=\"api@example.org\", qop=auth, algorithm=SHA-512-256, charset=UTF-8, userhash=true,"
          + " nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", opaque=\"HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS\"",
        user: "Jäsøn Doe", password: "Secret, or not?", uri: "/doe.json",
        client: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"))
    let value = text(answer)
    #expect(value.contains("username=\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\""))
    #expect(value.contains("response=\"3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5\""))
    #expect(value.contains("userhash=true"))
  }

  @Test("the examples of RFC 2617 §3.5 and, without qop, of RFC 2069 §2.4 as its erratum corrects it")
  func olderExamples() throws {
    let challenge = "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
    let answer2617 = try answer(
      Case(
        challenge: challenge + ", qop=\"auth,auth-int\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"", user: "Mufasa",
        password: "Circle Of Life", uri: "/dir/index.html", client: "0a4f113b"))
    #expect(text(answer2617).contains("response=\"6629fae49393a05397450978507c4ef1\""))
    // No algorithm in the question, none in the answer.
    #expect(!text(answer2617).contains("algorithm"))
    #expect(
      answer2617?.expectedProof.map { String(decoding: $0, as: UTF8.self) } == "376602cfd2f4e8e5e78b948a85263e85")
    let answer2069 = try answer(
      Case(challenge: challenge, user: "Mufasa", password: "CircleOfLife", uri: "/dir/index.html", client: "unused"))
    #expect(
      text(answer2069)
        == "Digest username=\"Mufasa\", realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\","
        + " uri=\"/dir/index.html\", response=\"1949323746fe6a43ef61f9606e7febea\"")
  }

  @Test("the secret of a session variant is bound to the nonces of its first request")
  func session() throws {
    let challenge = "Digest realm=r, nonce=n1, qop=auth, algorithm=MD5-sess"
    let first = DigestAuthentication.Nonces(server: Array("n1".utf8), client: "c1", count: 1)
    let one = try answer(Case(challenge: challenge, user: "u", password: "p", uri: "/", client: "c1"))
    #expect(
      text(one).contains("response=\"70f93fb74b2adb1193195e53772493fc\"") && text(one).contains("algorithm=MD5-sess"))
    let two = try answer(
      Case(challenge: challenge, user: "u", password: "p", uri: "/", nonce: "n2", client: "c1", count: 2, first: first))
    #expect(text(two).contains("response=\"fb0b241fba3b05935e9ca5c751309dfd\""))
    let legacy = try answer(
      Case(challenge: "Digest realm=r, nonce=n1, algorithm=MD5-sess", user: "u", password: "p", uri: "/", client: "c1"))
    #expect(
      text(legacy).contains("response=\"c231bb980dec00d0ea9c62528fd9149e\"") && text(legacy).contains("cnonce=\"c1\""))
  }

  @Test(
    "the content is protected when the server insists and it is at hand; the answer then proves nothing of the response"
  )
  func authInt() throws {
    let insisting = "Digest realm=r, nonce=n1, qop=auth-int, algorithm=SHA-256"
    let protected = try answer(
      Case(challenge: insisting, user: "u", password: "p", method: "POST", uri: "/", body: "hello", client: "c1"))
    #expect(
      text(protected).contains("response=\"3cb5cf5ceffb2d381a822f31964366d2b6bf6df6aeafaa9af78122ee3879021a\""))
    #expect(text(protected).contains("qop=auth-int"))
    #expect(protected?.expectedProof == nil)
    #expect(
      try answer(
        Case(challenge: insisting, user: "u", password: "p", method: "POST", uri: "/", body: nil, client: "c1")) == nil)
    let either = "Digest realm=r, nonce=n1, qop=\"auth-int,auth\""
    #expect(
      text(try answer(Case(challenge: either, user: "u", password: "p", uri: "/", body: "x", client: "c"))).contains(
        "qop=auth,"))
  }

  @Test("quotes in what is sent back are escaped, and hashed without the escapes")
  func quotes() throws {
    let answer = try answer(
      Case(challenge: "Digest realm=\"a\\\"b\\\\c\", nonce=n", user: "q\"u", password: "p", uri: "/", client: "c"))
    #expect(text(answer).contains("username=\"q\\\"u\", realm=\"a\\\"b\\\\c\""))
  }

  @Test("a name outside ASCII is encoded when the server says that it reads UTF-8, else sent as it is")
  func extendedName() throws {
    let utf8 = try answer(
      Case(challenge: "Digest realm=r, nonce=n, charset=utf-8", user: "Jäs øn'*", password: "p", uri: "/", client: "c"))
    #expect(text(utf8).hasPrefix("Digest username*=UTF-8''J%C3%A4s%20%C3%B8n%27%2A, realm="))
    let plain = try answer(
      Case(challenge: "Digest realm=r, nonce=n", user: "Jäsøn", password: "p", uri: "/", client: "c"))
    #expect(text(plain).hasPrefix("Digest username=\"Jäsøn\", realm="))
    let ascii = try answer(
      Case(challenge: "Digest realm=r, nonce=n, charset=UTF-8", user: "joe", password: "p", uri: "/", client: "c"))
    #expect(text(ascii).hasPrefix("Digest username=\"joe\", realm="))
  }

  @Test("a count has eight hexadecimal digits", arguments: [(1, "00000001"), (255, "000000ff"), (.max, "ffffffff")])
  func count(count: UInt32, digits: String) throws {
    let answer = try answer(
      Case(
        challenge: "Digest realm=r, nonce=n, qop=auth", user: "u", password: "p", uri: "/", client: "c", count: count))
    #expect(text(answer).contains("nc=\(digits),"))
  }

  @Test("without the hash function there is no answer and no secret")
  func forbiddenHash() throws {
    let challenge = try #require(read("Digest realm=r, nonce=n"))
    let digest = DigestAuthentication(challenge, user: [], password: [])
    let nonces = DigestAuthentication.Nonces(server: [0x6E], client: "c", count: 1)
    #expect(digest.sharedSecret(first: nonces) { _, _ in nil } == nil)
    let request = DigestAuthentication.Request(method: "GET", uri: [0x2F], content: ByteChunk())
    #expect(digest.answer(request, nonces: nonces, secret: [1]) { _, _ in nil } == nil)
  }

  @Test(
    "a challenge that cannot be answered is none",
    arguments: [
      "Basic realm=r", "Digest realm=r", "Digest nonce=\"\"", "Digest nonce=n, algorithm=SHA-1",
      "Digest nonce=n, algorithm=\"\"", "Digest nonce=n, qop=\"\"", "Digest nonce=n, qop=token",
    ])
  func unusable(value: String) { #expect(read(value) == nil) }

  @Test("what a challenge says is read without case, and unknown parameters are ignored")
  func parameters() throws {
    let found = try #require(
      read(
        "dIgEsT realm=\"r\", nonce=\"n\", opaque=\"o\", stale=TRUE, algorithm=sha-256-SESS, qop=\"AUTH,other\","
          + " charset=utf-8, userhash=True, domain=\"/a http://b/c\", future=1"))
    #expect(found.algorithm == DigestAlgorithm(.sha256, isSession: true))
    #expect(found.isStale && found.isUTF8 && found.wantsUserHash && found.namesAlgorithm)
    #expect(found.protections == [.auth])
    #expect(found.domain == ["/a", "http://b/c"])
    let bare = try #require(read("Digest nonce=n"))
    #expect(bare.realm.isEmpty && bare.opaque == nil && !bare.isStale && bare.protections == [.legacy])
    #expect(bare.algorithm == DigestAlgorithm(.md5) && !bare.namesAlgorithm)
  }

  @Test("every algorithm is found by its name", arguments: DigestAlgorithm.Hash.allCases, [false, true])
  func names(hash: DigestAlgorithm.Hash, isSession: Bool) {
    let algorithm = DigestAlgorithm(hash, isSession: isSession)
    #expect(DigestAlgorithm(name: algorithm.name.utf8) == algorithm)
  }
}
