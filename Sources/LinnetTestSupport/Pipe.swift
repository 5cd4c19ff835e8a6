internal import Glibc

/// A pipe that wakes a thread which waits in `poll`.
enum Pipe {
  static func open() throws(TestSupportError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
