/// How a ``ScriptedServer`` speaks HTTP/2.
///
/// ```swift
/// var options = ScriptedServer.Options()
/// options.acceptsHTTP2PriorKnowledge = true
/// options.http2.maximumConcurrentStreams = 2
/// let server = try ScriptedServer.start(.handler { .text($0.path) }, options: options)
/// // curl --http2-prior-knowledge http://127.0.0.1:PORT/x
/// ```
public struct ServerHTTP2: Sendable {
  /// SETTINGS_MAX_CONCURRENT_STREAMS; 100 by default.
  public var maximumConcurrentStreams = 100
  /// SETTINGS_INITIAL_WINDOW_SIZE: how much of a request's body a client may send before the server has read any of it.
  /// 65,535 by default, as RFC 9113 has it.
  public var initialWindowBytes = 65_535
  /// After so many streams of a connection GOAWAY names the last of them (NO_ERROR), later ones are ignored, and the
  /// connection is closed once those are answered; nil, the default, goes on.
  public var goAwayAfterStreams: Int?
  /// Streams that come while so many others are open are reset with REFUSED_STREAM, whatever the settings allow; nil, the
  /// default, refuses none.
  public var refusesStreamsAbove: Int?
  /// Nothing is sent, and so not even SETTINGS, before the gate is open; nil, the default, sends at once.
  public var settingsGate: Gate?

  /// The defaults.
  public init() {}
}
