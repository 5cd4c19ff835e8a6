/// Bounds of ``AbuseMonitor``: how much of what moves nothing forward a peer may send.
///
/// Each kind may come in a burst and then at a rate. The rates are far above what a correct peer does, and far below
/// what costs anything.
package struct AbuseLimits: Sendable, Hashable {
  /// A burst, and how many a second are forgotten again.
  package struct Rate: Sendable, Hashable {
    package var burst: Int
    package var perSecond: Int

    package init(burst: Int, perSecond: Int) {
      self.burst = burst
      self.perSecond = perSecond
    }
  }

  /// SETTINGS, each of which costs an answer (CVE-2019-9515). A peer changes its settings a few times in its life.
  package var settings = Rate(burst: 100, perSecond: 1)

  /// PING (CVE-2019-9512). gRPC measures the bandwidth with one for each round trip, which sets the rate; the burst is
  /// the number of unanswered pings that nghttp2 allows.
  package var ping = Rate(burst: 1000, perSecond: 50)

  /// DATA without bytes and without END_STREAM (CVE-2019-9518). Envoy allows one in a row, swift-nio-http2 too; servers
  /// that flush too often send some.
  package var emptyData = Rate(burst: 100, perSecond: 10)

  /// WINDOW_UPDATE (CVE-2019-9511, CVE-2019-9517: tiny windows that make us send tiny frames). Beside this rate each
  /// stream that we open allows ``windowUpdatesPerStream`` and each DATA frame that we send
  /// ``windowUpdatesPerDataFrame``.
  package var windowUpdate = Rate(burst: 1000, perSecond: 100)
  package var windowUpdatesPerStream = 2
  /// Envoy's number.
  package var windowUpdatesPerDataFrame = 10

  /// RST_STREAM of open streams (CVE-2019-9514, and "rapid reset", CVE-2023-44487), and faults that make us send one
  /// (CVE-2025-8671): nghttp2's numbers. swift-nio-http2 allows 200 in 30 seconds.
  package var reset = Rate(burst: 1000, perSecond: 33)

  /// PRIORITY and PRIORITY_UPDATE (CVE-2019-9513). Envoy allows 100 for each stream.
  package var priority = Rate(burst: 200, perSecond: 20)

  /// GOAWAY: a graceful end needs two.
  package var goAway = Rate(burst: 10, perSecond: 1)

  /// Frames on closed streams, except DATA of ``strayDataBytes`` or more, which were under way and are bounded by the
  /// connection's window; and frames of unknown types, which a peer may send to try us (RFC 9113 §5.5, "grease").
  package var stray = Rate(burst: 4096, perSecond: 200)
  package var strayDataBytes = 1024

  /// CONTINUATION frames of one field section (CVE-2024-27316, CVE-2024-28182): nghttp2's limit. With 16 KiB in each
  /// they hold more than ``HTTP2SessionConfiguration/maximumFieldSectionBytes`` needs, compressed.
  package var continuations = 8

  /// Answers that wait because nothing of ours gets sent: nghttp2 and Envoy allow 1000 of them.
  package var unreadReplies = 1000

  /// Entries of one SETTINGS frame: nghttp2's default. Eight are registered.
  package var settingsEntries = 32

  package init() {}
}
