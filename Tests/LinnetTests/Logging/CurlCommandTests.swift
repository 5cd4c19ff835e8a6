import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetHTTP
import Testing

@Suite("Logging: cURL commands")
struct CurlCommandTests {
  private static let all = CurlCommandOptions(
    includesHeaderValues: true, includesBody: true, includesQueryValues: true)

  @Test("by default values and bodies are left out")
  func secure() {
    var request = HTTPRequest.post("https://u:p@a.test/x?b=1&a=2#f", body: .text("secret"))
    request.headers.add("X-B", "1")
    request.headers.add("Accept", "text/plain")
    #expect(
      request.curlCommand()
        == "curl -X POST -H 'Accept: <redacted>' -H 'X-B: <redacted>' 'https://a.test/x?b=<redacted>&a=<redacted>'")
  }

  @Test(
    "methods",
    arguments: [
      (HTTPRequest.get("https://a.test/"), "curl 'https://a.test/'"),
      (.head("https://a.test/"), "curl --head 'https://a.test/'"),
      (.delete("https://a.test/"), "curl -X DELETE 'https://a.test/'"),
      (
        HTTPRequest(method: HTTPMethod(rawValue: "M-SEARCH")!, url: "https://a.test/"),
        "curl -X M-SEARCH 'https://a.test/'"
      ),
      (
        HTTPRequest(method: HTTPMethod(rawValue: "a'b")!, url: "https://a.test/"),
        #"curl -X 'a'\''b' 'https://a.test/'"#
      ),
      (.get("https://a.test/[1]{2}"), "curl --globoff 'https://a.test/[1]%7B2%7D'"),
    ])
  func methods(_ request: HTTPRequest, _ expected: String) { #expect(request.curlCommand() == expected) }

  @Test("on demand, values and the body are there, in quotes that a shell leaves alone")
  func everything() {
    var request = HTTPRequest.put("https://a.test/x?q=it's", body: .text("it's @not a file\n"))
    request.headers.add("Content-Type", "text/plain")
    request.headers.add("X-Empty", "")
    request.headers.add("Authorization", "Bearer abc")
    #expect(
      request.curlCommand(Self.all)
        == "curl -X PUT -H 'Authorization: Bearer abc' -H 'Content-Type: text/plain' -H 'X-Empty;' "
        + #"--data-raw 'it'\''s @not a file"# + "\n" + #"' 'https://a.test/x?q=it%27s'"#)
  }

  @Test("a GET with a body stays a GET, and no content type is invented")
  func getWithBody() {
    let request = HTTPRequest(method: .get, url: "https://a.test/", body: .text("{}"))
    #expect(request.curlCommand(Self.all) == "curl -X GET -H 'Content-Type:' --data-raw '{}' 'https://a.test/'")
    #expect(request.curlCommand() == "curl 'https://a.test/'")
  }

  @Test("files are named, and what is not text is left out unless its file is told")
  func files() {
    var request = HTTPRequest.post("https://a.test/", headers: ["Content-Type": "x/y"], body: .file("/tmp/a b"))
    let start = "curl -X POST -H 'Content-Type: x/y'"
    #expect(request.curlCommand(Self.all) == "\(start) --data-binary '@/tmp/a b' 'https://a.test/'")
    request.body = .bytes([0xFF])
    #expect(request.curlCommand(Self.all) == "\(start) 'https://a.test/'")
    request.body = .bytes([0x61, 0x00])
    #expect(request.curlCommand(Self.all) == "\(start) 'https://a.test/'")
    var options = Self.all
    options.bodyFileURL = URL(fileURLWithPath: "/tmp/body")
    #expect(request.curlCommand(options) == "\(start) --data-binary '@/tmp/body' 'https://a.test/'")
    request.body = .stream { AsyncStream<ByteChunk> { $0.finish() } }
    #expect(request.curlCommand(Self.all) == "\(start) 'https://a.test/'")
  }
}
