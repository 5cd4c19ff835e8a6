public import LinnetBytes
public import LinnetHTTPTypes

/// A response: its head, and its body as it arrives.
///
/// Read the body (``body``, ``collect(upTo:)``) or drop the response. Dropping it never leaks a connection: over
/// HTTP/1.1 a small rest of the body is read and thrown away, and a large one closes the connection; over HTTP/2 the stream
/// is reset (RST_STREAM), and other requests on the connection go on.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: HTTPStatus { head.status }
  /// The header fields, in the order and spelling of the wire. Nothing is taken out when the body is decoded: a
  /// `Content-Encoding` and `Content-Length` here speak of the body as it was sent.
  public var headers: HTTPHeaders { head.headers }
  /// The protocol version of the response.
  public var version: HTTPVersion { head.version }
  /// The whole head.
  public let head: ResponseHead
  /// The URL that was requested; after redirections the last one.
  public let url: HTTPURL
  /// The redirections that led here, in order.
  public internal(set) var history: [HTTPRedirectHop] = []
  /// The body. It can be read once.
  public let body: HTTPResponseBody
  /// The connection that carried the exchange.
  public let connection: ConnectionInfo
  /// When the steps up to the response's head happened.
  public let timings: ExchangeTimings

  /// Whether the request that this answers was sent with an `Authorization` field that its caller did not put among its
  /// headers: one of the default headers, or one made of the credentials of the call's options, the client's settings, netrc
  /// or the URL. A cache above must treat the response as one to a request with `Authorization`.
  package internal(set) var sentCredentials = false

  let defaultCap: Int

  init(
    head: ResponseHead, url: HTTPURL, body: HTTPResponseBody, connection: ConnectionInfo, timings: ExchangeTimings,
    defaultCap: Int
  ) {
    self.head = head
    self.url = url
    self.body = body
    self.connection = connection
    self.timings = timings
    self.defaultCap = defaultCap
  }

  /// The whole body in memory.
  ///
  /// - Parameter limit: The most bytes (after decoding) that are collected. Default: the request's or the client's
  ///   `maximumCollectedBytes`.
  /// - Returns: The bytes; shares the buffer that they were received in when they came in one piece.
  /// - Throws: `bodyTooLarge` when the body exceeds the limit; before reading when `Content-Length` already says so. Any
  ///   error of ``HTTPResponseBody/next()``. A cancelled task gives `cancelled`.
  public func collect(upTo limit: Int? = nil) async throws(TransportError) -> ByteChunk {
    try await body.collect(upTo: limit ?? defaultCap)
  }

  /// Tells the server that the rest of the body has become more or less urgent: a PRIORITY_UPDATE frame (RFC 9218 §7.1).
  ///
  /// It is a hint. Nothing is sent over HTTP/1.1, to a server that has not announced that it understands such frames
  /// (SETTINGS_NO_RFC7540_PRIORITIES), or once the body is complete.
  public func updatePriority(_ priority: HTTPPriority) { body.reader.updatePriority(priority.fieldValue) }

  /// The whole body as text: UTF-8, with invalid bytes replaced by U+FFFD.
  ///
  /// - Throws: As ``collect(upTo:)``.
  public func text(upTo limit: Int? = nil) async throws(TransportError) -> String {
    String(try await body.collect(upTo: limit ?? defaultCap))
  }
}
