internal import LinnetHTTP2
internal import LinnetProtocols

/// What takes the bytes of a connection: the machine of its protocol. Generic code over it is specialised, because it is
/// in this module.
protocol ByteReceiver: ~Copyable {
  /// How much to read at once.
  var suggestedReadSize: Int { get }
  /// Only the end of the stream tells whether the message is complete, so it must be an authentic one.
  var isDelimitedByClose: Bool { get }

  /// Lends room for received bytes; `body` returns how many it wrote.
  mutating func withReceiveCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int
}

extension HTTP1ClientMachine: ByteReceiver {}

extension HTTP2Session: ByteReceiver {
  /// Enough for several frames of the usual size: fewer system calls when many streams deliver at once.
  var suggestedReadSize: Int { 64 << 10 }
  /// Frames have lengths and streams have ends.
  var isDelimitedByClose: Bool { false }
}
