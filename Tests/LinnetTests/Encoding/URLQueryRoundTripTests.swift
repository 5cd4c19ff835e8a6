import FoundationEssentials
import Linnet
import Testing

@Suite("Query encoder: round trip", .timeLimit(.minutes(2)))
struct URLQueryRoundTripTests {
  private static func values(_ count: Int) -> [Sample] {
    var texts = RandomTexts(seed: 42)
    return (0..<count).map { _ in
      let properties = (0..<(1 + texts.number(below: 4))).map { index in
        let key = SampleKey(stringValue: "\(index)" + texts.text(upTo: 3))
        let value: Sample =
          texts.number(below: 3) == 0 ? [.text(texts.text()), .text(texts.text())] : .text(texts.text())
        return Sample.Property(key: key, value: value)
      }
      return .object(properties)
    }
  }

  @Test(
    "Python's urllib.parse reads back what was encoded, in queries and forms",
    .enabled(if: PythonURLParsing.isInstalled, "there is no /usr/bin/python3"))
  func python() throws {
    let values = Self.values(400)
    var strict = URLQueryEncoder()
    strict.percentEncoding = .rfc3986
    let expected = try values.map { value in try strict.encode(value).map { [$0.name, $0.value ?? ""] } }
    let encodings: [(Sample) throws -> String] = [
      { try URLQueryEncoder().encodeQuery($0) }, { try strict.encodeQuery($0) },
      { String(decoding: try URLQueryEncoder().encodeForm($0), as: UTF8.self) },
    ]
    for encode in encodings {
      let read = try PythonURLParsing.pairs(of: values.map(encode))
      #expect(read.count == expected.count)
      for (read, expected) in zip(read, expected) {
        #expect(read.map { $0.map(Array.init) } == expected.map { $0.map(Array.init) })
      }
    }
  }

  @Test("Encoded text is one line of ASCII without a raw delimiter")
  func alphabet() throws {
    let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*,;:@/?%&=".utf8)
    for value in Self.values(2000) {
      #expect(try URLQueryEncoder().encodeQuery(value).utf8.allSatisfy(allowed.contains))
    }
  }

  @Test("The same value gives the same text every time")
  func deterministic() throws {
    let value: [String: Int] = Dictionary(uniqueKeysWithValues: (0..<100).map { ("key\($0)", $0) })
    let first = try URLQueryEncoder().encodeQuery(value)
    for _ in 0..<20 {
      var copy: [String: Int] = [:]
      for (key, element) in value.shuffled() { copy[key] = element }
      #expect(try URLQueryEncoder().encodeQuery(copy) == first)
    }
  }
}
