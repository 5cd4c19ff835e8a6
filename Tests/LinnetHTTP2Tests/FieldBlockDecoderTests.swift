import FoundationEssentials
import LinnetHTTP2
import LinnetTestRandom
import Testing

@Suite("HPACK")
struct FieldBlockDecoderTests {
  private static let request = [
    HPACKField(":method", "GET"), HPACKField(":scheme", "https"), HPACKField(":authority", "a.test"),
    HPACKField(":path", "/x?y=z"), HPACKField("cookie", "secret", isNeverIndexed: true), HPACKField("x-empty", ""),
    HPACKField("x-a", "1"), HPACKField("x-a", "2"),
  ]

  private func decode(_ block: [UInt8], with decoder: inout FieldBlockDecoder) throws -> [HPACKField] {
    var fields: [HPACKField] = []
    try decoder.decode(block, endsBlock: true, into: &fields)
    return fields
  }

  @Test(
    "what was encoded is decoded, in order, with the mark of fields that nobody may index", arguments: [0, 64, 4096])
  func roundTrip(tableBytes: Int) throws {
    var encoder = try FieldBlockEncoder(tableBytes: tableBytes)
    var decoder = try FieldBlockDecoder()
    for _ in 0..<3 {
      let block = try encoder.encode(Self.request)
      #expect(try decode(block, with: &decoder) == Self.request)
    }
    let bytes = HPACKField(name: [0x00, 0xFF, 0x41], value: Array(0...255))
    let block = try encoder.encode([bytes])
    #expect(try decode(block, with: &decoder) == [bytes])
    #expect(try decode(try encoder.encode([]), with: &decoder).isEmpty)
  }

  @Test("a repeated head costs a byte a field, except for those that are never indexed")
  func compression() throws {
    var encoder = try FieldBlockEncoder()
    let fields = [HPACKField("x-one", "a value of some length"), HPACKField("x-two", "another value of some length")]
    let first = try encoder.encode(fields)
    #expect(first.count > 30)
    #expect(try encoder.encode(fields).count == 2)
    var secret = fields
    secret[1].isNeverIndexed = true
    #expect(try encoder.encode(secret).count > 10)
  }

  @Test("a table size that the peer changed is stated by the next block, and obeyed")
  func tableSize() throws {
    var encoder = try FieldBlockEncoder()
    var decoder = try FieldBlockDecoder()
    #expect(try decode(try encoder.encode(Self.request), with: &decoder) == Self.request)
    try encoder.setTableBytes(0)
    try decoder.setTableBytes(0)
    let block = try encoder.encode(Self.request)
    // RFC 7541 §6.3: 001 and a size in five bits.
    #expect(block.first == 0x20)
    #expect(try decode(block, with: &decoder) == Self.request)
  }

  @Test("a block that ignores a smaller table breaks the connection, and so does one with a larger table than allowed")
  func tableSizeViolated() throws {
    var decoder = try FieldBlockDecoder()
    try decoder.setTableBytes(100)
    #expect(throws: Self.broken) { try decode([0x82], with: &decoder) }
    decoder = try FieldBlockDecoder()
    // A size of 4,097 bytes: 31, then 4,066 in groups of seven bits.
    #expect(throws: Self.broken) { try decode([0x3F, 0xE2, 0x1F], with: &decoder) }
    decoder = try FieldBlockDecoder(tableBytes: 4097)
    #expect(try decode([0x3F, 0xE2, 0x1F, 0x82], with: &decoder) == [HPACKField(":method", "GET")])
  }

  private static let broken = HTTP2Error(.connection, .remote, .compressionError, .compression)

