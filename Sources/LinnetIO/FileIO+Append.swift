internal import Glibc

extension FileIO {
  /// Appends to a file, made private when it is not there yet. A symbolic link in the last place is refused.
  ///
  /// A pipe is not waited for: without a reader that is `ENXIO`, without room for all of it `EAGAIN`.
  package static func append(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let file = try open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode: privateMode)
    var failure: SystemError?
    // SAFETY: the pointer is used only during the call.
    unsafe bytes.withUnsafeBytes { all in
      do throws(SystemError) { try unsafe writeNext(file.raw, all) } catch { failure = error }
    }
    file.close()
    if let failure { throw failure }
  }
}
