import LinnetBytes
import LinnetTestSupport

/// What stands behind the proxies: answers the paths of the table over HTTP/1.1. ``Hypercorn`` runs the same in Python.
///
/// | Path | Answer |
/// | --- | --- |
/// | `/N.bin` | *N* bytes of the pattern, with `Last-Modified`; 304 to a request that has it |
/// | `/gzip/N.txt` | *N* bytes of the pattern in gzip |
/// | `/app/echo` | the request's body; its method, target and `x-` fields in fields that start with `echo-` |
/// | `/app/count` | length and SHA-256 digest of the request's body |
/// | `/app/pattern/N` | *N* bytes of the pattern without `Content-Length` |
/// | `/app/status/N` | the status *N* |
/// | `/app/redirect` | 302 to `/app/echo` |
/// | `/app/trailers` | `hello` and the trailer `x-sum: 42` |
/// | `/app/hints` | 103, then `hinted` |
/// | `/app/drip/N` | *N* times `drop` and a line end, with pauses |
enum PeerApplication {
  private static let modified = "Thu, 01 Jan 2026 00:00:00 GMT"

  static func start() throws(TestSupportError) -> ScriptedServer {
    var options = ScriptedServer.Options()
    // Nobody looks at them, and they have large bodies.
    options.recordLimit = 10
    return try ScriptedServer.start(.handler(answer), options: options)
  }

  @Sendable private static func answer(_ request: RecordedRequest) -> ServerResponse {
    let path = request.path.split(separator: "/").map(String.init)
    switch (path.first, path.count) {
    case (_, 1): return file(path[0], for: request)
    case ("gzip", 2): return ServerResponse.pattern(size(path[1])).compressed()
    case ("app", 2): return answer(path[1], to: request)
    case ("app", 3): return answer(path[1], UInt64(path[2]) ?? 0)
    default: return ServerResponse(404, body: "no such path")
    }
  }

  private static func size(_ name: String) -> UInt64 { UInt64(name.prefix { $0 != "." }) ?? 0 }

  private static func file(_ name: String, for request: RecordedRequest) -> ServerResponse {
    guard name.hasSuffix(".bin") else { return ServerResponse(404, body: "no such path") }
    let isKnown = request.headers["If-Modified-Since"] == modified
    let response = isKnown ? ServerResponse(304) : .pattern(size(name))
    return response.adding("Last-Modified", modified)
  }

  private static func answer(_ name: String, to request: RecordedRequest) -> ServerResponse {
    switch name {
    case "echo":
      // A body that is too long to be kept is the pattern, or else is missed.
      let body = request.body.bytes.map(ServerBody.init(bytes:))
      var response = ServerResponse(body: body ?? .pattern(request.body.matchesTestPattern ? request.body.count : 0))
      response.headers = [HeaderLine("echo-method", request.method), HeaderLine("echo-target", request.target)]
      for field in request.headers where field.name.lowercased().hasPrefix("x-") {
        response.headers.append(HeaderLine("echo-" + field.name.lowercased(), field.value))
      }
      return response
    case "count": return .text("\(request.body.count) \(request.body.sha256)")
    case "redirect": return .redirect(to: "/app/echo")
    case "trailers": return ServerResponse.text("hello").chunked(trailers: [HeaderLine("x-sum", "42")])
    case "hints":
      let hints = ServerResponse.Interim(103, headers: [HeaderLine("link", "</style.css>; rel=preload")])
      return ServerResponse.text("hinted").after(interim: hints)
    default: return ServerResponse(404, body: "no such path")
    }
  }

  private static func answer(_ name: String, _ number: UInt64) -> ServerResponse {
    switch name {
    case "pattern": return ServerResponse.pattern(number).chunked()
    case "status": return ServerResponse(Int(number))
    case "drip":
      let drops = (0..<number).flatMap { _ in
        [ServerBody.Part.bytes(Array("drop\n".utf8)), .pause(.milliseconds(10))]
      }
      return ServerResponse(body: ServerBody(drops)).chunked()
    default: return ServerResponse(404, body: "no such path")
    }
  }
}
