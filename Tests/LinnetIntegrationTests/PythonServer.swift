import LinnetTestSupport

/// Servers of Python's standard library, which speak HTTP in ways of their own.
final class PythonServer: Sendable {
  static var isInstalled: Bool { ServerProcess.isInstalled("python3") }
  static let reason = "python3 is not installed (.ci/setup installs it)"

  let port: UInt16
  private let process: ServerProcess

  private init(
    _ arguments: [String], python: String = "python3", port find: (String) -> UInt16?, in line: String
  ) throws {
    process = try ServerProcess([python, "-u"] + arguments)
    let line = try process.line(containing: line)
    guard let port = find(line) else { throw TestSupportError(call: "server start", errno: 0, detail: line) }
    self.port = port
  }

  /// Ends the server. A test defers this, which also keeps the server alive until then.
  func stop() { process.stop() }

  /// `python3 -m http.server`: HTTP/1.0, one request for each connection.
  static func files(in directory: TemporaryDirectory) throws -> PythonServer {
    try PythonServer(
      ["-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", directory.path],
      port: { line in line.split(separator: " ").compactMap { UInt16($0) }.first }, in: "Serving HTTP")
  }

  /// Answers a PUT with the SHA-256 digest of its body. `X-Stall: SECONDS` makes it wait before it reads the body.
  static func digesting() throws -> PythonServer {
    try PythonServer(["-c", digestingProgram], port: { UInt16($0.dropFirst("port ".count)) }, in: "port ")
  }

  /// Whether the package httpbin is there.
  static var hasHTTPBin: Bool {
    TemporaryDirectory.contents(of: PythonEnvironment.path(of: "flask")) != nil
  }
  static let httpBinReason = "the Python package httpbin is not installed (.ci/setup installs it)"

  /// The application httpbin, which answers what it was asked, on the server of the package werkzeug.
  static func httpBin() throws -> PythonServer {
    try PythonServer(
      ["-c", httpBinProgram], python: PythonEnvironment.path(of: "python3"),
      port: { UInt16($0.dropFirst("port ".count)) }, in: "port ")
  }

  private static let httpBinProgram = """
    import logging
    from httpbin import app
    from werkzeug.serving import WSGIRequestHandler, make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    WSGIRequestHandler.protocol_version = "HTTP/1.1"
    server = make_server("127.0.0.1", 0, app, threaded=True)
    print("port", server.server_port)
    server.serve_forever()
    """

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  private static let digestingProgram = """
    import hashlib, http.server, time

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def parts(self):
            if self.headers.get("Transfer-Encoding") == "chunked":
                while size := int(self.rfile.readline(), 16):
                    yield self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                left = int(self.headers["Content-Length"])
                while left > 0 and (data := self.rfile.read(min(left, 1 << 16))):
                    left -= len(data)
                    yield data

        def do_PUT(self):
            time.sleep(float(self.headers.get("X-Stall", "0")))
            digest = hashlib.sha256()
            for part in self.parts():
                digest.update(part)
            text = digest.hexdigest().encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print("port", server.server_address[1])
    server.serve_forever()
    """
}
