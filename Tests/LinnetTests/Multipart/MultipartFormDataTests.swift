import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite("Multipart forms")
struct MultipartFormDataTests {
  private func text(_ form: MultipartFormData) throws -> String { String(decoding: try form.encode(), as: UTF8.self) }

  private func parts(_ form: MultipartFormData) throws -> [MultipartReader.Part] {
    try MultipartReader.parts(of: Array(form.encode()), boundary: form.boundary)
  }

  private func disposition(_ name: String, fileName: String? = nil, _ encoding: MultipartNameEncoding) throws -> String
  {
    var form = MultipartFormData()
    form.nameEncoding = encoding
    form.append(Data(), name: name, fileName: fileName, mimeType: "a/b")
    let headers = try #require(try parts(form).first).headers
    #expect(headers.count == 2)
    return headers[0]
  }

  // MARK: Bytes

  @Test("The encoded form, byte for byte")
  func exactBytes() throws {
    var form = MultipartFormData(boundary: "B")
    form.append("kim", name: "name")
    form.append(Data("PNG".utf8), name: "image", fileName: "a.png")
    form.append(Data("x".utf8), name: "raw")
    let expected = """
      --B\r
      Content-Disposition: form-data; name="name"\r
      \r
      kim\r
      --B\r
      Content-Disposition: form-data; name="image"; filename="a.png"\r
      Content-Type: image/png\r
      \r
      PNG\r
      --B\r
      Content-Disposition: form-data; name="raw"\r
      \r
      x\r
      --B--\r

      """
    #expect(try text(form) == expected)
    #expect(form.contentTypeHeader == "multipart/form-data; boundary=B")
    #expect(form.estimatedEncodedSize == Int64(expected.utf8.count))
  }

  @Test("An empty form is its closing delimiter")
  func empty() throws {
    #expect(try text(MultipartFormData(boundary: "B")) == "--B--\r\n")
    #expect(MultipartFormData(boundary: "B").estimatedEncodedSize == 7)
  }

  @Test("Numbers and Booleans are written as texts")
  func scalars() throws {
    var form = MultipartFormData()
    form.append(-7, name: "int")
    form.append(true, name: "yes")
    form.append(false, name: "no")
    try form.append(0.1, name: "double")
    form.append("", name: "empty")
    form.append("한\r\n", name: "text")
    #expect(try parts(form).map(\.text) == ["-7", "true", "false", "0.1", "", "한\r\n"])
  }

  @Test("A number that is not finite is refused", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(_ value: Double) {
    var form = MultipartFormData()
    #expect(throws: MultipartError.notFinite(part: "v")) { try form.append(value, name: "v") }
  }

  @Test("Part lengths and text types are written on request")
  func options() throws {
    var form = MultipartFormData(boundary: "B", includesPartContentLength: true)
    form.includesTextContentType = true
    form.append("é", name: "t")
    #expect(
      try parts(form).map(\.headers) == [
        [
          "Content-Disposition: form-data; name=\"t\"", "Content-Type: text/plain; charset=UTF-8", "Content-Length: 2",
        ]
      ])
    #expect(form.estimatedEncodedSize == Int64(try form.encode().count))
  }

  // MARK: Names

