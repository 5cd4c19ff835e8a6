import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite
struct IDNATests {
  struct HostCase: Decodable {
    var input: String
    var output: String?
    var comment: String?
  }

  @Test(
    "toascii and IdnaTestV2: hosts are converted or refused as UTS 46 says",
    .enabled(if: WebPlatformTests.isPresent, WebPlatformTests.comment), arguments: ["toascii", "IdnaTestV2"])
  func vectors(_ file: String) throws {
    for test in try WebPlatformTests.load(file, as: HostCase.self) where !test.input.isEmpty {
      let url = try? HTTPURL("https://\(test.input)/x")
      #expect(url?.host == test.output, "\(test.input.debugDescription) (\(test.comment ?? ""))")
      if url != nil { #expect(url?.path == "/x") }
    }
  }

  @Test(
    "each broken rule has its own error",
    arguments: [
      ("a\u{FFFD}b.é", HostProblem.disallowedCharacter("\u{FFFD}")),
      ("xn--a-.ß", .invalidPunycode(label: "xn--a-")),
      ("xn--tešla", .invalidPunycode(label: "xn--tešla")),
      ("\u{0301}a", .leadingMark(label: "\u{0301}a")),
      ("a\u{200D}b", .misplacedJoiner(label: "a\u{200D}b")),
      ("\u{05D0}a", .bidirectionalRule(label: "\u{05D0}a")),
      ("\u{00AD}", .empty),
      ("é b", .forbiddenCharacter(" ")),
    ])
  func problems(_ host: String, _ problem: HostProblem) {
    let error = #expect(throws: HTTPURLError.self) { try DomainName(host) }
    guard case .invalidHost(_, problem) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("non-transitional processing keeps ß and joiners in their places")
  func deviations() throws {
    #expect(try DomainName("Faß.de").ascii == "xn--fa-hia.de")
    #expect(try DomainName("\u{0DC1}\u{0DCA}\u{200D}\u{0DBB}\u{0DD3}.com").ascii == "xn--10cl1a0b660p.com")
  }

  @Test(
    "composed and decomposed spellings are the same name",
    arguments: [
      ("e\u{0301}", "\u{E9}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("a\u{0323}\u{0307}", "a\u{0307}\u{0323}"),
    ])
  func normalisation(_ decomposed: String, _ composed: String) throws {
    #expect(try DomainName(decomposed).ascii == DomainName(composed).ascii)
  }

  @Test("a name with more characters than the bound is refused before any quadratic work")
  func bound() {
    let host = String(repeating: "é", count: 2001)
    let error = #expect(throws: HTTPURLError.self) { try DomainName(host) }
    guard case .invalidHost(_, .tooLong(characters: 2001)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("random scalars never trap, and an accepted name converts to itself")
  func randomNames() {
    var generator = SeededGenerator(seed: 46)
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xA0...0x24F, 0x300...0x36F, 0x5D0...0x6FF, 0x900...0xDFF, 0x1100...0x11FF, 0x1E00...0x2100,
      0xAC00...0xD7A3, 0xF900...0xFFFD, 0x1_0000...0x1_FFFF,
    ]
    var accepted = 0
    for _ in 0..<20_000 {
      var text = String.UnicodeScalarView()
      let range = ranges.randomElement(using: &generator) ?? 0x20...0x7E
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let source = Bool.random(using: &generator) ? range : ranges.randomElement(using: &generator) ?? range
        if let scalar = Unicode.Scalar(UInt32.random(in: source, using: &generator)) { text.append(scalar) }
      }
      guard let name = try? DomainName(String(text)) else { continue }
      accepted += 1
      #expect((try? DomainName(name.ascii)) == name)
    }
    #expect(accepted > 500)
  }
}
