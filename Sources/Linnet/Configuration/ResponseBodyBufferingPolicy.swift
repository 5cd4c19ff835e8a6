/// How the body of a response is collected, and how large it may become.
///
/// The limit counts bytes after decoding of `Content-Encoding`. A body of exactly the limit is allowed; one byte more
/// fails the call with ``NetworkError/underlying(_:_:)`` of code 4003, which names the limit and what was seen. The
/// limit holds again for bodies that a cache, a response interceptor or a decoding interceptor puts in the place of the
/// server's.
public enum ResponseBodyBufferingPolicy: Sendable, Hashable {
  /// The limit is checked while the body arrives: first against `Content-Length`, before anything of the body is read,
  /// then with each run of bytes. The transfer is cancelled as soon as the limit is exceeded, so a server cannot make
  /// the client hold more than the limit. `nil`: no limit, which has to be spelled out.
  case streaming(maxBytes: Int?)
  /// The whole body is collected first and checked then: the limit bounds what reaches caches and decoders, not what is
  /// held in memory meanwhile. `nil`: no limit.
  case buffered(maxBytes: Int?)

  /// Streaming, at most 5 MiB: the default of both configurations.
  public static var `default`: ResponseBodyBufferingPolicy { .streaming(maxBytes: 5 << 20) }

  /// The limit, not below 0; nil for none.
  var maximumBytes: Int? {
    switch self {
    case .streaming(let limit), .buffered(let limit): limit.map { max(0, $0) }
    }
  }

  /// The most bytes that may be read from the network.
  var collectionCap: Int {
    switch self {
    case .streaming: maximumBytes ?? .max
    case .buffered: .max
    }
  }
}
