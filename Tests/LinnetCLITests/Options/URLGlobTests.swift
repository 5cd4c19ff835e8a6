import LinnetCLI
import LinnetTestRandom
import Testing

@Suite("URLs that stand for several")
struct URLGlobTests {
  private func urls(_ pattern: String) throws(CommandError) -> [String] {
    let glob = try URLGlob(Argument(pattern))
    return (0..<glob.count).map { glob.expansion(at: $0).url.text }
  }

  @Test(
    "braces, numbers and letters",
    arguments: [
      ("http://a/", ["http://a/"]), ("a{b,c}d", ["abd", "acd"]), ("{a,}x", ["ax", "x"]), ("[1-3]", ["1", "2", "3"]),
      ("[08-10]", ["08", "09", "10"]), ("[1-10:4]", ["1", "5", "9"]), ("[a-c]", ["a", "b", "c"]),
      ("[A-E:2]", ["A", "C", "E"]), ("[5-5]", ["5"]), ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]),
      ("\\{a,b\\}\\[1-2\\]", ["{a,b}[1-2]"]), ("{a\\,b,c}", ["a,b", "c"]), ("a\\b", ["a\\b"]),
      ("http://[::1]:80/[1-2]", ["http://[::1]:80/1", "http://[::1]:80/2"]),
      ("http://[fe80::1%25eth0]/", ["http://[fe80::1%25eth0]/"]),
      ("http://[::ffff:1.2.3.4]/", ["http://[::ffff:1.2.3.4]/"]),
      ("/?a[]=1&b[]=2", ["/?a[]=1&b[]=2"]), ("", [""]),
      ("[999999999999999998-999999999999999999]", ["999999999999999998", "999999999999999999"]),
    ])
  func expansion(_ pattern: String, _ expected: [String]) throws {
    #expect(try urls(pattern) == expected)
  }

  @Test(
    "what is no pattern is a malformed URL, with a hint at -g",
    arguments: [
      "{", "}", "[", "]", "{}", "{a", "{a{b}}", "{a[1-2]}", "[a]", "[1]", "[0]", "[3-1]", "[c-a]", "[a-Z]", "[1-a]",
      "[1-9:0]", "[1-9:]", "[1-9:x]", "[-]", "[1-]", "[--]", "[1-2-3]", "[a-z:26]", "[1-9999999999999999999]", "[1-2]]",
      "[0-999999999999999999][0-999999999999999999]", "http://[::1",
    ])
  func refused(_ pattern: String) {
    do throws(CommandError) {
      Issue.record("\(try urls(pattern).prefix(3))")
    } catch {
      #expect(error.exitCode == .malformedURL && error.message.contains("-g"))
    }
  }

  @Test("a step that leads out of its range is refused, as in curl")
  func steps() throws {
    for range in ["1-5:10", "1-5:5", "1-1:2", "a-c:3", "a-a:2", "a-z:26"] {
      #expect(throws: CommandError.self) { _ = try URLGlob(Argument("http://a/[\(range)]")) }
    }
    for (range, count) in [("1-5:4", 2), ("1-1:1", 1), ("a-c:2", 2), ("a-z:25", 2), ("a-a", 1)] {
      #expect(try URLGlob(Argument("http://a/[\(range)]")).count == UInt64(count))
    }
  }

  @Test("a huge range takes no room, and its last URL is at hand")
  func lazy() throws {
    let glob = try URLGlob(Argument("http://a/[1-999999999]?[a-z]"))
    #expect(glob.count == 999_999_999 * 26)
    #expect(glob.expansion(at: glob.count - 1).url == Argument("http://a/999999999?z"))
  }

  @Test(
    "#1 in the name of a file is the value of the first brace or bracket",
    arguments: [
      ("#1_#2", "b_7"), ("#1#1", "bb"), ("#3", "#3"), ("#0", "#0"), ("#", "#"), ("#x", "#x"), ("#01", "b"),
      ("#99999999999999999999", "#99999999999999999999"), ("x", "x"),
    ])
  func names(_ template: String, _ name: String) throws {
    let expansion = try URLGlob(Argument("http://{a,b}/[7-8]")).expansion(at: 2)
    #expect(expansion.url == Argument("http://b/7"))
    #expect(expansion.name(Argument(template)) == Argument(name))
  }

  @Test("no bytes trap")
  func random() {
    var generator = SeededGenerator(seed: 5)
    let alphabet = Array("{}[],-:\\09azA\u{FF}".utf8)
    for _ in 0..<5000 {
      let length = Int.random(in: 0..<24, using: &generator)
      let pattern = Argument((0..<length).compactMap { _ in alphabet.randomElement(using: &generator) })
      guard let glob = try? URLGlob(pattern), glob.count > 0 else { continue }
      _ = glob.expansion(at: 0)
      _ = glob.expansion(at: glob.count - 1)
      _ = glob.expansion(at: .max)
    }
  }
}
