import LinnetBytes
import LinnetCompression
import LinnetTestRandom
import Testing

@Suite("Inflater")
struct InflaterTests {
  static let formats: [(Deflater.Format, Inflater.Format)] = [
    (.gzip, .gzip), (.zlib, .zlib), (.raw, .raw), (.zlib, .zlibOrRaw), (.raw, .zlibOrRaw),
  ]

  @Test("what a Deflater made is restored, however it is cut", arguments: formats, Cut.allCases)
  func roundTrip(formats: (Deflater.Format, Inflater.Format), cut: Cut) throws {
    for original in [[], [7], jsonLike(count: 5000), noise(count: 3000), jsonLike(count: 200_000)] {
      let coded = try Deflater.compress(original.span, as: formats.0)
      #expect(inflate(coded, formats.1, cut) == Outcome(bytes: original))
    }
  }

  @Test("levels 0 to 9 are read", arguments: 0...9)
  func levels(level: Int) throws {
    let original = jsonLike(count: 20_000)
    let coded = try Deflater.compress(original.span, as: .gzip, level: level)
    #expect(inflate(coded, .gzip) == Outcome(bytes: original))
  }

  @Test("gzip members decode to the concatenation of their contents", arguments: Cut.allCases)
  func members(cut: Cut) throws {
    let one = jsonLike(count: 900)
    let two = noise(count: 500)
    let empty: [UInt8] = []
    let coded =
      try Deflater.compress(one.span) + Deflater.compress(empty.span) + Deflater.compress(two.span)
    #expect(inflate(coded, .gzip, cut) == Outcome(bytes: one + two))
  }

  @Test("bytes after the end of the stream are ignored", arguments: formats, Cut.allCases)
  func trailingBytes(formats: (Deflater.Format, Inflater.Format), cut: Cut) throws {
    let original = jsonLike(count: 100)
    let coded = try Deflater.compress(original.span, as: formats.0)
    for trailer: [UInt8] in [[0], [0, 0, 0, 0], [13, 10], [0x1F], [0x1F, 0x1F, 0x8B], Array("garbage".utf8)] {
      #expect(inflate(coded + trailer, formats.1, cut) == Outcome(bytes: original))
    }
  }

  @Test("a broken second member is an error, not trailing garbage")
  func brokenSecondMember() throws {
    let original = jsonLike(count: 100)
    let coded = try Deflater.compress(original.span)
    let outcome = inflate(coded + [0x1F, 0x8B, 0xFF, 0, 0, 0, 0, 0, 0, 0], .gzip)
    #expect(outcome.bytes == original)
    #expect(outcome.error == .corrupt(coding: "gzip", detail: "unknown compression method"))
  }

  @Test("all optional gzip header fields are skipped", arguments: Cut.allCases)
  func headerFields(cut: Cut) throws {
    let original = jsonLike(count: 100)
    let coded = try Deflater.compress(original.span)
    // FEXTRA, FNAME and FCOMMENT (RFC 1952 §2.3.1) in front of the compressed blocks.
    let header: [UInt8] = [0x1F, 0x8B, 8, 0x1C, 0, 0, 0, 0, 0, 3]
    let fields: [UInt8] = [3, 0, 1, 2, 3] + Array("name".utf8) + [0] + Array("comment".utf8) + [0]
    #expect(inflate(header + fields + coded.dropFirst(10), .gzip, cut) == Outcome(bytes: original))
  }

  @Test("a wrong check sum, length or first byte is an error", arguments: [0, -1, -5])
  func damage(position: Int) throws {
    let original = jsonLike(count: 100)
    var coded = try Deflater.compress(original.span)
    coded[position < 0 ? coded.count + position : position] ^= 0x55
    let error = try #require(inflate(coded, .gzip).error)
    guard case .corrupt(coding: "gzip", _) = error else {
      Issue.record("unexpected \(error)")
      return
    }
  }

  @Test("a zlib stream that wants a preset dictionary is refused")
  func dictionary() {
    let outcome = inflate([0x78, 0xBB, 0, 0, 0, 1, 3, 0], .zlib)
    #expect(outcome.error == .corrupt(coding: "zlib", detail: "it needs a preset dictionary"))
  }

  @Test("every proper prefix is incomplete", arguments: formats)
  func truncation(formats: (Deflater.Format, Inflater.Format)) throws {
    let original = jsonLike(count: 300)
    let coded = try Deflater.compress(original.span, as: formats.0)
    for length in 1..<coded.count {
      let outcome = inflate(Array(coded.prefix(length)), formats.1)
      #expect(outcome.error == .truncated(coding: "incomplete"), "prefix of \(length)")
      #expect(original.starts(with: outcome.bytes))
    }
  }

  @Test("one call gives no more than its limit, also when a few bytes expand to millions", arguments: [1, 100, 65_536])
  func boundedOutput(limit: Int) throws {
    let original = [UInt8](repeating: 0, count: limit == 1 ? 5000 : 3_000_000)
    let coded = try Deflater.compress(original.span)
    var inflater = Inflater(.gzip)
    inflater.feed(ByteChunk(coded))
    var total = 0
    while let chunk = try inflater.next(upTo: limit) {
      #expect(chunk.count <= limit && !chunk.isEmpty)
      total += chunk.count
    }
    #expect(total == original.count)
    let (produced, consumed) = (inflater.producedBytes, inflater.consumedBytes)
    #expect(produced == UInt64(total) && consumed == UInt64(coded.count))
  }

  @Test("what is flushed can be decoded before the stream ends")
  func syncFlush() throws {
    var deflater = Deflater(.gzip)
    var inflater = Inflater(.gzip)
    for round in 0..<5 {
      let line = Array("event \(round)\n".utf8)
      inflater.feed(ByteChunk(try deflater.write(line.span, .sync)))
      var seen: [UInt8] = []
      while let chunk = try inflater.next() { seen.append(contentsOf: chunk) }
      #expect(seen == line)
      let isComplete = inflater.isComplete
      #expect(!isComplete)
    }
    let nothing: [UInt8] = []
    inflater.feed(ByteChunk(try deflater.write(nothing.span, .finish)))
    let rest = try inflater.next()
    let isComplete = inflater.isComplete
    #expect(rest == nil && isComplete)
  }

  @Test("feeding before the earlier chunk is used keeps the order")
  func feedTwice() throws {
    let original = jsonLike(count: 2000)
    let coded = try Deflater.compress(original.span)
    var inflater = Inflater(.gzip)
    inflater.feed(ByteChunk(Array(coded.prefix(20))))
    inflater.feed(ByteChunk(Array(coded.dropFirst(20))))
    var seen: [UInt8] = []
    while let chunk = try inflater.next() { seen.append(contentsOf: chunk) }
    #expect(seen == original)
  }

  @Test("random bytes give bytes or one error, the same for every cut, and the error stays")
  func totality() throws {
    for seed in 0..<300 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let original = jsonLike(count: 400, seed: UInt64(seed))
      var coded = try Deflater.compress(original.span)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        coded[Int.random(in: 0..<coded.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let whole = inflate(coded, .gzip)
      for cut in Cut.allCases { #expect(inflate(coded, .gzip, cut) == whole, "seed \(seed), \(cut)") }
      guard let error = whole.error, case .corrupt = error else { continue }
      var inflater = Inflater(.gzip)
      inflater.feed(ByteChunk(coded))
      #expect(throws: CompressionError.self) { while try inflater.next() != nil {} }
      inflater.feed(ByteChunk([1, 2, 3]))
      #expect(throws: error) { try inflater.next() }
    }
  }
}
