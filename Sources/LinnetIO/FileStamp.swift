internal import CLinnetPOSIX

/// Which file lies at a path, and since when with what content, as far as the file system tells: equal stamps mean that it
/// need not be read again.
package struct FileStamp: Sendable, Hashable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  /// Nanoseconds of the last change of the content, and of the content or its attributes, which a program cannot set.
  private let modified: Int64
  private let changed: Int64

  /// The stamp of what `path` leads to, symbolic links followed; nil when there is nothing.
  package init?(path: String) {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    var size: Int64 = 0
    var modified: Int64 = 0
    var changed: Int64 = 0
    // SAFETY: the path ends with a zero byte, and the call writes the five variables.
    let result = unsafe linnet_path_stamp(path, &device, &inode, &size, &modified, &changed)
    guard result == 0 else { return nil }
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }
}
