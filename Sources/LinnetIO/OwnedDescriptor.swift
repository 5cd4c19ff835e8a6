internal import CLinnetPOSIX

/// A file descriptor with exactly one owner: it cannot be copied, so it cannot be closed twice.
///
/// A descriptor that is registered with an ``IOShard`` must be deregistered before it is closed.
package struct OwnedDescriptor: ~Copyable, Sendable {
  private let number: CInt

  /// Takes over an open descriptor.
  package init(owning fd: CInt) { number = fd }

  /// The number, valid as long as this value lives.
  package var raw: CInt { number }

  /// Closes now rather than at the end of the scope.
  ///
  /// There is no error to report: Linux releases the number in every case, also after `EINTR`, and a retry could close
  /// a descriptor that another thread just opened.
  package consuming func close() {
    _ = linnet_close(number)
    discard self
  }

  /// Gives the descriptor away; the caller closes it.
  package consuming func release() -> CInt {
    let released = number
    discard self
    return released
  }

  deinit { _ = linnet_close(number) }
}
