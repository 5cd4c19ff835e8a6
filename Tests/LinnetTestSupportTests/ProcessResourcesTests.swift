import Glibc
import LinnetTestSupport
import Testing

@Suite("Descriptors, threads, memory and files of the process", .timeLimit(.minutes(2)))
struct ProcessResourcesTests {
  @Test("an open file shows with its path")
  func descriptors() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x", to: "seen")
    let before = DescriptorCount.now()
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    #expect(DescriptorCount.now().added(since: before)[descriptor] == path)
    close(descriptor)
    #expect(DescriptorCount.now().targets[descriptor] != path)
  }

  @Test("a leak is an error that lists what is open in addition")
  func leak() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x", to: "leaked")
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    // No process has fewer descriptors than this, so the wait must fail.
    let nothing = DescriptorCount.none
    let error = await #expect(throws: WaitTimeout.self) {
      try await DescriptorCount.returned(to: nothing, within: .milliseconds(5))
    }
    #expect(error?.observed.contains("leaked") == true)
  }

  @Test("threads and memory are counted")
  func threadsAndMemory() throws {
    #expect(ThreadCount.now().count >= 1)
    #expect(ResidentMemory.bytes > 1 << 20)
    #expect(ResidentMemory.peakBytes >= ResidentMemory.bytes / 2)
  }

  @Test("a temporary directory is private and disappears with its content")
  func temporaryDirectory() throws {
    var path = ""
    do {
      let directory = try TemporaryDirectory()
      path = directory.path
      try directory.write("secret", to: "key")
      mkdir(directory.path(of: "sub"), 0o700)
      try directory.write("deep", to: "sub/file")
      symlink("/etc/hostname", directory.path(of: "link"))
      #expect(TemporaryDirectory.contents(of: directory.path(of: "key")) == Array("secret".utf8))
      #expect(mode(of: path) == 0o700)
      #expect(mode(of: directory.path(of: "key")) == 0o600)
    }
    #expect(access(path, F_OK) != 0)
    #expect(TemporaryDirectory.contents(of: path + "/key") == nil)
  }

  private func mode(of path: String) -> mode_t {
    var status = stat()
    stat(path, &status)
    return status.st_mode & 0o777
  }
}
