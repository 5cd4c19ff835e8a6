import LinnetBytes
import LinnetCompression
import Testing

@Suite("ContentDecoder")
struct ContentDecoderTests {
  @Test(
    "Content-Encoding is a list of names without case",
    arguments: [
      ("gzip", [.gzip]), ("X-GZip", [.gzip]), ("deflate", [.deflate]), ("gzip, deflate", [.gzip, .deflate]),
      ("identity", []), ("", []), (" \t", []), (",,gzip , ,identity,", [.gzip]),
      ("gzip,gzip,gzip,gzip", [.gzip, .gzip, .gzip, .gzip]),
    ] as [(String, [ContentCoding])])
  func list(value: String, codings: [ContentCoding]) {
    #expect(ContentDecoder.parse(Array(value.utf8).span) == codings)
  }

  @Test(
    "an unknown coding or a stack of five leaves the body as it is",
    arguments: ["br", "gzip, br", "gzip;q=1", "g zip", "gzip,gzip,gzip,gzip,gzip", "gzip\0"])
  func unknown(value: String) {
    #expect(ContentDecoder.parse(Array(value.utf8).span) == nil)
  }

  @Test("a body is decoded, however it is cut", arguments: Cut.allCases)
  func decodes(cut: Cut) throws {
    let original = jsonLike(count: 70_000)
    let gzip = try Deflater.compress(original.span)
    let zlib = try Deflater.compress(original.span, as: .zlib)
    let raw = try Deflater.compress(original.span, as: .raw)
    #expect(decode(gzip, [.gzip], cut) == Outcome(bytes: original))
    #expect(decode(zlib, [.deflate], cut) == Outcome(bytes: original))
    #expect(decode(raw, [.deflate], cut) == Outcome(bytes: original))
    #expect(decode(original, [], cut) == Outcome(bytes: original))
  }

  @Test("codings are taken off from the last to the first", arguments: Cut.allCases)
  func stack(cut: Cut) throws {
    let original = jsonLike(count: 10_000)
    let inner = try Deflater.compress(original.span)
    let outer = try Deflater.compress(inner.span, as: .zlib)
    #expect(decode(outer, [.gzip, .deflate], cut) == Outcome(bytes: original))
    #expect(decode(outer, [.deflate, .gzip], cut).error != nil)
    let third = try Deflater.compress(outer.span)
    let fourth = try Deflater.compress(third.span)
    #expect(decode(fourth, [.gzip, .deflate, .gzip, .gzip], cut) == Outcome(bytes: original))
  }

  @Test("more codings than the limit are an error")
  func tooMany() {
    let outcome = decode([1, 2, 3], [ContentCoding](repeating: .gzip, count: 5))
    #expect(outcome.error == .tooManyCodings(limit: 4))
  }

  @Test(
    "an empty body is complete whatever its codings",
    arguments: [[], [.gzip], [.deflate], [.gzip, .deflate]] as [[ContentCoding]])
  func empty(codings: [ContentCoding]) {
    #expect(decode([], codings) == Outcome())
  }

  @Test("a truncated stream is an error at the end of the body", arguments: [ContentCoding.gzip, .deflate])
  func truncated(coding: ContentCoding) throws {
    let original = jsonLike(count: 1000)
    let coded = try Deflater.compress(original.span, as: coding == .gzip ? .gzip : .zlib)
    for length in 1..<coded.count {
      let outcome = decode(Array(coded.prefix(length)), [coding])
      #expect(outcome.error == .truncated(coding: coding == .gzip ? "gzip" : "deflate"))
    }
  }

  @Test("text labelled as gzip is an error that names the coding")
  func mislabelled() {
    let outcome = decode(Array("<!doctype html>".utf8), [.gzip])
    #expect(outcome.error == .corrupt(coding: "gzip", detail: "incorrect header check"))
    #expect(outcome.error?.description == "the gzip body is corrupt: incorrect header check")
  }

  @Test("3 KB that give 60 KB pass by default")
  func honestJSON() throws {
    let original = jsonLike(count: 60_000)
    let coded = try Deflater.compress(original.span)
    #expect(coded.count < 12_000)
    #expect(decode(coded, [.gzip]) == Outcome(bytes: original))
    let repetitive = [UInt8](repeating: 0x20, count: 16 << 20)
    #expect(try decode(Deflater.compress(repetitive.span), [.gzip]).error == nil)
  }

