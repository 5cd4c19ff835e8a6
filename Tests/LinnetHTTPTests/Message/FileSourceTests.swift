import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Files of bodies", .timeLimit(.minutes(1)))
struct FileSourceTests {
  private func collect(_ source: FileSource, pieceBytes: Int) async throws -> (bytes: [UInt8], pieces: Int) {
    var bytes: [UInt8] = []
    var pieces = 0
    for try await piece in source.pieces(of: pieceBytes) {
      #expect(!piece.isEmpty && piece.count <= max(1, pieceBytes))
      bytes.append(contentsOf: piece)
      pieces += 1
    }
    return (bytes, pieces)
  }

  @Test(
    "A file is read completely in pieces of the given size, as often as wanted",
    arguments: [(0, 10, 0), (1, 10, 1), (10, 10, 1), (11, 10, 2), (5, 0, 5), (200_000, 65_536, 4)])
  func pieces(_ size: Int, _ pieceBytes: Int, _ expected: Int) async throws {
    let directory = try TemporaryDirectory()
    let source = try FileSource(path: directory.write(TestPattern.bytes(size), to: "file"))
    #expect(source.size == UInt64(size))
    for _ in 0..<2 {
      let (bytes, pieces) = try await collect(source, pieceBytes: pieceBytes)
      #expect(bytes == TestPattern.bytes(size))
      #expect(pieces == expected)
    }
    #expect(try source.readAll() == ByteChunk(TestPattern.bytes(size)))
  }

  @Test("After the end there is no piece, and no descriptor stays open")
  func end() async throws {
    let directory = try TemporaryDirectory()
    let source = try FileSource(path: directory.write("content", to: "file"))
    let before = try await DescriptorCount.baseline()
    var iterator = source.pieces().makeAsyncIterator()
    #expect(try await iterator.next() == ByteChunk("content"))
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
    // The thread that read last lets go of the file after it has handed over the piece.
    try await DescriptorCount.returned(to: before)
  }

  @Test("What is no regular file, or is not there, is refused without being opened")
  func refusals() throws {
    let directory = try TemporaryDirectory()
    let pipe = directory.path(of: "pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [directory.path, pipe, "/dev/null"] {
      #expect(throws: FileSource.Problem.notAFile) { try FileSource(path: path) }
    }
    #expect(throws: FileSource.Problem.unreadable("No such file or directory")) {
      try FileSource(path: directory.path(of: "missing"))
    }
  }

  @Test("A symbolic link is followed")
  func link() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("content", to: "file")
    #expect(symlink(path, directory.path(of: "link")) == 0)
    #expect(try FileSource(path: directory.path(of: "link")).readAll() == ByteChunk("content"))
  }

  @Test("A file that shrinks while it is read is an error")
  func shrinksMeanwhile() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(TestPattern.bytes(100), to: "file")
    var iterator = try FileSource(path: path).pieces(of: 60).makeAsyncIterator()
    #expect(try await iterator.next()?.count == 60)
    #expect(truncate(path, 70) == 0)
    await #expect(throws: FileSource.Problem.changed) { try await iterator.next() }
  }

  @Test("A file that was replaced before it is read is an error")
  func replaced() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("old", to: "file")
    let source = try FileSource(path: path)
    #expect(rename(try directory.write("new", to: "other"), path) == 0)
    #expect(throws: FileSource.Problem.changed) { try source.readAll() }
    var iterator = source.pieces().makeAsyncIterator()
    await #expect(throws: FileSource.Problem.changed) { try await iterator.next() }
  }
}
