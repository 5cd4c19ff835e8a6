import FoundationEssentials
import Glibc
import Linnet
import LinnetTestSupport
import Testing

@Suite("Multipart forms with files", .timeLimit(.minutes(1)))
struct MultipartFileTests {
  private func form(_ path: String) throws -> MultipartFormData {
    var form = MultipartFormData(boundary: "B")
    form.append("avatar", name: "purpose")
    try form.appendFile(at: URL(fileURLWithPath: path), name: "file")
    return form
  }

  private func send(_ form: MultipartFormData, to server: ScriptedServer) async throws -> RecordedRequest {
    var request = HTTPRequest.post(server.url("/upload"), body: try form.requestBody())
    try request.headers.add(name: "Content-Type", value: form.contentTypeHeader)
    _ = try await HTTPClient().send(request).body.collect(upTo: 1 << 20)
    return try #require(try await server.waitForRequests(1).last)
  }

  @Test(
    "A file arrives as one part with its name and type, and the length is announced",
    arguments: [0, 1, 65_536, 300_000])
  func upload(_ size: Int) async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(TestPattern.bytes(size), to: "cat picture.png")
    let form = try form(path)
    try await ScriptedServer.with(.responses([.text("ok")])) { server async throws in
      let request = try await send(form, to: server)
      #expect(request.headers["Content-Length"] == "\(form.estimatedEncodedSize)")
      #expect(request.headers["Content-Type"] == "multipart/form-data; boundary=B")
      let received = try #require(request.body.bytes)
      #expect(received == Array(try form.encode()))
      let parts = try MultipartReader.parts(of: received, boundary: "B")
      #expect(
        parts.map(\.headers) == [
          ["Content-Disposition: form-data; name=\"purpose\""],
          ["Content-Disposition: form-data; name=\"file\"; filename=\"cat picture.png\"", "Content-Type: image/png"],
        ])
      #expect(parts[1].body == TestPattern.bytes(size))
    }
  }

  @Test("Only forms with files, and large ones, are streamed; both kinds can be replayed")
  func bodies() throws {
    let directory = try TemporaryDirectory()
    let withFile = try form(try directory.write("x", to: "a.txt")).requestBody()
    #expect(withFile.bytesInMemory == nil)
    #expect(withFile.knownLength == UInt64(try form(directory.path(of: "a.txt")).estimatedEncodedSize))
    #expect(withFile.isReplayable)
    var small = MultipartFormData()
    small.append("x", name: "t")
    #expect(try small.requestBody().bytesInMemory.map(Array.init) == Array(try small.encode()))
    var large = MultipartFormData()
    large.append(Data(count: (16 << 20) + 1), name: "t")
    #expect(try large.requestBody().bytesInMemory == nil)
    #expect(throws: MultipartError.self) { try large.encode() }
  }

  @Test("A missing file, a directory, a pipe and a URL that is none of a file are refused when they are appended")
  func unavailable() throws {
    let directory = try TemporaryDirectory()
    let pipe = directory.path(of: "pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    var form = MultipartFormData()
    for (path, reason) in [
      (directory.path(of: "missing"), "No such file or directory"), (directory.path + "/", "it is not a regular file"),
      (pipe, "it is not a regular file"), ("/dev/null", "it is not a regular file"),
    ] {
      let error = #expect(throws: MultipartError.self) {
        try form.appendFile(at: URL(fileURLWithPath: path), name: "file")
      }
      #expect(error == .fileUnavailable(part: "file", path: path, reason: reason))
    }
    let remote = try #require(URL(string: "https://h/a.png"))
    #expect(throws: MultipartError.self) { try form.appendFile(at: remote, name: "file") }
  }

  @Test("The builder reports a missing file when the form is used")
  func missingInBuilder() {
    let form = MultipartFormData { FileField("file", fileURL: URL(fileURLWithPath: "/nonexistent/a.png")) }
    let expected = MultipartError.fileUnavailable(
      part: "file", path: "/nonexistent/a.png", reason: "No such file or directory")
    #expect(throws: expected) { try form.encode() }
    #expect(throws: expected) { try form.requestBody() }
  }

  enum Change: CaseIterable {
    case grown, shrunk, replaced, removed, pipe
  }

  @Test("A file that changed after it was appended is an error that names the part", arguments: Change.allCases)
  func changed(_ change: Change) async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("content", to: "a.txt")
    let form = try form(path)
    let body = try form.requestBody()
    switch change {
    case .grown: try directory.write("content and more", to: "a.txt")
    case .shrunk: try directory.write("con", to: "a.txt")
    case .replaced:
      try directory.write("CONTENT", to: "b.txt")
      #expect(rename(directory.path(of: "b.txt"), path) == 0)
    case .removed: #expect(unlink(path) == 0)
    case .pipe: #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
    }
    let error = #expect(throws: MultipartError.self) { try form.encode() }
    let description = try #require(error?.description)
    #expect(description.contains("part \"file\"") && description.contains(path))
    try await ScriptedServer.with(.responses([.text("ok")])) { server async throws in
      let failure = await #expect(throws: TransportError.self) {
        try await HTTPClient().send(.post(server.url("/"), body: body))
      }
      #expect(failure?.code == .requestBodyFailed)
      #expect(failure?.underlying as? MultipartError == error)
    }
  }

  @Test(
    "A file with the boundary is refused, wherever pieces are cut",
    arguments: [0, 65_530, 65_534, 65_535, 65_536, 131_070])
  func boundaryInFile(_ offset: Int) async throws {
    let directory = try TemporaryDirectory()
    let boundary = "some-boundary"
    let bytes = [UInt8](repeating: 0x2D, count: offset) + Array("--\(boundary)".utf8) + [0]
    let path = try directory.write(bytes, to: "a.bin")
    var form = MultipartFormData(boundary: boundary)
    try form.appendFile(at: URL(fileURLWithPath: path), name: "file")
    #expect(throws: MultipartError.containsBoundary(part: "file")) { try form.encode() }
    let body = try form.requestBody()
    try await ScriptedServer.with(.responses([.text("ok")])) { server async throws in
      let failure = await #expect(throws: TransportError.self) {
        try await HTTPClient().send(.post(server.url("/"), body: body))
      }
      #expect(failure?.underlying as? MultipartError == .containsBoundary(part: "file"))
    }
  }

  @Test(
    "A form with a large file is sent in bounded memory",
    .enabled(if: ResidentMemory.isMeaningful, "AddressSanitizer keeps freed memory"))
  func memory() async throws {
    let directory = try TemporaryDirectory()
    let size = 64 << 20
    let path = directory.path(of: "large.bin")
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(ftruncate(descriptor, size) == 0)
    close(descriptor)
    let form = try form(path)
    try await ScriptedServer.with(.responses([.text("ok")])) { server async throws in
      let before = ResidentMemory.bytes
      let request = try await send(form, to: server)
      #expect(request.body.count == UInt64(form.estimatedEncodedSize))
      #expect(ResidentMemory.bytes < before + (32 << 20))
    }
  }

  // MARK: Writing to a file

  @Test("The form in a file has the same bytes as in memory, and is removed after use", arguments: [true, false])
  func encodedFile(_ synchronizes: Bool) async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(TestPattern.bytes(200_000), to: "a.bin")
    var form = MultipartFormData(synchronizesEncodedFile: synchronizes)
    try form.appendFile(at: URL(fileURLWithPath: path), name: "file")
    form.append("x", name: "t")
    let target = directory.path(of: "encoded")
    try await form.writeEncodedData(to: URL(fileURLWithPath: target))
    let encoded = Array(try form.encode())
    #expect(TemporaryDirectory.contents(of: target) == encoded)
    let temporary = try await form.withEncodedData { file in
      let path = file.path(percentEncoded: false)
      #expect(TemporaryDirectory.contents(of: path) == encoded)
      return path
    }
    #expect(access(temporary, F_OK) != 0)
  }

  @Test("A form that cannot be encoded leaves no file")
  func failingFile() async throws {
    let directory = try TemporaryDirectory()
    var form = MultipartFormData(boundary: "B")
    let path = try directory.write("content", to: "a.txt")
    try form.appendFile(at: URL(fileURLWithPath: path), name: "file")
    #expect(unlink(path) == 0)
    let target = directory.path(of: "encoded")
    await #expect(throws: MultipartError.self) { try await form.writeEncodedData(to: URL(fileURLWithPath: target)) }
    #expect(access(target, F_OK) != 0)
    await #expect(throws: MultipartError.cannotWrite(path: "/nonexistent/x", reason: "No such file or directory")) {
      try await MultipartFormData().writeEncodedData(to: URL(fileURLWithPath: "/nonexistent/x"))
    }
  }
}