  @Test("a bomb is stopped just above the floor, and the error names limit and setting", arguments: Cut.allCases)
  func bomb(cut: Cut) throws {
    // 65 MiB of zeros in about 64 KiB, compressed piece by piece.
    var deflater = Deflater(.gzip, level: 9)
    let piece = [UInt8](repeating: 0, count: 1 << 20)
    var coded: [UInt8] = []
    for _ in 0..<64 { coded += try deflater.write(piece.span) }
    coded += try deflater.write(piece.span, .finish)

    let outcome = decode(coded, [.gzip], cut)
    #expect(outcome.bytes.count <= 16 << 20)
    guard case .ratioExceeded(limit: 250, let wire, let expanded) = outcome.error else {
      Issue.record("unexpected \(String(describing: outcome.error))")
      return
    }
    #expect(expanded > 16 << 20 && expanded <= 16 << 20 + 65_536 && wire < 40_000)
    #expect(outcome.error?.description.contains("250 times as many (setting: maximumRatio)") == true)
  }

  @Test("a bomb in a bomb is stopped by its wire size")
  func nestedBomb() throws {
    let zeros = [UInt8](repeating: 0, count: 64 << 20)
    let inner = try Deflater.compress(zeros.span, level: 9)
    let coded = try Deflater.compress(inner.span, level: 9)
    #expect(coded.count < 1000)
    let outcome = decode(coded, [.gzip, .gzip])
    #expect(outcome.bytes.count <= 16 << 20)
    guard case .ratioExceeded = outcome.error else {
      Issue.record("unexpected \(String(describing: outcome.error))")
      return
    }
  }

  @Test("expansion in the middle of a stack counts, also when nothing comes out")
  func hiddenExpansion() throws {
    // A long run of empty stored blocks: five bytes each that decode to nothing, and compress very well.
    let emptyBlocks = [[UInt8]](repeating: [0, 0, 0, 0xFF, 0xFF], count: 4_000_000).flatMap { $0 }
    let coded = try Deflater.compress(emptyBlocks.span, level: 9)
    let outcome = decode(coded, [.deflate, .gzip])
    #expect(outcome.bytes.isEmpty)
    guard case .ratioExceeded = outcome.error else {
      Issue.record("unexpected \(String(describing: outcome.error))")
      return
    }
  }

  @Test("the absolute limit is exact, whatever the ratio", arguments: [(9_999, false), (10_000, true), (10_001, true)])
  func absoluteLimit(limit: UInt64, passes: Bool) throws {
    let original = noise(count: 10_000)
    let coded = try Deflater.compress(original.span)
    let outcome = decode(coded, [.gzip], limits: DecompressionLimits(maximumExpandedBytes: limit))
    #expect(outcome.error == (passes ? nil : .expandedSizeExceeded(limit: limit)))
    if !passes {
      #expect(
        outcome.error?.description
          == "the decoded body is larger than 9999 bytes (setting: maximumExpandedBytes)")
    }
  }

  @Test("without limits everything passes")
  func unlimited() throws {
    let zeros = [UInt8](repeating: 0, count: 20 << 20)
    let outcome = decode(try Deflater.compress(zeros.span), [.gzip], limits: .unlimited)
    #expect(outcome.error == nil && outcome.bytes.count == zeros.count)
  }

  @Test("an error stays, and input after it is not kept")
  func dead() {
    var decoder = ContentDecoder(codings: [.gzip])
    decoder.feed(ByteChunk("no gzip at all"))
    let expected = CompressionError.corrupt(coding: "gzip", detail: "incorrect header check")
    #expect(throws: expected) { try decoder.next() }
    decoder.feed(ByteChunk("more"))
    #expect(throws: expected) { try decoder.next() }
    #expect(throws: expected) { try decoder.finish() }
  }

  @Test("chunks are bounded and never empty, with and without a coding", arguments: [[], [.gzip]] as [[ContentCoding]])
  func chunkSizes(codings: [ContentCoding]) throws {
    let original = jsonLike(count: 1_000_000)
    var decoder = ContentDecoder(codings: codings)
    decoder.feed(ByteChunk(codings.isEmpty ? original : try Deflater.compress(original.span)))
    var seen: [UInt8] = []
    while let chunk = try decoder.next() {
      #expect(!chunk.isEmpty && chunk.count <= ContentDecoder.maximumChunkBytes)
      seen.append(contentsOf: chunk)
    }
    try decoder.finish()
    #expect(seen == original)
  }
}
