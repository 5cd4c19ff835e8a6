import LinnetBytes
import LinnetHTTPTypes
import LinnetTestRandom
import Testing

extension HTTPHeader {
  fileprivate var isValid: Bool { (try? validate()) != nil }
}

@Suite("HTTPHeaders")
struct HTTPHeadersTests {
  private func pairs(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name)=\($0.value)" } }

  @Test("add appends and keeps order, spelling and repeats")
  func addKeepsAll() throws {
    var headers = HTTPHeaders()
    try headers.add(name: "B", value: "1")
    headers.add("a", "2")
    headers.add(HTTPHeader("b", "3"))
    #expect(pairs(headers) == ["B=1", "a=2", "b=3"])
    #expect(headers.count == 3)
  }

  @Test("names are found without case", arguments: ["content-type", "CONTENT-TYPE", "Content-Type", "cOnTeNt-tYpE"])
  func caseInsensitive(_ name: String) {
    let headers: HTTPHeaders = ["Content-Type": "text/plain"]
    #expect(headers.value(for: name) == "text/plain")
    #expect(headers.values(for: name) == ["text/plain"])
    #expect(headers[name] == "text/plain")
    #expect(headers.contains(name))
  }

  @Test("only ASCII letters fold: [ and { or @ and ` are different names, and K is not the Kelvin sign")
  func foldingIsASCII() {
    var headers = HTTPHeaders()
    headers.add("a^", "1")
    #expect(!headers.contains("a~"))
    headers.add("k", "2")
    #expect(!headers.contains("\u{212A}"))
  }

