internal import CLinnetNGHTTP2
internal import LinnetBytes
internal import LinnetHTTPTypes

/// The part of a session that nghttp2's callbacks reach: its handle, the streams, what was heard and what is to be said.
///
/// A callback only notes what happened; what follows from it, the session does when nghttp2 has returned.
///
/// SAFETY of `@unchecked Sendable`: the object is reachable only through one ``HTTP2Session``, which is `~Copyable`, so
/// every use is inside a method of its one owner; nghttp2 keeps no state outside its session, which is deleted once, in
/// `deinit`.
@safe
final class SessionState: @unchecked Sendable {
  let configuration: HTTP2SessionConfiguration
  /// Nil only while `init` runs, or when it failed.
  private(set) var library: OpaquePointer?

  var streams: [Int32: HTTP2Stream] = [:]
  var events = RingDeque<HTTP2Event>()
  /// ``HTTP2Event/connectionFailed(_:)`` was noted: nothing is read or begun any more.
  var isDead = false
  var peerSettings = HTTP2PeerSettings()
  var windows: ReceiveWindows

  // Receiving.

  /// The frame that nghttp2 is given.
  var frame: FrameHeader?
  /// Body bytes that nghttp2 found in the bytes it was given last. There is one run of them at most, because no more than
  /// one frame is given at once.
  var foundData: (stream: Int32, offset: Int, count: Int)?
  /// Where the bytes begin that nghttp2 was given last.
  var givenAddress: UInt = 0
  /// Body bytes came out of the bytes that nghttp2 was given last.
  var gaveData = false
  /// … and belong to a stream that wants them.
  var deliversData = false
  /// What is wrong with the field that nghttp2 refuses.
  var malformation: HTTP2Error.Malformation?
  /// Streams that ended by a fault of the peer's, and were not counted by ``AbuseMonitor``.
  var faults = 0
  /// The GOAWAY of the peer says why it gives up.
  var peerGoAway: HTTP2ErrorCode?
  var hasGoneAway = false
  /// We have said GOAWAY.
  var hasEnded = false

  // Sending.

  /// Frames that wait for ``HTTP2Session/drain(into:upTo:)``; during it, the caller's buffer.
  var output = WriteBuffer()
  /// No DATA frame begins once `output` holds so much.
  var dataLimit = 0
  var encoder = FieldEncoder()
  /// Streams with body bytes in their queue.
  var senders = 0
  /// The stream of the last DATA frame.
  var lastSender: Int32 = 0
  /// A stream that let others go first.
  var yielded: HTTP2Stream?
  /// GOAWAY frames of our own that nghttp2 has not sent.
  var pendingGoAways = 0
  /// RST_STREAM frames that the owner asked for and nghttp2 has not sent: no answers to the peer.
  var pendingResets = 0
  /// Answers in `output`.
  var waitingReplies = 0
  /// Pings of ours that are not answered.
  var pendingPings = 0
  var sentDataFrames = 0
  var openedStreams = 0

  init(_ configuration: HTTP2SessionConfiguration) throws(HTTP2Error) {
    self.configuration = configuration
    windows = ReceiveWindows(
      initial: min(max(0, configuration.initialStreamWindowBytes), ReceiveWindows.protocolMaximum),
      maximum: configuration.maximumStreamWindowBytes, budget: configuration.windowGrowthBudgetBytes)
    unsafe library = nil
    // SAFETY: nghttp2 keeps the pointer to `self` unretained; it uses it only inside calls that methods of `self` make,
    // and its session is deleted before `self` is gone.
    unsafe library = try unsafe makeLibrary(user: Unmanaged.passUnretained(self).toOpaque())
    let code = submitSettings()
    guard code == 0 else { throw HTTP2Error.local(library: code) }
  }

  deinit {
    // SAFETY: made by `init`, deleted once, and nobody calls it afterwards.
    if let library = unsafe library { unsafe nghttp2_session_del(library) }
  }

  var isClient: Bool { configuration.role == .client }

  // MARK: Setting up

  private func makeLibrary(user: UnsafeMutableRawPointer) throws(HTTP2Error) -> OpaquePointer {
    let noMemory = HTTP2Error(.connection, .local, .internalError, .outOfMemory)
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    var session: OpaquePointer?
    // SAFETY: each object is made and freed here; nghttp2 copies callbacks and options into the session.
    guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks else {
      throw noMemory
    }
    defer { unsafe nghttp2_session_callbacks_del(callbacks) }
    guard unsafe nghttp2_option_new(&options) == 0, let options = unsafe options else { throw noMemory }
    defer { unsafe nghttp2_option_del(options) }
    unsafe installCallbacks(callbacks)
    unsafe setOptions(options)
    let code =
      isClient
      ? unsafe nghttp2_session_client_new2(&session, callbacks, user, options)
      : unsafe nghttp2_session_server_new2(&session, callbacks, user, options)
    guard code == 0, let session = unsafe session else { throw noMemory }
    return unsafe session
  }

