internal import CLinnetPOSIX
internal import LinnetBytes
internal import Synchronization

/// The registration of one descriptor with one ``IOShard``. It cannot be copied and is ended by
/// ``IOShard/deregister(_:)``.
package struct Slot: ~Copyable, Sendable {
  fileprivate let index: UInt32
  fileprivate let generation: UInt32
}

/// The receivers of a shard by slot. A slot that is used again has another generation, so an event that the kernel
/// queued for its former descriptor is recognised and dropped.
struct SlotTable {
  private struct Entry {
    var generation: UInt32 = 0
    var fd: CInt = -1
    var receiver: (any ReadinessReceiver)?
  }

  private var entries: [Entry] = []
  private var free: [UInt32] = []

  fileprivate mutating func insert(_ fd: CInt, _ receiver: any ReadinessReceiver) -> Slot {
    let index =
      free.popLast()
      ?? {
        entries.append(Entry())
        return UInt32(truncatingIfNeeded: entries.count - 1)
      }()
    entries[Int(index)].fd = fd
    entries[Int(index)].receiver = receiver
    return Slot(index: index, generation: entries[Int(index)].generation)
  }

  fileprivate func isValid(_ index: UInt32, _ generation: UInt32) -> Bool {
    index < entries.count && entries[Int(index)].generation == generation && entries[Int(index)].receiver != nil
  }

  fileprivate func receiver(token: UInt64) -> (any ReadinessReceiver)? {
    let index = UInt32(truncatingIfNeeded: token)
    guard isValid(index, UInt32(truncatingIfNeeded: token >> 32)) else { return nil }
    return entries[Int(index)].receiver
  }

  /// Puts another receiver in, or nil to free the slot; hands the former one back, so that its last reference is not
  /// dropped under the lock.
  fileprivate mutating func replace(
    _ index: UInt32, _ generation: UInt32, with receiver: (any ReadinessReceiver)?
  ) -> (fd: CInt, receiver: (any ReadinessReceiver)?)? {
    guard isValid(index, generation) else { return nil }
    let former = (entries[Int(index)].fd, entries[Int(index)].receiver)
    entries[Int(index)].receiver = receiver
    if receiver == nil {
      entries[Int(index)].fd = -1
      entries[Int(index)].generation &+= 1
      free.append(index)
    }
    return former
  }

  mutating func removeAll() -> [any ReadinessReceiver] {
    let receivers = entries.compactMap(\.receiver)
    for index in entries.indices where entries[index].receiver != nil {
      entries[index] = Entry(generation: entries[index].generation &+ 1)
      free.append(UInt32(truncatingIfNeeded: index))
    }
    return receivers
  }
}

extension IOShard {
  /// Adds a non-blocking descriptor, edge-triggered for reading, writing and the peer's close.
  ///
  /// Its present readiness is told at once, possibly before this returns. The shard holds the receiver until
  /// ``deregister(_:)``; the caller keeps the descriptor open until then.
  ///
  /// - Throws: `ENOSPC`, `ENOMEM`, or at the first registration of a shard `EMFILE`.
  package func register(_ fd: CInt, receiver: any ReadinessReceiver) throws(SystemError) -> Slot {
    let set = try openIfNeeded()
    let slot = slots.withLock { $0.insert(fd, receiver) }
    let token = UInt64(slot.generation) << 32 | UInt64(slot.index)
    do throws(SystemError) {
      _ = try Syscalls.call("epoll_ctl", fd: fd) { linnet_epoll_add(set, fd, Readiness.epollInterest, token) }
    } catch {
      _ = slots.withLock { $0.replace(slot.index, slot.generation, with: nil) }
      throw error
    }
    registered.wrappingAdd(1, ordering: .relaxed)
    return slot
  }

  /// Tells another receiver from now on. Readiness that was told before is not repeated: the new receiver tries to read
  /// and to write before it waits.
  package func replaceReceiver(of slot: borrowing Slot, with receiver: any ReadinessReceiver) {
    let (index, generation) = (slot.index, slot.generation)
    _ = slots.withLock { $0.replace(index, generation, with: receiver) }
  }

  /// Ends a registration. After it returns no further `ready` starts for the slot (one may be under way on the shard),
  /// and the caller may close the descriptor.
  package func deregister(_ slot: consuming Slot) {
    let (index, generation) = (slot.index, slot.generation)
    guard let former = slots.withLock({ $0.replace(index, generation, with: nil) }) else { return }
    registered.wrappingSubtract(1, ordering: .relaxed)
    // A failure means that the descriptor is no longer in the set, which is what is wanted.
    _ = linnet_epoll_delete(pollDescriptor.load(ordering: .acquiring), former.fd)
  }

  /// Passes an event on; the receiver is called without the lock, because it may register and deregister.
  func deliver(token: UInt64, bits: UInt32) {
    if token == Self.wakeToken { return }
    guard let receiver = slots.withLock({ $0.receiver(token: token) }) else { return }
    receiver.ready(Readiness(epollBits: bits))
  }
}