  @Test(
    "a broken block breaks the connection for good",
    arguments: [
      ("index 0", [0x80]), ("an index beyond both tables", [0xFF, 0x80, 0x01]),
      ("a name without a value", [0x40, 0x01, 0x61]), ("a cut literal", [0x40, 0x05, 0x61]),
      ("an index that never ends", [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      ("Huffman padding with zeros", [0x40, 0x81, 0x18, 0x01, 0x61]),
      ("a size change behind a field", [0x82, 0x20]),
    ] as [(String, [UInt8])])
  func malformed(_ what: String, _ block: [UInt8]) throws {
    var decoder = try FieldBlockDecoder()
    #expect(throws: Self.broken) { try decode(block, with: &decoder) }
    #expect(throws: Self.broken) { try decode([0x82], with: &decoder) }
  }

  @Test("a section that expands beyond the limit is an error of its stream, and the table stays right")
  func limit() throws {
    var encoder = try FieldBlockEncoder()
    var decoder = try FieldBlockDecoder(maximumSectionBytes: 1000)
    // A bomb: one field of 300 bytes, and a hundred references to it of one byte each.
    let large = HPACKField("x-bomb", String(repeating: "b", count: 300))
    let block = try encoder.encode(Array(repeating: large, count: 100))
    #expect(block.count < 500)
    var fields: [HPACKField] = []
    #expect(throws: HTTP2Error(.stream, .remote, .enhanceYourCalm, .fieldSectionTooLarge(limit: 1000))) {
      try decoder.decode(block, endsBlock: true, into: &fields)
    }
    // What was kept before the limit stays within it.
    #expect(fields == [large, large])
    #expect(try decode(try encoder.encode([large]), with: &decoder) == [large])
    let exact = HPACKField("n", String(repeating: "v", count: 1000 - 33))
    #expect(exact.sectionBytes == 1000)
    #expect(try decode(try encoder.encode([exact]), with: &decoder) == [exact])
  }

  @Test("random bytes are fields or an error, never more")
  func randomBytes() throws {
    var random = SeededGenerator(seed: 7)
    var failures = 0
    for _ in 0..<5000 {
      var decoder = try FieldBlockDecoder(maximumSectionBytes: 10_000)
      let length = Int.random(in: 0...60, using: &random)
      let block = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      var fields: [HPACKField] = []
      do { try decoder.decode(block, endsBlock: true, into: &fields) } catch { failures += 1 }
      #expect(fields.reduce(0) { $0 + $1.sectionBytes } <= 10_000)
    }
    #expect(failures > 1000)
  }
}

/// The vectors lie in a data folder next to the project.
enum HPACKVectorFile {
  static let path: String? = {
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return ["../shared", "../../shared"].map { "/\(package)/\($0)/conformance/data/hpack.json" }
      .first { FileManager.default.fileExists(atPath: $0) }
  }()
}

/// The vectors of hpack-test-case: whole connections as four encoders compressed them.
@Suite("HPACK vectors", .enabled(if: HPACKVectorFile.path != nil, "the folder ../shared/conformance/data is missing"))
struct HPACKVectors {
  struct File: Decodable {
    var stories: [String: [Block]]
  }

  struct Block: Decodable {
    var wire: String
    var headers: [[String: String]]
    /// SETTINGS_HEADER_TABLE_SIZE from this block on.
    var header_table_size: Int?
  }

  private func stories() throws -> [String: [Block]] {
    let data = try Data(contentsOf: URL(filePath: try #require(HPACKVectorFile.path)))
    return try JSONDecoder().decode(File.self, from: data).stories
  }

  private func bytes(_ hexadecimal: String) throws -> [UInt8] {
    let digits = Array(hexadecimal.utf8)
    return try stride(from: 0, to: digits.count - 1, by: 2).map {
      try #require(UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16))
    }
  }

  @Test("every block decodes to its headers, whole and cut anywhere", arguments: [false, true])
  func stories(inPieces: Bool) throws {
    var random = SeededGenerator(seed: 1)
    var blocks = 0
    for (name, story) in try stories() {
      var decoder = try FieldBlockDecoder()
      var tableBytes = 4096
      for (index, block) in story.enumerated() {
        if let size = block.header_table_size, size != tableBytes {
          try decoder.setTableBytes(size)
          tableBytes = size
        }
        let wire = try bytes(block.wire)
        var fields: [HPACKField] = []
        var start = 0
        while inPieces && start < wire.count && Bool.random(using: &random) {
          let end = Int.random(in: start...wire.count, using: &random)
          try decoder.decode(Array(wire[start..<end]), endsBlock: false, into: &fields)
          start = end
        }
        try decoder.decode(Array(wire[start...]), endsBlock: true, into: &fields)
        let expected = block.headers.flatMap { $0.map { HPACKField($0.key, $0.value) } }
        let decoded = fields.map { HPACKField(name: $0.name, value: $0.value) }
        #expect(decoded == expected, "\(name), block \(index)")
        blocks += 1
      }
    }
    #expect(blocks > 300)
  }

  @Test("what is encoded from the vectors decodes to them again, in a table of any size", arguments: [0, 500, 4096])
  func encoded(tableBytes: Int) throws {
    for (name, story) in try stories() {
      var encoder = try FieldBlockEncoder(tableBytes: tableBytes)
      var decoder = try FieldBlockDecoder()
      for block in story {
        let expected = block.headers.flatMap { $0.map { HPACKField($0.key, $0.value) } }
        var fields: [HPACKField] = []
        try decoder.decode(try encoder.encode(expected), endsBlock: true, into: &fields)
        #expect(fields.map { HPACKField(name: $0.name, value: $0.value) } == expected, "\(name)")
      }
    }
  }
}
