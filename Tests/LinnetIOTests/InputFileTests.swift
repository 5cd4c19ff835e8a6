import Glibc
import LinnetBytes
import LinnetIO
import Testing

@Suite("Input files", .timeLimit(.minutes(1))) struct InputFileTests {
  private let shard = ShardGroup.shared.next()

  @Test("A regular file is read up to its limit, and what cannot be read says why")
  func regular() async throws {
    let path = temporaryPath("input")
    defer { try? FileIO.remove(path) }
    for bytes in [[], [1, 2, 3], [UInt8](repeating: 7, count: 200_000)] as [[UInt8]] {
      try FileIO.replace(path, with: bytes)
      #expect(try await InputFile.readAll(path, limit: bytes.count, on: shard) == bytes)
      if bytes.isEmpty { continue }
      await #expect(throws: InputFileError.system(SystemError(number: EFBIG, call: "read"))) {
        try await InputFile.readAll(path, limit: bytes.count - 1, on: shard)
      }
    }
    await #expect(throws: InputFileError.system(SystemError(number: ENOENT, call: "open"))) {
      try await InputFile.readAll(path + ".none", limit: 1, on: shard)
    }
    await #expect(throws: InputFileError.system(SystemError(number: EISDIR, call: "read"))) {
      try await InputFile.readAll("/", limit: 1, on: shard)
    }
  }

  @Test("A named pipe is read to the end of its writer, in any pieces", arguments: [0, 1, 3, 100_000])
  func namedPipe(count: Int) async throws {
    let path = temporaryPath("pipe")
    defer { try? FileIO.remove(path) }
    try #require(mkfifo(path, 0o600) == 0)
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    async let read = InputFile.readAll(path, limit: count, on: shard)
    let writer = try await openWriter(path)
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(30_000))
      let written = write(writer, piece, piece.count)
      // Full: the reader takes it meanwhile.
      if written > 0 { rest = rest.dropFirst(written) } else { try await Task.sleep(for: .milliseconds(1)) }
    }
    close(writer)
    #expect(try await read == bytes)
  }

  @Test("What a pipe holds beyond the limit is an error")
  func tooMuch() async throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    #expect(write(ends[1], [1, 2, 3], 3) == 3)
    close(ends[1])
    await #expect(throws: InputFileError.system(SystemError(number: EFBIG, call: "read"))) {
      try await InputFile.readAll("/dev/fd/\(ends[0])", limit: 2, on: shard)
    }
  }

  @Test("A pipe without a writer is waited for until the deadline or the cancellation", arguments: [true, false])
  func silent(isCancelled: Bool) async throws {
    let path = temporaryPath("silent")
    defer { try? FileIO.remove(path) }
    try #require(mkfifo(path, 0o600) == 0)
    let shard = shard
    let deadline = isCancelled ? shard.now.advanced(by: .seconds(600)) : shard.now.advanced(by: .milliseconds(5))
    let task = Task { () -> InputFileError? in
      do throws(InputFileError) {
        _ = try await InputFile.readAll(path, limit: 1, on: shard, until: deadline)
        return nil
      } catch {
        return error
      }
    }
    if isCancelled { task.cancel() }
    #expect(await task.value == (isCancelled ? .cancelled : .timedOut))
  }
}

/// Opens a pipe for writing once somebody reads it. Without waiting in a thread: the pool that runs tasks has few.
private func openWriter(_ path: String) async throws -> CInt {
  while true {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor >= 0 || errno != ENXIO { return descriptor }
    try await Task.sleep(for: .milliseconds(1))
  }
}
