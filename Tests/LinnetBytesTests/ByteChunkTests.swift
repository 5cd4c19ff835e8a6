import LinnetBytes
import LinnetTestRandom
import Testing

@Suite("ByteChunk")
struct ByteChunkTests {
  @Test("slices behave like slices of the array, for every argument", arguments: 0..<60)
  func model(seed: Int) {
    var generator = SeededGenerator(seed: seed)
    var model = generator.bytes(Int.random(in: 0...40, using: &generator))
    var chunk = ByteChunk(model)
    for _ in 0..<8 {
      let length = Int.random(in: -3...45, using: &generator)
      if Bool.random(using: &generator) {
        chunk = chunk.prefix(length)
        model = Array(model.prefix(max(0, length)))
      } else {
        chunk = chunk.dropFirst(length)
        model = Array(model.dropFirst(max(0, length)))
      }
      #expect(chunk.count == model.count && chunk.isEmpty == model.isEmpty)
      #expect(chunk.array == model && Array(chunk) == model && chunk.compacted().array == model)
      #expect(chunk.indices.map { chunk.span[$0] } == model)
      #expect(chunk == ByteChunk(model) && chunk.hashValue == ByteChunk(model).hashValue)
    }
  }

  @Test("extreme lengths do not trap", arguments: [Int.min, -1, 0, Int.max])
  func extremes(length: Int) {
    let chunk = ByteChunk("abcdef").dropFirst(2)
    #expect(chunk.prefix(length).count == (length > 0 ? 4 : 0))
    #expect(chunk.dropFirst(length).count == (length > 0 ? 0 : 4))
  }

  @Test("equality looks at the bytes, not at the storage")
  func equality() {
    let chunk = ByteChunk("xabcx").dropFirst(1).prefix(3)
    #expect(chunk == ByteChunk("abc") && Set([chunk, ByteChunk("abc")]).count == 1)
    #expect(chunk != ByteChunk("abd") && chunk != ByteChunk("ab") && ByteChunk() == ByteChunk([]))
  }

  @Test("text in, text out; broken UTF-8 is replaced")
  func text() {
    #expect(String(ByteChunk("grüße")) == "grüße")
    #expect(String(ByteChunk([0x61, 0xFF])) == "a\u{FFFD}")
    #expect(ByteChunk("secret").description == "6 bytes")
  }

  @Test("appending to an array, copying from a span")
  func copies() {
    var bytes: [UInt8] = [1]
    bytes.append(contentsOf: ByteChunk([0, 2, 3, 0]).dropFirst(1).prefix(2))
    bytes.append(contentsOf: ByteChunk())
    #expect(bytes == [1, 2, 3])
    #expect(ByteChunk(copying: bytes.span).array == bytes)
  }

  @Test("raw access offers exactly the bytes and passes errors on")
  func rawAccess() {
    struct Refused: Error, Equatable {}
    let chunk = ByteChunk([9, 1, 2, 9]).dropFirst(1).prefix(2)
    let sum = unsafe chunk.withUnsafeBytes { unsafe $0.reduce(0) { $0 + Int($1) } * 10 + $0.count }
    #expect(sum == 32)
    #expect(throws: Refused()) { try unsafe chunk.withUnsafeBytes { _ throws(Refused) in throw Refused() } }
    let count = unsafe ByteChunk().withUnsafeBytes { $0.count }
    #expect(count == 0)
  }
}
