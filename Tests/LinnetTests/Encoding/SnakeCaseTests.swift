import FoundationEssentials
import Linnet
import Testing

@Suite("Snake case")
struct SnakeCaseTests {
  private func ours(_ key: String) throws -> String? {
    let value: Sample = .object([Sample.Property(key: SampleKey(stringValue: key), value: 1)])
    return try URLQueryEncoder(keyEncodingStrategy: .convertToSnakeCase).encode(value).first?.name
  }

  private func foundations(_ key: String) throws -> String? {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let value: Sample = .object([Sample.Property(key: SampleKey(stringValue: key), value: 1)])
    return try JSONDecoder().decode([String: Int].self, from: encoder.encode(value)).keys.first
  }

  @Test(
    "Names are split where Foundation splits them",
    arguments: [
      "myURLProperty", "URLProperty", "aB1c", "a", "A", "AB", "ABc", "aBC", "aBCd", "item2Name", "item2name",
      "HTTP2Server",
      "userIDs", "_a", "a_b", "a_B", "aÉb", "ÉB", "straßeName", "ΑβΓδ", "a1B2C3", "x1Y", "XMLHTTPRequest", "iOSVersion",
    ])
  func table(_ key: String) throws { #expect(try ours(key) == foundations(key)) }

  @Test("Two thousand random names become what Foundation makes of them")
  func random() throws {
    var texts = RandomTexts(seed: 11)
    let letters = Array("abcXYZ019_-éÉ")
    for _ in 0..<2000 {
      let key = String((0..<(1 + texts.number(below: 12))).map { _ in letters[texts.number(below: letters.count)] })
      #expect(try ours(key) == foundations(key), "\(key)")
    }
  }

  @Test("More names than the cache holds are still right")
  func overflow() throws {
    for round in 0..<2 {
      for number in 0..<5000 where round == 0 || number % 100 == 0 {
        #expect(try ours("someKey\(number)Name") == "some_key\(number)_name")
      }
    }
  }
}
