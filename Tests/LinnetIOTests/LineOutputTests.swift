import Dispatch
import Glibc
import LinnetIO
import Testing

@Suite("Line output")
struct LineOutputTests {
  /// A pipe whose ends are closed at the end of `body`.
  private func withPipe(_ body: (_ read: CInt, _ write: CInt) throws -> Void) throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    try body(ends[0], ends[1])
  }

  private func line(_ text: String) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 8192)
    try withPipe { read, write in
      LineOutput.write(text, to: write)
      bytes.removeLast(bytes.count - Glibc.read(read, &bytes, bytes.count))
    }
    return bytes
  }

  @Test("a line is written with its end")
  func short() throws { #expect(try line("hé") == Array("hé\n".utf8)) }

  @Test("a longer line is cut between characters, to what a pipe takes at once", arguments: 4085...4100)
  func long(_ count: Int) throws {
    for character in ["x", "é", "한", "😀"] {
      let text = String(repeating: "x", count: count % 4) + String(repeating: character, count: count)
      let bytes = try line(text)
      #expect(bytes.count <= LineOutput.maximumLineBytes)
      let written = try #require(String(validating: bytes, as: UTF8.self))
      if text.utf8.count < LineOutput.maximumLineBytes {
        #expect(written == text + "\n")
      } else {
        #expect(written.hasSuffix("...\n"))
        #expect(text.hasPrefix(written.dropLast(4)))
        #expect(bytes.count > LineOutput.maximumLineBytes - 5)
      }
    }
  }

  @Test("a pipe that nobody reads does not end the process, and leaves no signal behind")
  func brokenPipe() throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[1]) }
    close(ends[0])
    LineOutput.write("into the void", to: ends[1])
    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
  }

  @Test("a descriptor that is not open is ignored")
  func closed() { LineOutput.write("nowhere", to: -1) }

  @Test("a full pipe that does not block drops the line")
  func full() throws {
    try withPipe { _, write in
      _ = fcntl(write, F_SETFL, O_NONBLOCK)
      let text = String(repeating: "x", count: 4000)
      for _ in 0..<64 { LineOutput.write(text, to: write) }
    }
  }

  @Test("lines of several threads do not mix")
  func concurrent() throws {
    try withPipe { read, write in
      let threads = 4
      let count = 10
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        for _ in 0..<count { LineOutput.write(String(repeating: "\(thread)", count: 1000), to: write) }
      }
      var bytes = [UInt8](repeating: 0, count: threads * count * 1001)
      var filled = 0
      while filled < bytes.count {
        filled += bytes.withUnsafeMutableBytes { Glibc.read(read, $0.baseAddress! + filled, $0.count - filled) }
      }
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      #expect(lines.count == threads * count)
      #expect(lines.allSatisfy { $0.count == 1000 && Set($0).count == 1 })
    }
  }
}
