internal import Glibc

/// A directory for the files of one test, with mode 0700; it is removed with all its content when its owner is gone.
public final class TemporaryDirectory: Sendable {
  /// The absolute path, without a trailing `/`.
  public let path: String

  /// Makes a new directory below `$TMPDIR`, or `/tmp`.
  ///
  /// - Throws: ``TestSupportError`` when the system refuses.
  public init() throws(TestSupportError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent.isEmpty ? "/tmp" : parent)/linnet-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .last("mkdtemp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// The path of something inside; nothing is made.
  public func path(of name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and returns its path.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - name: The name inside the directory.
  ///   - mode: The permissions; 0600 by default, as private keys need.
  /// - Throws: ``TestSupportError`` when the system refuses.
  @discardableResult
  public func write(
    _ bytes: some Collection<UInt8>, to name: String, mode: UInt32 = 0o600
  ) throws(TestSupportError) -> String {
    let path = path(of: name)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .last("open") }
    defer { close(descriptor) }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("write")
      }
      rest = rest.dropFirst(count)
    }
    return path
  }

  /// Writes a text file and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws(TestSupportError) -> String {
    try write(text.utf8, to: name)
  }

  /// The bytes of a file, or nil when it cannot be read.
  public static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &room, room.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { return all }
      all.append(contentsOf: room[..<count])
    }
  }

  /// The names in a directory, without `.` and `..`; empty when it cannot be read.
  package static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a file, or a directory with its content. Links are removed, never followed.
  private static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
