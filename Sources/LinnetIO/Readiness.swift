internal import CLinnetPOSIX

/// What a descriptor became ready for. Edge-triggered: it is told once, and again only after new bytes, new room or a
/// new condition.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A receive finds bytes, the end or an error.
  package static let readable = Readiness(rawValue: 1)
  /// A send finds room or an error; a connection attempt ended.
  package static let writable = Readiness(rawValue: 2)
  /// The peer finished sending or is gone; comes with ``readable``.
  package static let peerClosed = Readiness(rawValue: 4)
  /// The descriptor has an error or is closed in both directions; comes with ``readable`` and ``writable``.
  package static let failed = Readiness(rawValue: 8)

  init(epollBits bits: UInt32) {
    var value: Readiness = []
    if bits & linnet_epoll_in() != 0 { value.insert(.readable) }
    if bits & linnet_epoll_out() != 0 { value.insert(.writable) }
    if bits & linnet_epoll_peer_closed() != 0 { value.formUnion([.readable, .peerClosed]) }
    if bits & linnet_epoll_hang_up() != 0 { value.formUnion([.readable, .writable, .peerClosed, .failed]) }
    if bits & linnet_epoll_error() != 0 { value.formUnion([.readable, .writable, .failed]) }
    self = value
  }

  static var epollInterest: UInt32 { linnet_epoll_in() | linnet_epoll_out() | linnet_epoll_peer_closed() }
}

/// What is told about a registered descriptor.
package protocol ReadinessReceiver: AnyObject, Sendable {
  /// Called on the shard, with no lock of the shard held. It must not block.
  ///
  /// A call can already be under way on the shard while another thread deregisters the slot; so the receiver checks,
  /// under its own lock, whether it still owns the descriptor before it touches it.
  func ready(_ readiness: Readiness)
}
