/// The answer of a ``ScriptedServer`` to one request.
///
/// ```swift
/// ServerResponse(200, headers: [HeaderLine("ETag", "\"1\"")], body: "hello")
/// ServerResponse(200, body: .pattern(1 << 30)).chunked()
/// ServerResponse.text("bye").closing(.lingering)
/// ```
public struct ServerResponse: Sendable {
  /// How the end of the body is told to the client (RFC 9112 §6.3).
  public enum Framing: Sendable, Hashable {
    /// `Content-Length` with the body's size; none for statuses and methods without a body.
    case length
    /// `Content-Length` with this value, right or wrong.
    case announced(UInt64)
    /// `Transfer-Encoding: chunked`.
    case chunked
    /// By closing the connection.
    case close
    /// No framing field is added: the headers say it all.
    case manual
  }

  /// What happens to the connection after the response.
  public enum Closing: Sendable, Hashable {
    /// It stays open, unless the request or the framing says otherwise.
    case keepAlive
    /// `Connection: close` is sent, then FIN; then the client's bytes are read away until it closes (RFC 9112 §9.6). Over
    /// HTTP/2 a GOAWAY before the response, and FIN once all streams are answered.
    case lingering
    /// The connection is closed at once, without having announced it: what a server with an idle time-out does.
    case abrupt
    /// The connection is reset.
    case reset
  }

  /// An interim (1xx) response that precedes the final one.
  public struct Interim: Sendable {
    /// The status, 100 to 199.
    public var status: Int
    /// Its headers.
    public var headers: [HeaderLine]
    /// Opened before what follows is sent; nil to go on at once.
    public var gate: Gate?

    /// An interim response.
    public init(_ status: Int, headers: [HeaderLine] = [], then gate: Gate? = nil) {
      self.status = status
      self.headers = headers
      self.gate = gate
    }
  }

  /// The status code.
  public var status: Int
  /// The reason phrase; nil for the usual one.
  public var reason: String?
  /// The header lines, sent as they are and in this order; framing and `Connection` lines follow them.
  public var headers: [HeaderLine]
  /// The body.
  public var body: ServerBody
  /// How the end of the body is told. ``Framing/length`` by default.
  public var framing: Framing = .length
  /// Trailer lines; only sent when the framing is ``Framing/chunked``.
  public var trailers: [HeaderLine] = []
  /// Interim responses before the final one.
  public var interim: [Interim] = []
  /// The gate that must be open before anything of the response is sent.
  public var gate: Gate?
  /// What happens to the connection afterwards. ``Closing/keepAlive`` by default.
  public var closing: Closing = .keepAlive
  /// Raw steps that replace the whole response; afterwards the connection takes the next request unless they ended it.
  /// Over HTTP/2 they may wait and end the connection, but neither read nor send: such a step resets the stream with
  /// INTERNAL_ERROR and is recorded as a violation.
  public var effects: [SocketEffect]?

  /// A response with a `Content-Length` that keeps the connection open.
  public init(_ status: Int = 200, headers: [HeaderLine] = [], body: ServerBody = ServerBody()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// 200 with a text.
  public static func text(_ text: String) -> ServerResponse {
    ServerResponse(body: ServerBody(bytes: Array(text.utf8)))
  }

  /// 200 with these bytes.
  public static func bytes(_ bytes: [UInt8]) -> ServerResponse { ServerResponse(body: ServerBody(bytes: bytes)) }

  /// 200 with that many bytes of ``TestPattern``.
  public static func pattern(_ count: UInt64) -> ServerResponse { ServerResponse(body: .pattern(count)) }

  /// A redirect to `location`, without a body.
  public static func redirect(_ status: Int = 302, to location: String) -> ServerResponse {
    ServerResponse(status, headers: [HeaderLine("Location", location)])
  }

  /// No answer, until the client gives up.
  public static var never: ServerResponse { ServerResponse().waiting(for: Gate()) }

  /// Raw steps instead of a well-formed response.
  public static func raw(_ effects: [SocketEffect]) -> ServerResponse {
    var response = ServerResponse()
    response.effects = effects
    return response
  }

  /// Exactly these bytes instead of a well-formed response; the connection stays open.
  public static func raw(_ text: String) -> ServerResponse { .raw([.send(text)]) }

  /// The same response with one more header line.
  public func adding(_ name: String, _ value: String) -> ServerResponse {
    with { $0.headers.append(HeaderLine(name, value)) }
  }

  /// The same response, sent chunked, with trailers.
  public func chunked(trailers: [HeaderLine] = []) -> ServerResponse {
    with {
      $0.framing = .chunked
      $0.trailers = trailers
    }
  }

  /// The same response with another framing.
  public func framed(_ framing: Framing) -> ServerResponse { with { $0.framing = framing } }

  /// The same response, sent only once `gate` is open.
  public func waiting(for gate: Gate) -> ServerResponse { with { $0.gate = gate } }

  /// The same response with another end of the connection.
  public func closing(_ closing: Closing) -> ServerResponse { with { $0.closing = closing } }

  /// The same response after one more interim response.
  public func after(interim: Interim) -> ServerResponse { with { $0.interim.append(interim) } }

  private func with(_ change: (inout ServerResponse) -> Void) -> ServerResponse {
    var copy = self
    change(&copy)
    return copy
  }

  /// The phrases that servers usually send; empty for a status that is not in the list.
  static func usualReason(_ status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 103: "Early Hints"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 407: "Proxy Authentication Required"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: ""
    }
  }
}
