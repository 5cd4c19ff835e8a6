import LinnetTestSupport
import Testing

@Suite("Compressed responses", .timeLimit(.minutes(2)), .enabled(if: Tool.exists("python3"), "needs python3"))
struct CompressionTests {
  private static let program = """
    import http.client, sys, zlib
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
    connection.request("GET", "/")
    response = connection.getresponse()
    body = response.read()
    window = {"gzip": 31, "deflate": 15, "raw": -15}[sys.argv[2]]
    plain = zlib.decompress(body, window)
    print(response.getheader("content-encoding"), response.getheader("content-length") == str(len(body)), len(plain),
          zlib.crc32(plain))
    """

  @Test(
    "a body is compressed as its coding says",
    arguments: [(ServerResponse.ContentCoding.gzip, "gzip"), (.deflate, "deflate"), (.rawDeflate, "raw")])
  func codings(_ coding: ServerResponse.ContentCoding, _ name: String) throws {
    let server = try ScriptedServer.start(.handler { _ in .text("hello hello hello").compressed(coding) })
    defer { server.stop() }
    let label = name == "raw" ? "deflate" : name
    #expect(Tool.python(Self.program, "\(server.port)", name).text == "\(label) True 17 3858335872\n")
  }

  @Test("a bomb of zeros is small")
  func bomb() throws {
    let response = ServerResponse(body: ServerBody([.zeros(100 << 20)])).compressed()
    #expect(response.body.count < 200_000)
    let server = try ScriptedServer.start(.handler { _ in response })
    defer { server.stop() }
    #expect(Tool.python(Self.program, "\(server.port)", "gzip").text.hasPrefix("gzip True \(100 << 20) "))
  }

  @Test("what precedes a gate can be decoded before it opens")
  func gate() throws {
    let gate = Gate()
    let body = ServerBody([.bytes(Array("first".utf8)), .wait(gate), .bytes(Array("second".utf8))])
    let response = ServerResponse(body: body).compressed(.rawDeflate)
    guard case .bytes(let first) = response.body.parts.first, case .wait = response.body.parts[1] else {
      Issue.record("the gate moved")
      return
    }
    // A sync flush ends with an empty stored block (RFC 1951 §3.2.4).
    #expect(first.suffix(4) == [0, 0, 0xFF, 0xFF])
  }
}
