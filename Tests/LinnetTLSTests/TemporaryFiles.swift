import Glibc

/// A file with the given text that is removed with the object.
final class TemporaryFile {
  let path: String

  convenience init(_ text: String) { self.init(Array(text.utf8)) }

  init(_ bytes: [UInt8]) {
    var template = Array("/tmp/linnet-tls-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  deinit { unlink(path) }
}

/// A directory that is removed, with the files that were written to it, with the object.
final class TemporaryDirectory {
  let path: String
  private var names: [String] = []

  init() {
    var template = Array("/tmp/linnet-tls-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? ""
  }

  func write(_ name: String, _ text: String) {
    names.append(name)
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
