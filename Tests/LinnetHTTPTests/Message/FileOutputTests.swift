import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Files that are written piece by piece", .timeLimit(.minutes(1)))
struct FileOutputTests {
  private func names(in directory: TemporaryDirectory) -> [String] {
    guard let stream = opendir(directory.path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  @Test("The file appears complete, in the place of an older one", arguments: [true, false])
  func finish(_ isDurable: Bool) async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("older", to: "file")
    let output = try await FileOutput(path: path)
    try await output.append(ByteChunk("new "))
    try await output.append(ByteChunk())
    try await output.append(ByteChunk("content"))
    #expect(TemporaryDirectory.contents(of: path) == Array("older".utf8))
    try await output.finish(isDurable: isDurable)
    #expect(TemporaryDirectory.contents(of: path) == Array("new content".utf8))
    #expect(names(in: directory) == ["file"])
    await #expect(throws: FileOutput.Problem.self) { try await output.append(ByteChunk("more")) }
  }

  @Test("An output that is given up leaves nothing")
  func givenUp() async throws {
    let directory = try TemporaryDirectory()
    do {
      let output = try await FileOutput(path: directory.path(of: "file"))
      try await output.append(ByteChunk("part"))
    }
    #expect(names(in: directory).isEmpty)
  }

  @Test("A place that cannot be written is an error in the system's words")
  func unwritable() async throws {
    let problem = await #expect(throws: FileOutput.Problem.self) {
      try await FileOutput(path: "/nonexistent/folder/file")
    }
    #expect(problem?.description == "No such file or directory")
  }
}