  private func setOptions(_ options: OpaquePointer) {
    let limits = configuration.abuseLimits
    // SAFETY: the options live during the calls.
    // The session returns windows itself, as consumers take bytes.
    unsafe nghttp2_option_set_no_auto_window_update(options, 1)
    // Closed streams matter only to RFC 7540's priorities.
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    // A value with whitespace around it is trimmed, as HTTP/1.1 does, instead of being lost.
    unsafe nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
    unsafe nghttp2_option_set_max_settings(options, max(1, limits.settingsEntries))
    unsafe nghttp2_option_set_max_outbound_ack(options, max(1, limits.unreadReplies))
    unsafe nghttp2_option_set_max_send_header_block_length(options, 2 * FieldEncoder.maximumSectionBytes)
    unsafe nghttp2_option_set_max_deflate_dynamic_table_size(options, max(0, configuration.headerTableBytes))
    unsafe nghttp2_option_set_peer_max_concurrent_streams(
      options, UInt32(clamping: configuration.assumedConcurrentStreams))
  }

  /// SETTINGS, and the connection's window behind it.
  private func submitSettings() -> Int32 {
    func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
      nghttp2_settings_entry(settings_id: Int32(bitPattern: id.rawValue), value: UInt32(clamping: value))
    }
    var entries = [
      entry(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, configuration.headerTableBytes),
      entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, isClient ? 0 : configuration.maximumConcurrentStreams),
      entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, windows.initial),
      entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, configuration.maximumFieldSectionBytes),
    ]
    if isClient {
      // Not NO_RFC7540_PRIORITIES (RFC 9218 §2.1): nghttp2 keeps the promise for its own output too, and then sends one
      // upload to its end before the next one begins. By the weights of RFC 7540, which are equal, they take turns.
      entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
    } else {
      entries.append(entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1))
      if configuration.allowsExtendedConnect { entries.append(entry(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1)) }
    }
    let none = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)
    let window = Int32(clamping: max(65_535, configuration.connectionWindowBytes))
    // SAFETY: nghttp2 copies the entries during the call.
    let code = unsafe entries.withUnsafeBufferPointer { entries in
      unsafe nghttp2_submit_settings(library, none, entries.baseAddress, entries.count)
    }
    guard code == 0 else { return code }
    return unsafe nghttp2_session_set_local_window_size(library, none, 0, window)
  }

  // MARK: Ends

  /// The connection is lost: notes that, and tells the peer.
  func fail(_ error: HTTP2Error, tellsPeer: Bool = true) {
    guard !isDead else { return }
    isDead = true
    events.append(.connectionFailed(error))
    streams = [:]
    guard tellsPeer else { return }
    // SAFETY: the getter only reads a field of the session.
    let last = unsafe nghttp2_session_get_last_proc_stream_id(library)
    appendGoAway(lastStream: last, code: error.code, to: &output)
  }

  /// The peer's part of a stream ends here.
  func over(_ stream: HTTP2Stream, _ error: HTTP2Error) {
    dropOutput(of: stream)
    guard !stream.isOver else { return }
    stream.isOver = true
    if stream.peerReset == nil, error.side == .remote, error.reason != .refused { faults += 1 }
    events.append(.reset(stream.id, error))
  }

  /// The peer broke the rules on one stream: ends it, and tells the peer.
  func refuse(_ stream: HTTP2Stream, _ reason: HTTP2Error.Reason, _ code: HTTP2ErrorCode = .protocolError) {
    over(stream, HTTP2Error(.stream, .remote, code, reason))
    submitReset(stream.id, code)
  }

  func submitReset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    let none = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)
    // SAFETY: the session is alive; a failure can only be lack of memory, which the next call reports.
    _ = unsafe nghttp2_submit_rst_stream(library, none, id.rawValue, code.rawValue)
  }

  /// Forgets what was to be sent.
  private func dropOutput(of stream: HTTP2Stream) {
    if stream.queuedBytes > 0 { senders -= 1 }
    stream.dropOutput()
  }

  /// Both sides are done.
  func close(_ stream: HTTP2Stream) {
    windows.closed(&stream.window)
    dropOutput(of: stream)
    streams[stream.id.rawValue] = nil
    events.append(.closed(stream.id))
  }
}
