internal import LinnetBytes
internal import LinnetHTTPTypes

/// What the session knows about one stream that is not closed. One allocation for each.
final class HTTP2Stream {
  let id: HTTP2StreamID

  // The request, as far as it decides how a response is read.
  var isHeadRequest = false
  var isConnect = false

  // Receiving.

  /// The field section that is being received.
  var section = FieldSection()
  /// The final head (client role) or the request's head (server role) has been delivered.
  var hasHead = false
  var interimResponses = 0
  /// What Content-Length promises; nil when it does not.
  var expectedLength: UInt64?
  var receivedBytes: UInt64 = 0
  /// Delivered and not yet consumed.
  var unconsumedBytes = 0
  var window = ReceiveWindows.Stream()
  /// `end` or `reset` has been delivered.
  var isOver = false
  /// What the peer's RST_STREAM says.
  var peerReset: HTTP2ErrorCode?

  // Sending.

  /// The head has left nghttp2's queue.
  var isHeadSent = false
  /// A final head was submitted, so that body bytes may follow.
  var acceptsBody = false
  var chunks = RingDeque<ByteChunk>()
  var queuedBytes = 0
  /// Of a body of known length: what may still be queued.
  var unqueuedLength: UInt64?
  var trailers: HTTPHeaders?
  var isEndQueued = false
  /// nghttp2 waits to be told of new bytes.
  var isDeferred = false
  /// The producer was told to wait.
  var isFull = false

  init(id: HTTP2StreamID) { self.id = id }

  /// Forgets what was to be sent.
  func dropOutput() {
    chunks = RingDeque()
    queuedBytes = 0
    trailers = nil
  }

  /// Takes `count` bytes of the queued ones into `output`.
  func write(_ count: Int, into output: inout WriteBuffer) {
    var left = min(count, queuedBytes)
    queuedBytes -= left
    while left > 0, let first = chunks.first {
      if first.count <= left {
        output.append(first)
        _ = chunks.popFirst()
        left -= first.count
      } else {
        output.append(first.prefix(left))
        chunks.replaceFirst(with: first.dropFirst(left))
        left = 0
      }
    }
  }
}
