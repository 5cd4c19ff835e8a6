internal import CLinnetPOSIX
internal import Glibc
internal import LinnetBytes

/// An open pipe, terminal or device, read by one task at a time. Its bytes are waited for on a shard, so that no thread
/// waits for what may never come. Closed with the last reference.
package final class InputStream: Sendable {
  private let descriptor: OwnedDescriptor
  private let shard: IOShard
  private let waiter: ReadinessWaiter
  /// Nil for what cannot be waited for, such as `/dev/null`, and a directory, whose read says what it is.
  private let slot: Lock<Slot?>
  /// Not before the first wait: a named pipe that has no writer yet looks as if it were at its end.
  private let mayBeReadable = Lock(false)
  private let canWait: Bool

  /// - Parameter file: Opened by ``FileIO/openWithoutWaiting(_:)``.
  package init(_ file: consuming OwnedDescriptor, on shard: IOShard) throws(SystemError) {
    waiter = ReadinessWaiter(shard: shard)
    self.shard = shard
    do throws(SystemError) {
      slot = Lock(try shard.register(file.raw, receiver: waiter))
      canWait = true
    } catch {
      guard error.number == EPERM else { throw error }
      slot = Lock(nil)
      canWait = false
    }
    descriptor = file
  }

  deinit {
    slot.withLock { slot in
      var taken: Slot?
      swap(&taken, &slot)
      if let registered = taken { shard.deregister(registered) }
    }
  }

  /// The next bytes; empty at the end.
  package func next(upTo limit: Int) async throws(InputFileError) -> [UInt8] {
    guard canWait else {
      return try await InputFile.onPool { () throws(SystemError) in try self.readNow(limit) ?? [] }
    }
    while true {
      if mayBeReadable.withLock({ $0 }) {
        do throws(SystemError) {
          if let bytes = try readNow(limit) { return bytes }
        } catch {
          throw .system(error)
        }
        mayBeReadable.withLock { $0 = false }
      }
      do throws(ReadinessWaitError) {
        try await waiter.waitReadable(deadline: .distantFuture)
      } catch {
        throw error == .cancelled ? .cancelled : .timedOut
      }
      mayBeReadable.withLock { $0 = true }
    }
  }

  /// Nil when nothing is there yet.
  private func readNow(_ limit: Int) throws(SystemError) -> [UInt8]? {
    var failure: SystemError?
    var isBlocked = false
    // SAFETY: the kernel writes at most `allowed` bytes of the room, during the call; `count` is what it wrote.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { room, count in
      do throws(SystemError) {
        let moved = try Syscalls.transfer(
          "read", fd: descriptor.raw, count: room.count,
          { allowed in unsafe linnet_read(descriptor.raw, room.baseAddress, allowed) })
        isBlocked = moved == nil
        count = moved ?? 0
      } catch {
        failure = error
        count = 0
      }
    }
    if let failure { throw failure }
    return isBlocked ? nil : bytes
  }
}
