import LinnetProtocols
import Testing

@Suite struct NetrcTests {
  private func read(_ text: String) throws -> String {
    try Netrc(parsing: Array(text.utf8)).entries.map { entry in
      [entry.machine ?? Array("*".utf8), entry.login ?? Array("-".utf8), entry.password ?? Array("-".utf8)]
        .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }.joined(separator: "|")
  }

  private func find(_ text: String, _ host: String, login: String? = nil, foreign: Bool = false) throws -> String? {
    try Netrc(parsing: Array(text.utf8)).entry(
      for: host, login: login.map { Array($0.utf8) }, includingDefault: !foreign
    ).map { String(decoding: $0.password ?? Array("-".utf8), as: UTF8.self) }
  }

  @Test(
    "entries are read whatever their layout",
    arguments: [
      ("machine h login u password p", "h u p"), ("machine h\n\tlogin u\n\tpassword p\n", "h u p"),
      ("machine h\r\nlogin u\r\npassword p\r\n", "h u p"), ("MACHINE h LOGIN u PASSWORD p", "h u p"),
      ("machine h password p login u", "h u p"), ("machine h login u account a password p", "h u p"),
      ("machine a login u password p machine b login v password q", "a u p|b v q"),
      ("machine a login u password p\ndefault login d password e", "a u p|* d e"),
      ("machine h login u", "h u -"), ("machine h", "h - -"), ("", ""), (" \n\t\r\n", ""),
      ("machine h login \"u v\" password \"a\\\"b\\\\c\\n\\r\\t\\d\"", "h u v a\"b\\c\n\r\td"),
      ("machine h login u password \"\"", "h u "), ("machine h login u password a\"b", "h u a\"b"),
      ("# machine x login y password z\nmachine h login u password p", "h u p"),
      ("machine h login u # password z\npassword p", "h u p"), ("machine h login u password #1", "h u #1"),
      ("machine h login machine password login", "h machine login"),
      ("machine h \"login\" x login u password p", "h u p"), ("machine h port 443 login u password p", "h u p"),
      ("machine a\nmacdef init\nmachine x login y password z\n\nmachine b login u password p", "a - -|b u p"),
      ("macdef init\ncd /pub\nmachine x", ""), ("macdef i\r\nmachine x\r\n\r\nmachine b login u", "b u -"),
    ])
  func layouts(text: String, expected: String) throws { #expect(try read(text) == expected) }

  @Test(
    "what is broken is named by its line and never shown",
    arguments: [
      ("login u", 1, NetrcError.Problem.outsideEntry("login")),
      ("\n\npassword secret", 3, .outsideEntry("password")),
      ("machine", 1, .missingValue(of: "machine")), ("machine h\nlogin", 2, .missingValue(of: "login")),
      ("machine h login u password", 1, .missingValue(of: "password")),
      ("machine h login u\npassword \"secret", 2, .unfinishedQuote),
      ("machine h password \"secret\nlogin u\"", 1, .unfinishedQuote),
      ("machine h\nlogin u password se\u{1}cret", 2, .control), ("machine h password \"se\u{7F}cret\"", 1, .control),
    ])
  func errors(text: String, line: Int, problem: NetrcError.Problem) {
    #expect(throws: NetrcError(line: line, problem: problem)) { try Netrc(parsing: Array(text.utf8)) }
    #expect(!"\(NetrcError(line: line, problem: problem))".contains("secret"))
  }

  @Test("the first entry for the machine that has something counts, and the one for all others is for it too")
  func lookup() throws {
    let file = """
      machine a
      machine a login u password p1
      machine a login v password p2
      default login d password p3
      machine after login x password p4
      """
    #expect(try find(file, "a") == "p1")
    #expect(try find(file, "A") == "p1")
    #expect(try find(file, "a", login: "v") == "p2")
    #expect(try find(file, "other") == "p3")
    #expect(try find(file, "other", foreign: true) == nil)
    #expect(try find(file, "a", foreign: true) == "p1")
    #expect(try find(file, "a", login: "w") == nil)
    // As ftp and curl: nothing is looked for behind the entry for all others.
    #expect(try find(file, "after") == "p3")
    #expect(try find("default login d password p1\nmachine a login u password p2", "a") == "p1")
    // Unless it does not count, or says nothing.
    #expect(try find(file, "after", foreign: true) == "p4")
    #expect(try find("default\nmachine a login u password p2", "a") == "p2")
    #expect(try find("machine example.com login u password p", "sub.example.com") == nil)
    #expect(try find("machine example.com login u password p", "example.com.evil.test") == nil)
  }

  @Test("a file that is too large is refused")
  func tooLarge() {
    let bytes = [UInt8](repeating: 0x20, count: Netrc.maximumBytes + 1)
    #expect(throws: NetrcError(line: 0, problem: .tooLarge)) { try Netrc(parsing: bytes) }
  }

  @Test("neither descriptions nor mirrors show a password")
  func secrets() throws {
    let netrc = try Netrc(parsing: Array("machine h login user1 password s3cret".utf8))
    var text = ""
    dump(netrc, to: &text)
    #expect(!text.contains("s3cret") && !"\(netrc.entries)".contains("s3cret"))
  }

  @Test("every cut of a file is read or refused")
  func cuts() {
    let file = Array("# c\nmachine h login \"u\\\"\" password p\nmacdef m\nx\n\ndefault login a password b\n".utf8)
    for start in 0...file.count {
      for end in start...file.count { _ = try? Netrc(parsing: Array(file[start..<end])) }
    }
  }
}
