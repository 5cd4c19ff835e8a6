/// Settings of HTTP/2 connections.
public struct HTTP2Configuration: Sendable, Hashable {
  /// What a server may send of one response before anything of it is read. Default 256 KiB: ordinary responses never wait,
  /// and a hundred responses that nobody reads stay small. From 16 KiB to 1 GiB.
  public var initialStreamWindowBytes = 256 << 10
  /// How large that may grow for a response whose reader is faster than the network. Default 8 MiB, which carries
  /// 640 Mbit/s over a round trip of 100 ms.
  public var maximumStreamWindowBytes = 8 << 20
  /// How much all responses of a connection together may grow beyond their initial window. Default 32 MiB. Of responses
  /// under way a connection never buffers more than this plus ``initialStreamWindowBytes`` for each; one that is complete
  /// holds what its reader has not taken yet.
  public var windowGrowthBudgetBytes = 32 << 20
  /// The most requests at a time on one connection, if the server allows that many. Default 128, which is what common
  /// servers allow.
  public var maximumConcurrentStreams = 128
  /// A connection with requests under way on which nothing was received for this long is asked for a sign of life (PING).
  /// Default 30 s; nil never asks; less than 10 ms counts as 10 ms.
  public var keepAliveInterval: Duration? = .seconds(30)
  /// How long that sign may take; then the connection is given up, and its requests fail with `connectionLost`. Default
  /// 15 s. A connection on which a request timed out gets the same question, and takes no further requests.
  public var keepAliveTimeout: Duration = .seconds(15)

  /// The defaults named at each property.
  public init() {}
}
