internal import CLinnetPOSIX

/// Which file a path led to, and how large it was: enough to notice later that it is another one.
package struct FileIdentity: Sendable, Hashable {
  package let size: UInt64
  package let isRegular: Bool
  private let device: UInt64
  private let inode: UInt64

  /// What `path` leads to now, symbolic links followed. Does not open it.
  package init(path: String) throws(SystemError) {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    var size: Int64 = 0
    var isRegular: CInt = 0
    // SAFETY: the path ends with a zero byte, and the call writes the four variables.
    _ = try Syscalls.call("stat") { unsafe linnet_path_identity(path, &device, &inode, &size, &isRegular) }
    self.init(device: device, inode: inode, size: size, isRegular: isRegular != 0)
  }

  /// The file of an open descriptor.
  package init(descriptor: CInt) throws(SystemError) {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    var size: Int64 = 0
    var isRegular: CInt = 0
    // SAFETY: the call writes the four variables.
    _ = try Syscalls.call("fstat", fd: descriptor) {
      unsafe linnet_file_identity(descriptor, &device, &inode, &size, &isRegular)
    }
    self.init(device: device, inode: inode, size: size, isRegular: isRegular != 0)
  }

  private init(device: UInt64, inode: UInt64, size: Int64, isRegular: Bool) {
    self.device = device
    self.inode = inode
    self.size = UInt64(clamping: size)
    self.isRegular = isRegular
  }
}
