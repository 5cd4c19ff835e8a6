import LinnetCLI
import LinnetHTTP
import LinnetTestRandom
import Testing

@Suite("Names of files from servers")
struct ContentDispositionTests {
  @Test(
    "the name is found, the extended one first",
    arguments: [
      ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a b.txt\"", "a b.txt"),
      ("attachment;FILENAME=a.txt ; x=y", "a.txt"), ("filename=a.txt", "a.txt"), ("inline; filename = \"a\"", "a"),
      ("attachment; filename=\"a;b\\\"c\"; filename*=x", "a;b\"c"),
      ("attachment; filename=\"C:\\tmp\\x.exe\"", "C:\\tmp\\x.exe"),
      ("attachment; filename=plain; filename*=UTF-8''na%C3%AFve%20x", "naïve x"),
      ("attachment; filename*=utf-8'en'a; filename=plain", "a"),
      ("attachment; filename*=iso-8859-1''%E9", "é"),
      ("attachment; filename*=UTF-8''%FF; filename=plain", "plain"),
      ("attachment; filename*=UTF-8''%4; filename=plain", "plain"),
      ("attachment; filename*=koi8-r''a; filename=plain", "plain"), ("attachment; filename=\"open", "open"),
      ("attachment; filename=first; filename=second", "first"), ("attachment; filename=\"\"", nil),
      ("attachment", nil), ("", nil), ("attachment; filename", nil), ("attachment; filename*=", nil), ("=;=;\"", nil),
    ] as [(String, String?)])
  func names(_ field: String, _ name: String?) {
    #expect(ContentDisposition.fileName(field.utf8).map { String(decoding: $0, as: UTF8.self) } == name)
  }

  @Test(
    "DL-08: a server's name is one visible component of a path",
    arguments: [
      ("../../x", "x"), ("/etc/passwd", "passwd"), ("..\\..\\x", "x"), ("a/b\\c", "c"), (".bashrc", "_bashrc"),
      ("..", nil), (".", nil), ("...", nil), ("", nil), ("a/", nil), ("   ", nil), ("a\nb\u{1B}", "a_b_"), ("a ", "a"),
      ("a.tar.gz", "a.tar.gz"), ("naïve", "naïve"), ("-rf", "-rf"),
    ] as [(String, String?)])
  func sanitised(_ name: String, _ safe: String?) {
    #expect(FileName.sanitised(name.utf8)?.text == safe)
  }

  @Test("DL-08: whatever the bytes, the name stays inside its directory and is no longer than a name can be")
  func anyBytes() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let alphabet = Array("./\\\"';=*%filenameUTF-8\0\n a".utf8)
      let count = Int.random(in: 0...600, using: &generator)
      let field = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
      for name in [ContentDisposition.fileName(field), field] {
        guard let safe = name.flatMap({ FileName.sanitised($0) }) else { continue }
        #expect(!safe.bytes.isEmpty && safe.bytes.count <= 255)
        #expect(safe.bytes.first != UInt8(ascii: ".") && !safe.bytes.contains(UInt8(ascii: "/")))
        #expect(safe.bytes.allSatisfy { $0 >= 0x20 })
      }
    }
  }

  @Test("the name in a URL is the last segment of its path")
  func urlNames() throws {
    #expect(FileName.last(of: try HTTPURL("http://a/x/y.z?q=/n#/f"))?.text == "y.z")
    #expect(FileName.last(of: try HTTPURL("http://a/x/")) == nil)
    #expect(FileName.last(of: try HTTPURL("http://a")) == nil)
    #expect(FileName.last(of: try HTTPURL("http://a/x/.."))?.text == nil)
  }

  @Test("--output-dir stands before the name, --no-clobber's number behind it")
  func places() {
    #expect(FileName.inside(Argument("d"), Argument("n")).text == "d/n")
    #expect(FileName.inside(nil, Argument("n")).text == "n")
    #expect(FileName.numbered(Argument("d/n"), 3).text == "d/n.3")
  }
}
