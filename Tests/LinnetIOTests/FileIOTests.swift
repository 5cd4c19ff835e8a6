import Glibc
import LinnetIO
import Testing

@Suite struct FileIOTests {
  @Test("A replaced file has the new bytes and is readable by its owner only")
  func replace() throws {
    let path = temporaryPath("replace")
    defer { try? FileIO.remove(path) }
    for bytes in [[], [1, 2, 3], [UInt8](repeating: 5, count: 200_000)] as [[UInt8]] {
      try FileIO.replace(path, with: bytes)
      #expect(try FileIO.readAll(path, limit: 200_000) == bytes)
    }
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("A symbolic link is neither replaced nor written through, and not opened for writing")
  func symbolicLinks() throws {
    let target = temporaryPath("target")
    let link = temporaryPath("link")
    defer {
      try? FileIO.remove(target)
      try? FileIO.remove(link)
    }
    try FileIO.replace(target, with: [1])
    #expect(symlink(target, link) == 0)
    #expect(throws: SystemError(number: ELOOP, call: "open")) { try FileIO.openForWriting(link).close() }
    #expect(throws: SystemError(number: ELOOP, call: "lstat")) { try FileIO.replace(link, with: [2]) }
    #expect(try FileIO.readAll(target, limit: 10) == [1])
    #expect(try FileIO.readAll(link, limit: 10) == [1])
  }

  @Test("A pipe and a device are not replaced, not even by a process that may do everything")
  func specialFiles() throws {
    let pipe = temporaryPath("pipe")
    defer { try? FileIO.remove(pipe) }
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/null"] {
      #expect(throws: SystemError(number: EPERM, call: "lstat")) { try FileIO.replace(path, with: [1]) }
    }
    var status = stat()
    #expect(stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test("Reads and writes at offsets; a read past the end is short")
  func offsets() throws {
    let path = temporaryPath("offsets")
    defer { try? FileIO.remove(path) }
    let file = try FileIO.create(path)
    try [7, 8, 9].withUnsafeBytes { buffer throws in try FileIO.write(file.raw, at: 2, buffer) }
    var bytes = [UInt8](repeating: 1, count: 10)
    let count = try bytes.withUnsafeMutableBytes { buffer throws in
      try FileIO.read(file.raw, at: 1, into: buffer)
    }
    let size = try FileIO.size(file.raw)
    #expect(size.bytes == Int64(2 + 3 * MemoryLayout<Int>.size) && size.isRegular)
    #expect(count == 10)
    #expect(bytes[0] == 0 && bytes[1] == 7)
    try FileIO.truncate(file.raw, to: 3)
    let rest = try bytes.withUnsafeMutableBytes { buffer throws in
      try FileIO.read(file.raw, at: 1, into: buffer)
    }
    #expect(rest == 2)
    #expect(throws: SystemError(number: EINVAL, call: "pread")) {
      try bytes.withUnsafeMutableBytes { buffer throws in try FileIO.read(file.raw, at: -1, into: buffer) }
    }
  }

  @Test("A file above the limit is refused; a missing one and one that is there are named")
  func errors() throws {
    let path = temporaryPath("errors")
    defer { try? FileIO.remove(path) }
    try FileIO.replace(path, with: [1, 2, 3])
    #expect(throws: SystemError(number: EFBIG, call: "read")) { try FileIO.readAll(path, limit: 2) }
    #expect(throws: SystemError(number: EEXIST, call: "open")) { try FileIO.create(path).close() }
    #expect(throws: SystemError(number: ENOENT, call: "open")) { try FileIO.readAll(path + ".none", limit: 2) }
    #expect(throws: SystemError.self) { try FileIO.replace("/nonexistent-directory/file", with: []) }
  }

  @Test("Appending to a pipe waits neither for its reader nor for room")
  func appendingToPipe() throws {
    let path = temporaryPath("pipe")
    defer { try? FileIO.remove(path) }
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: SystemError(number: ENXIO, call: "open")) { try FileIO.append(path, [1]) }
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    try FileIO.append(path, [1, 2])
    var bytes: [UInt8] = [0, 0, 0]
    #expect(read(reader, &bytes, 3) == 2 && bytes == [1, 2, 0])
    #expect(throws: SystemError(number: EAGAIN, call: "write")) {
      try FileIO.append(path, [UInt8](repeating: 0, count: 1 << 20))
    }
  }
}
