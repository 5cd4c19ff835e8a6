import LinnetBytes
import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite("HTTPHeaders as bytes")
struct HTTPHeadersBytesTests {
  private func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }
  private func text(_ span: Span<UInt8>) -> String { String(decoding: bytes(span), as: UTF8.self) }

  private func firstValue(of name: String, in headers: HTTPHeaders) -> String? {
    guard let value = headers.firstValueBytes(of: name) else { return nil }
    return text(value)
  }

  private func parsed(_ fields: [(String, [UInt8])]) -> HTTPHeaders {
    var headers = HTTPHeaders()
    headers.reserve(bytes: 64, fields: fields.count)
    for (name, value) in fields { headers.appendUnchecked(name: name.utf8Span.span, value: value.span) }
    return headers
  }

  @Test("received UTF-8 is text, other bytes are Latin-1, and the bytes themselves are kept")
  func decoding() {
    let headers = parsed([
      ("A", Array("gr\u{FC}n".utf8)), ("B", [0x67, 0xFC, 0x6E]), ("C", [0xC3]), ("D", [0xED, 0xA0, 0x80]),
    ])
    #expect(headers["A"] == "gr\u{FC}n")
    #expect(headers["B"] == "g\u{FC}n")
    #expect(headers["C"] == "\u{C3}")
    #expect(headers["D"] == "\u{ED}\u{A0}\u{80}")
    let raw = bytes(headers.valueBytes(at: 1))
    #expect(raw == [0x67, 0xFC, 0x6E])
  }

  @Test("every byte value is shown as some text and none is lost")
  func allBytes() {
    let all = (0...255).map { UInt8($0) }
    let headers = parsed([("A", all)])
    #expect(headers["A"]?.unicodeScalars.map(\.value) == all.map(UInt32.init))
  }

  @Test("look-ups by bytes find the first value and count repeats")
  func lookUp() {
    let headers = parsed([("Content-Length", [0x31]), ("X", [0x32]), ("content-length", [0x33])])
    #expect(firstValue(of: "CONTENT-LENGTH", in: headers) == "1")
    #expect(firstValue(of: "missing", in: headers) == nil)
    #expect(headers.count(of: "content-length") == 2)
    #expect(headers.nextIndex(of: "content-length", from: 1) == 2)
    #expect(headers.nextIndex(of: "content-length", from: -5) == 0)
    #expect(headers.nextIndex(of: "content-length", from: 3) == nil)
    var values: [String] = []
    headers.forEachValue(of: "content-length") { values.append(text($0)) }
    #expect(values == ["1", "3"])
  }

  @Test("an index outside gives no bytes")
  func outside() {
    let headers = parsed([("A", [0x31])])
    for index in [-1, 1, Int.max, Int.min] {
      let name = text(headers.nameBytes(at: index))
      let value = text(headers.valueBytes(at: index))
      #expect(name.isEmpty && value.isEmpty)
      #expect(!headers.isSensitive(at: index))
    }
  }

  @Test("a block is referred to by its fields")
  func block() {
    let section = "Host: a\r\nX-Empty:\r\nContent-Length:  12 \r\n\r\n"
    var headers = parsed([("First", [0x31])])
    let base = headers.appendBlock(section.utf8Span.span)
    headers.appendField(name: base..<(base + 4), value: (base + 6)..<(base + 7))
    headers.appendField(name: (base + 9)..<(base + 16), value: (base + 17)..<(base + 17))
    headers.appendField(name: (base + 19)..<(base + 33), value: (base + 36)..<(base + 38))
    #expect(headers.map(\.description) == ["First: 1", "Host: a", "X-Empty: ", "Content-Length: 12"])
    #expect(headers.value(for: "content-length") == "12")
    headers.update("First", "2")
    headers.remove("x-empty")
    #expect(headers.map(\.description) == ["First: 2", "Host: a", "Content-Length: 12"])
  }

  @Test("a field outside the block is refused, not trapped on", arguments: [5..<9, -1..<2, 0..<Int.max])
  func blockOutside(_ range: Range<Int>) {
    var headers = HTTPHeaders()
    _ = headers.appendBlock("abcdef".utf8Span.span)
    headers.appendField(name: range, value: 0..<1)
    headers.appendField(name: 0..<1, value: range)
    #expect(headers.isEmpty)
    #expect(throws: HTTPHeaderError.self) { try headers.validate() }
  }

  @Test("whatever was changed and however it was received, the written lines are those of the fields")
  func writingAfterChanges() {
    var generator = SeededGenerator(seed: 21)
    let sections = ["A: 1\r\nB:2\r\nC:\t3\r\nD: 4\nE: 5", "F:  6\r\nG: \r\n", "H: 7\r\nI : 8"]
    for _ in 0..<2000 {
      var headers = HTTPHeaders()
      for _ in 0..<Int.random(in: 0...8, using: &generator) {
        let name = ["A", "B", "H", "X", "Y"].randomElement(using: &generator) ?? "A"
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
          let section = Array((sections.randomElement(using: &generator) ?? "").utf8)
          let base = headers.appendBlock(section.span)
          for line in section.indices.split(whereSeparator: { section[$0] == 0x0A }) {
            guard let colon = line.first(where: { section[$0] == 0x3A }) else { continue }
            let value = (colon + 1..<line.endIndex).filter { section[$0] > 0x20 }
            let start = value.first ?? line.endIndex
            headers.appendField(
              name: (base + line.startIndex)..<(base + line.startIndex + 1),
              value: (base + start)..<(base + (value.last.map { $0 + 1 } ?? start)))
          }
        case 1: headers.update(name, "updated")
        case 2: headers.remove(name)
        case 3: headers.sort()
        case 4: headers.add(contentsOf: headers)
        default: headers.add(name, "added")
        }
      }
      let expected = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
      var out = WriteBuffer()
      headers.write(into: &out)
      let written = String(decoding: out.takeAll(), as: UTF8.self)
      #expect(written == expected)
    }
  }

  @Test("fields are written as field lines, byte by byte")
  func writing() {
    let headers = parsed([("A", [0xFF]), ("b", [])])
    var out = WriteBuffer()
    headers.write(into: &out)
    #expect(out.takeAll() == Array("A: ".utf8) + [0xFF] + Array("\r\nb: \r\n".utf8))
  }

  @Test("a header that is replaced again and again does not grow the arena")
  func compaction() {
    var headers: HTTPHeaders = ["Keep": "this", "Counter": "0"]
    for round in 0..<10_000 { headers["Counter"] = "\(round)" }
    #expect(headers["counter"] == "9999")
    #expect(headers["keep"] == "this")
    #expect(headers.storedByteCount <= 4 * headers.byteCount)
    headers.remove("counter")
    headers.remove("keep")
    #expect(headers.storedByteCount == 0)
  }

  @Test("reserving a negative amount does nothing")
  func reserve() {
    var headers = HTTPHeaders()
    headers.reserve(bytes: -1, fields: Int.min)
    #expect(headers.isEmpty)
  }
}

