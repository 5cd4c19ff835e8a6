/// What one session allows its peer and itself: every bound, each with its reason.
package struct HTTP2SessionConfiguration: Sendable, Hashable {
  package enum Role: Sendable, Hashable {
    case client
    /// For the test kit, which plays servers.
    case server
  }

  package var role = Role.client

  /// SETTINGS_INITIAL_WINDOW_SIZE: what the peer may send on a stream before anything is consumed.
  ///
  /// 256 KiB. Large enough that ordinary responses never wait for a WINDOW_UPDATE, small enough for a hundred streams
  /// whose consumers do not read. Go gives 4 MiB, curl 10 MiB, each for every stream.
  package var initialStreamWindowBytes = 256 << 10

  /// How large a stream's window may grow while its consumer waits for bytes: 8 MiB carry 640 Mbit/s over 100 ms.
  package var maximumStreamWindowBytes = 8 << 20

  /// What all streams together may have above their initial window. So a connection buffers at most
  /// `streams × initialStreamWindowBytes + windowGrowthBudgetBytes`, whatever its consumers do, and no consumer can stop
  /// another: the connection's own window is returned as bytes come.
  package var windowGrowthBudgetBytes = 32 << 20

  /// The connection's window. Above what all streams may send at once it never holds anybody up.
  package var connectionWindowBytes = 64 << 20

  /// SETTINGS_HEADER_TABLE_SIZE and the bound of our own encoder's table; RFC 9113's default.
  package var headerTableBytes = 4096

  /// SETTINGS_MAX_HEADER_LIST_SIZE, of expanded fields with 32 bytes for each (RFC 9113 §6.5.2), and enforced: a few
  /// bytes can expand to megabytes (the HPACK bomb, CVE-2016-6581).
  package var maximumFieldSectionBytes = 256 << 10

  package var maximumFields = 1024

  /// 1xx heads of one response; as for HTTP/1.1.
  package var maximumInterimResponses = 64

  /// SETTINGS_MAX_CONCURRENT_STREAMS of the server role. A client announces 0 pushed streams.
  package var maximumConcurrentStreams = 100

  /// SETTINGS_ENABLE_CONNECT_PROTOCOL of the server role.
  package var allowsExtendedConnect = false

  /// Streams a client assumes to be allowed until the peer's SETTINGS come: 100, as Go and nghttp2; RFC 9113 §6.5.2
  /// recommends no limit below.
  package var assumedConcurrentStreams = 100

  /// Body bytes of one stream that may wait for windows and the socket before its producer has to.
  package var sendHighWater = 256 << 10

  /// See ``AbuseMonitor``.
  package var abuseLimits = AbuseLimits()

  package init() {}
}
