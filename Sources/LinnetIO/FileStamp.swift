internal import CLinnetPOSIX

/// Which file a path leads to and in which state it is: enough to notice that it was changed or replaced, and who may read
/// it.
package struct FileStamp: Sendable, Hashable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  /// Nanoseconds of the wall clock.
  private let changed: Int64
  private let mode: UInt32

  /// Whether it is no pipe, device or directory: those have nothing that changes with their content.
  package var isRegular: Bool { mode & 0o170000 == 0o100000 }

  /// Whether both are of one file, whatever has become of it.
  package func isSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }

  /// What `path` leads to now, symbolic links followed. Does not open it.
  package init(path: String) throws(SystemError) {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    var size: Int64 = 0
    var changed: Int64 = 0
    var mode: UInt32 = 0
    // SAFETY: the path ends with a zero byte, and the call writes the five variables.
    _ = try Syscalls.call("stat") { unsafe linnet_path_stamp(path, &device, &inode, &size, &changed, &mode) }
    self.device = device
    self.inode = inode
    self.size = size
    self.changed = changed
    self.mode = mode
  }
}
