import FoundationEssentials
import Glibc
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("VCRCassette")
struct VCRCassetteTests {
  private let sample = VCRCassette(interactions: [
    VCRInteraction(
      request: VCRRequest(
        method: .post, url: "https://a.test/x?b=1", headers: ["B": "2", "A": "1"], bodySHA256: "ab12"),
      response: VCRResponse(
        statusCode: 201,
        headers: HTTPHeaders([HTTPHeader("Set-Cookie", "<redacted>"), HTTPHeader("Set-Cookie", "<redacted>")]),
        body: Data(#"{"name": "ä/b"}"#.utf8))),
    VCRInteraction(
      request: VCRRequest(method: .get, url: "https://a.test/"),
      response: VCRResponse(statusCode: 204)),
  ])

  @Test("what is written is read again, field order and repeats included")
  func roundTrip() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "c.json")
    try sample.write(to: path)
    let loaded = try VCRCassette.load(from: path)
    #expect(loaded == sample)
    #expect(loaded.interactions.first?.request.headers.map(\.name) == ["B", "A"])
    #expect(try VCRCassette.load(from: URL(filePath: path)) == sample)
  }

  @Test("the file is for people: sorted, text as text, a line end at its end")
  func format() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "c.json")
    try sample.write(to: path)
    let text = String(decoding: TemporaryDirectory.contents(of: path) ?? [], as: UTF8.self)
    let expected = #"""
      {
        "interactions" : [
          {
            "request" : {
              "bodySHA256" : "ab12",
              "headers" : [
                "B: 2",
                "A: 1"
              ],
              "method" : "POST",
              "url" : "https://a.test/x?b=1"
            },
            "response" : {
              "body" : "{\"name\": \"ä/b\"}",
              "headers" : [
                "Set-Cookie: <redacted>",
                "Set-Cookie: <redacted>"
              ],
              "statusCode" : 201
            }
          },
          {
            "request" : {
              "headers" : [

              ],
              "method" : "GET",
              "url" : "https://a.test/"
            },
            "response" : {
              "headers" : [

              ],
              "statusCode" : 204
            }
          }
        ],
        "version" : 1
      }

      """#
    #expect(text == expected)
  }

  @Test(
    "bodies of any bytes survive",
    arguments: [
      [], Array("text\n".utf8), [0], [0xFF, 0xFE], Array("\u{FEFF}mark".utf8), Array("e\u{301}".utf8), [0x7F],
      Array("\r\n\t\"\\/".utf8), (0...255).map { UInt8($0) },
    ])
  func bodies(bytes: [UInt8]) throws {
    let directory = try TemporaryDirectory()
    let cassette = VCRCassette(interactions: [
      VCRInteraction(
        request: VCRRequest(method: .get, url: "u"), response: VCRResponse(statusCode: 200, body: Data(bytes)))
    ])
    let path = directory.path(of: "c.json")
    try cassette.write(to: path)
    #expect(try VCRCassette.load(from: path).interactions.first?.response.body == Data(bytes))
  }

  @Test("equal cassettes are equal files, for their owner only, and nothing else is left in the folder")
  func files() throws {
    let directory = try TemporaryDirectory()
    let paths = [directory.path(of: "a.json"), directory.path(of: "b.json")]
    try directory.write("old".utf8, to: "a.json", mode: 0o644)
    for path in paths { try sample.write(to: path) }
    #expect(TemporaryDirectory.contents(of: paths[0]) == TemporaryDirectory.contents(of: paths[1]))
    for path in paths {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["a.json", "b.json"])
  }

  struct Broken: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int?
    let field: String?
    var testDescription: String { text.split(separator: "\n").joined() }
  }

  static let brokenFiles: [Broken] = [
    Broken(text: "", line: 1, field: nil),
    Broken(text: "{\n\n  \"interactions\": [\n  ],\n  version: 1\n}", line: 5, field: nil),
    Broken(text: "{\n  \"version\": 1,\n  \"interactions\": [", line: 3, field: nil),
    Broken(text: "{\"version\": 1}\n]", line: 2, field: nil),
    Broken(text: "{\"version\": 01}", line: 1, field: nil),
    Broken(text: "{\"version\": tru}", line: 1, field: nil),
    Broken(text: "{\"version\": \"\\x\"}", line: 1, field: nil),
    Broken(text: "{\"version\": \"\\u12g4\"}", line: 1, field: nil),
    Broken(text: "{\"version\": \"a\nb\"}", line: 1, field: nil),
    Broken(text: String(repeating: "[", count: 100_000), line: 1, field: nil),
    Broken(text: "[]", line: nil, field: "the file"),
    Broken(text: "{\"version\": 1}", line: nil, field: "interactions"),
    Broken(text: "{\"version\": 2, \"interactions\": []}", line: nil, field: "version"),
    Broken(
      text: #"{"version": 1, "interactions": [{"request": {"method": "GET"}}]}"#, line: nil,
      field: "interactions[0].request.url"),
    Broken(
      text: #"{"version": 1, "interactions": [{"request": {"method": "G T", "url": "u"}}]}"#, line: nil,
      field: "interactions[0].request.method"),
    Broken(
      text: #"""
        {"version": 1, "interactions": [
        {"request": {"method": "GET", "url": "u"}, "response": {"statusCode": 200}},
        {"request": {"method": "GET", "url": "u"}, "response": {"statusCode": 20}}]}
        """#, line: nil, field: "interactions[1].response.statusCode"),
    Broken(
      text: #"{"version": 1, "interactions": [{"request": {"method": "GET", "url": 1}}]}"#, line: nil,
      field: "interactions[0].request.url"),
  ]

  @Test("a broken file is an error that names it and the place", arguments: brokenFiles)
  func broken(_ file: Broken) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(file.text, to: "broken.json")
    let error = #expect(throws: VCRCassetteError.self) { try VCRCassette.load(from: path) }
    #expect(error?.path == path)
    #expect(error?.line == file.line, "\(String(describing: error))")
    #expect(error?.field == file.field, "\(String(describing: error))")
    #expect(error?.code == (file.line == nil ? .invalidField : .invalidJSON))
    #expect(error?.description.contains("broken.json") == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test("a broken field line names its position")
  func brokenFieldLine() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(
      #"{"version": 1, "interactions": [{"request": {"method": "GET", "url": "u", "headers": ["A: 1", "no colon"]}}]}"#,
      to: "broken.json")
    let error = #expect(throws: VCRCassetteError.self) { try VCRCassette.load(from: path) }
    #expect(error?.field == "interactions[0].request.headers[1]")
  }

  @Test("a file that cannot be read or written is an error that names it")
  func noFile() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "none/c.json")
    let read = #expect(throws: VCRCassetteError.self) { try VCRCassette.load(from: path) }
    #expect(read?.code == .unreadable)
    let written = #expect(throws: VCRCassetteError.self) { try sample.write(to: path) }
    #expect(written?.code == .unwritable)
    #expect(written?.path == path)
  }
}