  @Test("names of equal length that differ in one byte are not confused")
  func nearNames() {
    let names = (0..<40).map { position in
      String(decoding: (0..<40).map { $0 == position ? UInt8(ascii: "b") : UInt8(ascii: "a") }, as: UTF8.self)
    }
    let headers = HTTPHeaders(names.map { HTTPHeader($0, $0) })
    for name in names { #expect(headers.values(for: name) == [name]) }
  }

  @Test("value(for:) joins repeats with comma and space; values(for:) lists them")
  func join() {
    let headers: HTTPHeaders = [HTTPHeader("Accept", "a"), HTTPHeader("X", "y"), HTTPHeader("accept", "b")]
    #expect(headers.value(for: "ACCEPT") == "a, b")
    #expect(headers.values(for: "ACCEPT") == ["a", "b"])
    #expect(headers.value(for: "missing") == nil)
    #expect(headers.values(for: "missing").isEmpty)
  }

  @Test("update replaces every match and keeps the position of the first")
  func updateKeepsPosition() throws {
    var headers: HTTPHeaders = [HTTPHeader("A", "1"), HTTPHeader("B", "2"), HTTPHeader("a", "3"), HTTPHeader("C", "4")]
    headers.update("a", "new")
    #expect(pairs(headers) == ["a=new", "B=2", "C=4"])
    try headers.update(name: "D", value: "5")
    headers.update(HTTPHeader("b", "6"))
    #expect(pairs(headers) == ["a=new", "b=6", "C=4", "D=5"])
  }

  @Test("remove drops every match")
  func removeDropsAll() {
    var headers: HTTPHeaders = [HTTPHeader("A", "1"), HTTPHeader("B", "2"), HTTPHeader("a", "3")]
    headers.remove("A")
    #expect(pairs(headers) == ["B=2"])
    headers.remove(name: "missing")
    headers.remove(name: "b")
    #expect(headers.isEmpty)
  }

  @Test("a dictionary literal has update semantics, an array literal is verbatim")
  func literals() {
    let dictionary: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    #expect(pairs(dictionary) == ["a=3", "B=2"])
    let array: HTTPHeaders = [HTTPHeader("A", "1"), HTTPHeader("B", "2"), HTTPHeader("a", "3")]
    #expect(pairs(array) == ["A=1", "B=2", "a=3"])
    #expect(pairs(HTTPHeaders(["b": "2", "A": "1"])) == ["A=1", "b=2"])
  }

  @Test("sort orders by name without case and keeps the order of repeats")
  func sorting() {
    let headers: HTTPHeaders = [
      HTTPHeader("b", "1"), HTTPHeader("C", "2"), HTTPHeader("A", "3"), HTTPHeader("B", "0"), HTTPHeader("a", "4"),
      HTTPHeader("aa", "5"),
    ]
    #expect(pairs(headers.sorted()) == ["A=3", "a=4", "aa=5", "b=1", "B=0", "C=2"])
    var copy = headers
    copy.sort()
    #expect(copy == headers.sorted())
    #expect(copy != headers)
  }

  @Test("dictionary collapses repeats under the first spelling")
  func dictionary() {
    let headers: HTTPHeaders = [HTTPHeader("X-A", "1"), HTTPHeader("B", "2"), HTTPHeader("x-a", "3")]
    #expect(headers.dictionary == ["X-A": "1, 3", "B": "2"])
  }

  @Test("typed single keys replace and remove, typed repeatable keys append and list")
  func typedKeys() {
    var headers = HTTPHeaders()
    headers[.contentType] = "a/b"
    headers[.contentType] = "c/d"
    #expect(headers.values(for: "content-type") == ["c/d"])
    #expect(headers[.contentType] == "c/d")
    headers[.contentType] = nil
    #expect(headers.isEmpty)
    headers.append(.setCookie, value: "a=1")
    headers.append(.setCookie, value: "b=2")
    #expect(headers.values(for: .setCookie) == ["a=1", "b=2"])
    #expect(headers.contains(.setCookie))
    headers.remove(.setCookie)
    #expect(headers.isEmpty)
    let custom = HTTPHeaderName<SingleValueHeader>("X-Name")
    headers[custom] = "v"
    #expect(headers["x-name"] == "v")
    headers.remove(custom)
    #expect(headers.isEmpty)
  }

  @Test("keys are equal without case and have canonical names")
  func keys() {
    #expect(HTTPHeaderName<SingleValueHeader>("ACCEPT") == .accept)
    #expect(Set([HTTPHeaderName<SingleValueHeader>("ACCEPT"), .accept]).count == 1)
    let single: [HTTPHeaderName<SingleValueHeader>] = [
      .authorization, .contentType, .userAgent, .host, .cookie, .ifNoneMatch, .ifModifiedSince, .accept,
      .acceptEncoding, .acceptLanguage,
    ]
    for key in single { #expect(key == HTTPHeaderName(key.rawValue)) }
    for key in [HTTPHeaderName<RepeatableHeader>.setCookie, .wwwAuthenticate] {
      #expect(key == HTTPHeaderName(key.rawValue))
      #expect(key.description == key.rawValue)
    }
  }

  @Test("copies are independent")
  func valueSemantics() {
    var first: HTTPHeaders = ["A": "1", "B": "2"]
    let second = first
    first.update("A", "changed")
    first.remove("B")
    first.add("C", "3")
    #expect(pairs(second) == ["A=1", "B=2"])
    #expect(pairs(first) == ["A=changed", "C=3"])
    var third = second
    third.removeAll()
    #expect(second.count == 2)
  }

  @Test("a set is equal to one with the same fields however it was made")
  func equality() {
    var changed: HTTPHeaders = ["X": "long value that will be garbage", "A": "1"]
    changed.update("X", "v")
    let fresh: HTTPHeaders = ["x": "v", "a": "1"]
    #expect(changed == fresh)
    #expect(changed.hashValue == fresh.hashValue)
    #expect(fresh != ["a": "1", "x": "v"])
    #expect(fresh != ["x": "V", "a": "1"])
  }

  @Test("whitespace around a value is not part of it")
  func trimming() throws {
    var headers = HTTPHeaders()
    try headers.add(name: "A", value: " \t x y \t ")
    headers.add("B", "   ")
    #expect(pairs(headers) == ["A=x y", "B="])
  }

  @Test("text beyond ASCII is kept as UTF-8")
  func unicode() throws {
    var headers = HTTPHeaders()
    try headers.add(name: "A", value: "gr\u{FC}n \u{1F600}")
    #expect(headers["a"] == "gr\u{FC}n \u{1F600}")
  }

  @Test("add(contentsOf:) appends the fields in order with marks and errors")
  func addContents() {
    var headers: HTTPHeaders = ["A": "1"]
    var other: HTTPHeaders = [HTTPHeader("B", "2"), HTTPHeader(name: "K", value: "k", isSensitive: true)]
    other.add("bad name", "x")
    headers.add(contentsOf: other)
    headers.add(contentsOf: headers)
    #expect(pairs(headers) == ["A=1", "B=2", "K=k", "A=1", "B=2", "K=k"])
    #expect(headers[2].isSensitive && headers[5].isSensitive)
    #expect(throws: HTTPHeaderError.self) { try headers.validate() }
  }

  @Test("single-value fields collapse to the last value, other repeats stay")
  func collapse() {
    var headers: HTTPHeaders = [
      HTTPHeader("Host", "a"), HTTPHeader("Accept", "x"), HTTPHeader("host", "b"), HTTPHeader("Accept", "y"),
      HTTPHeader("HOST", "c"), HTTPHeader("Cookie", "1"), HTTPHeader("Cookie", "2"), HTTPHeader("Referer", "r"),
    ]
    headers.collapseSingleValueFields()
    #expect(pairs(headers) == ["HOST=c", "Accept=x", "Accept=y", "Cookie=2", "Referer=r"])
    for name in ["Authorization", "Proxy-Authorization", "Content-Type", "Content-Length", "User-Agent", "From"] {
      var twice: HTTPHeaders = [HTTPHeader(name, "1"), HTTPHeader(name, "2")]
      twice.collapseSingleValueFields()
      #expect(pairs(twice) == ["\(name)=2"])
    }
  }
}

@Suite("HTTPHeaders against injection")
struct HTTPHeadersInjectionTests {
  static let badValues: [(String, UInt8)] = [
    ("a\r\nX: y", 0x0D), ("a\ny", 0x0A), ("\rx", 0x0D), ("x\n", 0x0A), ("\r\n", 0x0D), ("a\0b", 0), ("a\u{1}", 1),
    ("\u{1B}[0m", 0x1B), ("a\u{7F}", 0x7F), ("\u{B}", 0x0B), ("a\u{C}", 0x0C), ("a\r\n b", 0x0D),
  ]

  @Test("a control byte in a value is refused, and nothing changes", arguments: badValues)
  func throwingAdd(_ value: String, _ byte: UInt8) {
    var headers: HTTPHeaders = ["X": "before"]
    let error = #expect(throws: HTTPHeaderError.self) { try headers.add(name: "X", value: value) }
    #expect(error?.reason == .controlInValue(byte))
    #expect(error?.name == "X")
    #expect(throws: HTTPHeaderError.self) { try headers.update(name: "X", value: value) }
    #expect(headers.values(for: "x") == ["before"])
    #expect(throws: Never.self) { try headers.validate() }
  }

  @Test("a name that is not a token is refused", arguments: ["", " ", "a b", "a:", "a\r\nb", "ä", "a\0", "(x)", "X "])
  func names(_ name: String) {
    var headers = HTTPHeaders()
    let error = #expect(throws: HTTPHeaderError.self) { try headers.add(name: name, value: "v") }
    #expect(error?.reason == (name.isEmpty ? .emptyName : .invalidName))
    headers.add(name, "v")
    #expect(headers.isEmpty)
    #expect(throws: HTTPHeaderError.self) { try headers.validate() }
  }

  @Test("exactly the token bytes of RFC 9110 may stand in a name, and exactly the field bytes in a value")
  func everyByte() {
    for value in 0..<128 {
      let byte = UInt8(value)
      let text = String(UnicodeScalar(byte))
      #expect(HTTPHeader(text, "").isValid == ASCII.isToken(byte), "\(value)")
      #expect(HTTPHeader("X", "a\(text)b").isValid == ASCII.isFieldValue(byte), "\(value)")
    }
  }

  @Test(
    "HTAB and obs-text may stand in a value", arguments: ["a\tb", "\u{80}", "\u{FF}", "x\u{85}y", "\u{10D}\u{10A}"])
  func allowed(_ value: String) {
    var headers = HTTPHeaders()
    #expect(throws: Never.self) { try headers.add(name: "X", value: value) }
    #expect(headers["X"] == value)
  }

  @Test("every non-throwing way in leaves an invalid field out and makes the set invalid", arguments: badValues)
  func recorded(_ value: String, _ byte: UInt8) {
    var added = HTTPHeaders()
    added.add("X", value)
    var header = HTTPHeaders()
    header.add(HTTPHeader("X", value))
    var updated = HTTPHeaders()
    updated.update("X", value)
    var updatedHeader = HTTPHeaders()
    updatedHeader.update(HTTPHeader("X", value))
    var subscripted = HTTPHeaders()
    subscripted["X"] = value
    var typed = HTTPHeaders()
    typed[HTTPHeaderName<SingleValueHeader>("X")] = value
    var appended = HTTPHeaders()
    appended.append(HTTPHeaderName<RepeatableHeader>("X"), value: value)
    let sets = [
      added, header, updated, updatedHeader, subscripted, typed, appended, ["X": value], [HTTPHeader("X", value)],
      HTTPHeaders([HTTPHeader("X", value)]), HTTPHeaders(["X": value] as [String: String]),
    ]
    for headers in sets {
      #expect(headers.isEmpty)
      let error = #expect(throws: HTTPHeaderError.self) { try headers.validate() }
      #expect(error?.reason == .controlInValue(byte))
      #expect(error?.name == "X")
    }
  }

  @Test("a recorded error goes away when the field is replaced or removed, not when another is")
  func forgiven() {
    var headers = HTTPHeaders()
    headers["X-A"] = "bad\n"
    headers["X-B"] = "fine"
    headers.remove("X-B")
    #expect(throws: HTTPHeaderError.self) { try headers.validate() }
    headers["x-a"] = "good"
    #expect(throws: Never.self) { try headers.validate() }
    headers["X-A"] = "bad\n"
    #expect(headers["x-a"] == "good")
    #expect(throws: HTTPHeaderError.self) { try headers.validate() }
    headers.remove("x-A")
    #expect(throws: Never.self) { try headers.validate() }
    headers.add("X-A", "bad\n")
    headers.add("X-A", "good")
    #expect(throws: HTTPHeaderError.self) { try headers.validate() }
    headers.removeAll()
    #expect(throws: Never.self) { try headers.validate() }
  }

  @Test("the error never shows the value")
  func secret() {
    var headers = HTTPHeaders()
    headers[.authorization] = "Bearer hunter2\n"
    let error = #expect(throws: HTTPHeaderError.self) { try headers.validate() }
    #expect(error.map { String(reflecting: $0).contains("hunter2") } == false)
    #expect(error?.description == "the value of header field \"Authorization\" contains the control byte 10")
    #expect(!headers.description.contains("hunter2"))
  }

  @Test("no sequence of random text reaches the wire with a control byte")
  func random() {
    var generator = SeededGenerator(seed: 11)
    let alphabet: [String] = ["a", "\r", "\n", "\0", ":", " ", "\t", "é", "\u{7F}", "\u{10D}", "Z", "-", "\u{2028}"]
    for _ in 0..<3000 {
      func text() -> String {
        (0..<Int.random(in: 0...5, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "" }
          .joined()
      }
      var headers = HTTPHeaders()
      headers.add(text(), text())
      headers[text()] = text()
      headers.update(HTTPHeader(text(), text()))
      var sent: [(name: [UInt8], value: [UInt8])] = []
      headers.forEachField { name, value in
        sent.append((name.indices.map { name[$0] }, value.indices.map { value[$0] }))
      }
      for (name, value) in sent {
        #expect(!name.isEmpty && name.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A })
        #expect(value.allSatisfy { $0 == 9 || $0 >= 0x20 && $0 != 0x7F })
      }
    }
  }
}
