import LinnetProtocols
import Testing

@Suite struct BasicCredentialsTests {
  private func value(_ user: String, _ password: String) throws -> String {
    try BasicCredentials.fieldValue(user: Array(user.utf8), password: Array(password.utf8))
  }

  @Test("the examples of RFC 7617 §2 and §2.1")
  func examples() throws {
    #expect(try value("Aladdin", "open sesame") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(try value("test", "123£") == "Basic dGVzdDoxMjPCow==")
    #expect(try value("", "") == "Basic Og==")
    #expect(try value("u", "a:b") == "Basic dTphOmI=")
  }

  @Test("what cannot be expressed is refused, without being told")
  func defects() {
    #expect(throws: CredentialsDefect.colonInUser) { try value("a:b", "c") }
    #expect(throws: CredentialsDefect.control) { try value("a\n", "c") }
    #expect(throws: CredentialsDefect.control) { try value("a", "c\u{0}") }
    #expect(throws: CredentialsDefect.control) { try value("a", "c\u{7F}") }
    for defect in [CredentialsDefect.colonInUser, .control, .invalidToken] { #expect(!"\(defect)".isEmpty) }
  }

  @Test("a bearer token is sent as it is", arguments: ["mF_9.B5f-4.1JqM", "a+b/c~d==", "odd!#$%&'*|"])
  func bearer(token: String) throws { #expect(try BasicCredentials.fieldValue(bearer: token) == "Bearer \(token)") }

  @Test("a bearer token that would break the field is refused", arguments: ["", "a b", "a\r\nX: y", "é", "a\u{7F}"])
  func invalidBearer(token: String) {
    #expect(throws: CredentialsDefect.invalidToken) { try BasicCredentials.fieldValue(bearer: token) }
  }
}