@Suite("Comma-separated lists")
struct FieldListScannerTests {
  private func members(_ value: String) -> [String] {
    let bytes = value.utf8Span.span
    var scanner = FieldListScanner()
    var members: [String] = []
    while let range = scanner.next(in: bytes) {
      members.append(String(decoding: range.map { bytes[$0] }, as: UTF8.self))
    }
    return members
  }

  @Test(
    "members are split at commas outside quotes, trimmed, and empty ones skipped",
    arguments: [
      ("", []), (" ", []), (",", []), (" , ,, ", []), ("a", ["a"]), ("a,b", ["a", "b"]),
      (" a\t, b ,", ["a", "b"]), (",a", ["a"]), ("\"a,b\",c", ["\"a,b\"", "c"]),
      ("x=\"a\\\",b\", c", ["x=\"a\\\",b\"", "c"]), ("\"open, end", ["\"open, end"]), ("\"a\\", ["\"a\\"]),
      ("a\\,b", ["a\\", "b"]), ("gzip;q=0.5, br", ["gzip;q=0.5", "br"]),
    ] as [(String, [String])])
  func table(_ value: String, _ expected: [String]) {
    #expect(members(value) == expected)
  }

  @Test("the list goes across fields of one name")
  func acrossFields() {
    let headers: HTTPHeaders = [HTTPHeader("Connection", "keep-alive, X"), HTTPHeader("connection", ",Close ")]
    var found: [String] = []
    headers.forEachListMember(of: "CONNECTION") { member in
      found.append(String(decoding: member.indices.map { member[$0] }, as: UTF8.self))
    }
    #expect(found == ["keep-alive", "X", "Close"])
    #expect(headers.listContains("close", in: "connection"))
    #expect(headers.listContains("x", in: "connection"))
    #expect(!headers.listContains("clos", in: "connection"))
    #expect(!headers.listContains("close", in: "upgrade"))
    #expect(!headers.listContains("", in: "connection"))
  }

  @Test("random bytes never trap and every member is found inside the value")
  func random() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<5000 {
      let value = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
        Array(",\" \\a\t".utf8).randomElement(using: &generator) ?? 0
      }
      var scanner = FieldListScanner()
      var end = 0
      while let range = scanner.next(in: value.span) {
        #expect(!range.isEmpty && range.lowerBound >= end && range.upperBound <= value.count)
        end = range.upperBound
      }
      #expect(scanner.next(in: value.span) == nil)
    }
  }
}