  @Test(
    "Quotes, backslashes and control characters in names cannot end them",
    arguments: [
      ("a\"b", "a%22b"), ("a\\b", "a%5Cb"), ("a\rb\nc", "a%0Db%0Ac"), ("a\0\tb\u{7F}", "a%00%09b%7F"), ("100%", "100%"),
      ("", ""),
      ("a;b=c", "a;b=c"), ("a\"\r\nX-Injected: 1\r\n\r\nevil.txt", "a%22%0D%0AX-Injected: 1%0D%0A%0D%0Aevil.txt"),
    ])
  func escaping(_ name: String, _ expected: String) throws {
    for encoding in MultipartNameEncoding.allCases {
      #expect(
        try disposition(name, fileName: name, encoding)
          == "Content-Disposition: form-data; name=\"\(expected)\"; filename=\"\(expected)\"")
    }
  }

  @Test(
    "Non-ASCII names have an ASCII form and an extended one, or are UTF-8",
    arguments: [
      ("ü.txt", "_.txt", "%C3%BC.txt", "ü.txt"), ("u\u{308}", "_", "%C3%BC", "ü"),
      ("한글", "__", "%ED%95%9C%EA%B8%80", "한글"),
      ("a\"é", "a%22_", "a%22%C3%A9", "a%22é"), ("😀 (1)", "_ (1)", "%F0%9F%98%80%20%281%29", "😀 (1)"),
    ])
  func nonASCII(_ name: String, _ fallback: String, _ extended: String, _ utf8: String) throws {
    #expect(
      try disposition(name, .asciiWithExtension)
        == "Content-Disposition: form-data; name=\"\(fallback)\"; name*=UTF-8''\(extended)")
    #expect(
      try disposition("n", fileName: name, .asciiWithExtension)
        == "Content-Disposition: form-data; name=\"n\"; filename=\"\(fallback)\"; filename*=UTF-8''\(extended)")
    #expect(
      try disposition(name, fileName: name, .utf8).utf8.elementsEqual(
        "Content-Disposition: form-data; name=\"\(utf8)\"; filename=\"\(utf8)\"".utf8))
  }

  @Test("Random names and contents never make another part or header")
  func random() throws {
    var texts = RandomTexts(seed: 9)
    for round in 0..<2000 {
      var form = MultipartFormData()
      form.nameEncoding = round.isMultiple(of: 2) ? .utf8 : .asciiWithExtension
      let value = texts.text()
      form.append(value, name: texts.text())
      form.append(Data(value.utf8), name: texts.text(), fileName: texts.text())
      let parts = try parts(form)
      #expect(parts.map(\.headers.count) == [1, 2])
      #expect(parts.allSatisfy { $0.body.elementsEqual(value.utf8) })
      #expect(form.estimatedEncodedSize == Int64(try form.encode().count))
    }
  }

  @Test(
    "A MIME type with a forbidden character is refused", arguments: ["a/b\r\nX: y", "", "a/\u{7F}", "a/é", "a/b\0"])
  func invalidMIMEType(_ type: String) {
    var form = MultipartFormData()
    form.append(Data(), name: "f", mimeType: type)
    #expect(throws: MultipartError.invalidMIMEType(part: "f")) { try form.encode() }
  }

  @Test(
    "The MIME type follows the extension of the file name",
    arguments: [
      ("a.JPG", "image/jpeg"), ("a.tar.gz", "application/gzip"), ("a.json", "application/json"),
      ("noextension", "application/octet-stream"),
      ("a.", "application/octet-stream"), ("a.unknown", "application/octet-stream"), (".png", "image/png"),
      ("a.é", "application/octet-stream"),
      ("a.heic", "image/heic"), ("a.mov", "video/quicktime"), ("a.htm", "text/html"), ("a.svg", "image/svg+xml"),
      ("a.m4a", "audio/mp4"),
    ])
  func mimeTypes(_ fileName: String, _ type: String) throws {
    var form = MultipartFormData()
    form.append(Data(), name: "f", fileName: fileName)
    #expect(try parts(form)[0].headers[1] == "Content-Type: \(type)")
  }

  // MARK: Boundaries

  @Test("The default boundary is new for each form")
  func defaultBoundary() {
    let form = MultipartFormData()
    #expect(form.boundary.hasPrefix("linnet.boundary."))
    #expect(form.boundary.utf8.count <= 70)
    #expect(MultipartFormData().boundary != form.boundary)
  }

  @Test(
    "A boundary is sanitised, cut and quoted",
    arguments: [
      ("simple", "simple", "simple"), ("a b\r\nX: y", "abX:y", "\"abX:y\""), ("a\"b;c", "abc", "abc"),
      ("a/b=c?d", "a/b=c?d", "\"a/b=c?d\""),
      ("é한", nil, nil), ("", nil, nil),
      (String(repeating: "x", count: 100), String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
    ] as [(String, String?, String?)])
  func boundaries(_ given: String, _ kept: String?, _ parameter: String?) {
    let form = MultipartFormData(boundary: given)
    if let kept, let parameter {
      #expect(form.boundary == kept)
      #expect(form.contentTypeHeader == "multipart/form-data; boundary=\(parameter)")
    } else {
      #expect(form.boundary.hasPrefix("linnet.boundary."))
    }
  }

  @Test(
    "Content with the boundary is refused, content that resembles it is not",
    arguments: [
      ("--B", true), ("\r\n--B", true), ("x--B--", true), (String(repeating: "-", count: 100) + "B", true),
      ("-B", false), ("--b", false),
      ("B--", false), ("- -B", false), ("--", false),
    ])
  func containsBoundary(_ content: String, _ isRefused: Bool) throws {
    var form = MultipartFormData(boundary: "B")
    form.append(content, name: "t")
    if isRefused {
      #expect(throws: MultipartError.containsBoundary(part: "t")) { try form.encode() }
      #expect(throws: MultipartError.containsBoundary(part: "t")) { try form.requestBody() }
    } else {
      #expect(try parts(form)[0].text == content)
    }
  }

  // MARK: Builder

  @Test("Fields are written as a list with conditions and loops")
  func builder() throws {
    let isNamed = true
    let tags = ["x", "y"]
    let more: [any MultipartField] = [TextField("more", value: "z")]
    let form = MultipartFormData(boundary: "B") {
      TextField("purpose", value: "avatar")
      if isNamed { TextField("name", value: "kim") }
      if tags.isEmpty {
        TextField("none", value: "")
      } else {
        for tag in tags { TextField("tag", value: tag) }
      }
      DataField("raw", data: Data([1]))
      FileField("image", data: Data([2]), fileName: "a.gif")
      more
    }
    let parts = try parts(form)
    #expect(parts.map(\.body) == [Array("avatar".utf8), Array("kim".utf8), [0x78], [0x79], [1], [2], [0x7A]])
    #expect(
      parts[5].headers == [
        "Content-Disposition: form-data; name=\"image\"; filename=\"a.gif\"", "Content-Type: image/gif",
      ])
  }

  @Test("The limit in memory is inclusive, and a larger form is refused before anything is read")
  func limit() throws {
    var form = MultipartFormData(boundary: "B")
    form.append("x", name: "t")
    let size = Int(form.estimatedEncodedSize)
    #expect(try form.encode(maxInMemoryBytes: size).count == size)
    for limit in [size - 1, 0, -1] {
      #expect(throws: MultipartError.tooLarge(size: Int64(size), limit: limit)) {
        try form.encode(maxInMemoryBytes: limit)
      }
    }
  }
}
