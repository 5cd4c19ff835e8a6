public import FoundationEssentials
public import LinnetHTTP

/// A response whose body was collected: what interceptors, decoders and errors see.
public struct Response: Sendable {
  /// Whether a body belongs to the value.
  public enum Kind: Sendable, Hashable {
    /// The body was collected into ``Response/data``.
    case body
    /// Only the head is known; ``Response/data`` is empty because the body streams or was not read.
    case headersOnly
  }

  /// The status code, such as 200.
  public var statusCode: Int
  /// The body after decoding of `Content-Encoding`. Empty in errors unless the client captures failure payloads.
  public var data: Data
  /// The head: status, header fields, version.
  public var response: ResponseHead
  /// Whether ``data`` is the body.
  public var kind: Kind
  /// How many times the request was tried, this response included. At least 1.
  public var attempts = 1
  /// The time from the call to this response.
  public var elapsed: Duration = .zero
  /// The redirections that led to this response, in order; empty when it answers the request's own URL.
  public var redirects: [RedirectHop] = []
  private var exchange: Exchange

  /// A response made by hand, for mocks, caches and interceptors.
  ///
  /// - Parameters:
  ///   - statusCode: The status code that is validated; it may differ from the head's when an interceptor rewrote it.
  ///   - data: The body.
  ///   - request: The request that it answers.
  ///   - response: The head.
  ///   - kind: Whether `data` is the body. Default ``Kind/body``.
  public init(statusCode: Int, data: Data, request: HTTPRequest?, response: ResponseHead, kind: Kind = .body) {
    self.statusCode = statusCode
    self.data = data
    self.response = response
    self.kind = kind
    exchange = Exchange(request: request)
  }

  /// The response of an exchange over the network.
  init(_ received: HTTPResponse, data: Data, to request: HTTPRequest) {
    statusCode = received.status.code
    self.data = data
    response = received.head
    kind = .body
    exchange = Exchange(
      request: request, connection: received.connection, timings: received.timings,
      sentCredentials: received.sentCredentials)
  }

  /// The request as it was sent, after interceptors, tokens and signatures; nil for responses made by hand.
  public var request: HTTPRequest? {
    get { exchange.request }
    set { exchange = exchange.with(request: newValue) }
  }

  /// The connection that carried the exchange; nil for responses of a cache or a mock.
  public var connection: ConnectionInfo? {
    get { exchange.connection }
    set { exchange = exchange.with(connection: newValue) }
  }

  /// When the steps of the exchange happened; nil for responses of a cache or a mock.
  public var timings: ExchangeTimings? {
    get { exchange.timings }
    set { exchange = exchange.with(timings: newValue) }
  }

  /// Whether the engine sent credentials of its own with the request; see `HTTPResponse.sentCredentials`.
  var sentCredentials: Bool { exchange.sentCredentials }

  /// The header fields of the head.
  public var headers: HTTPHeaders {
    get { response.headers }
    set { response.headers = newValue }
  }

  /// The server's `X-Request-ID` (names compare without case), for bug reports.
  public var requestID: String? { headers["X-Request-ID"] }

  /// The same response without its body and without a user name and password in the request's URL.
  public func redactingData() -> Response {
    var copy = self
    copy.data = Data()
    if var request = copy.request {
      request.body = nil
      if let url = try? HTTPURL(request.url), url.hasUserinfo { request.url = url.removingUserinfo().description }
      copy.request = request
    }
    return copy
  }

  /// The large parts that seldom change, shared by copies: a response passes through every stage of the pipeline.
  private final class Exchange: Sendable {
    let request: HTTPRequest?
    let connection: ConnectionInfo?
    let timings: ExchangeTimings?
    let sentCredentials: Bool

    init(
      request: HTTPRequest?, connection: ConnectionInfo? = nil, timings: ExchangeTimings? = nil,
      sentCredentials: Bool = false
    ) {
      self.request = request
      self.connection = connection
      self.timings = timings
      self.sentCredentials = sentCredentials
    }

    func with(request: HTTPRequest?) -> Exchange {
      Exchange(request: request, connection: connection, timings: timings, sentCredentials: sentCredentials)
    }

    func with(connection: ConnectionInfo?) -> Exchange {
      Exchange(request: request, connection: connection, timings: timings, sentCredentials: sentCredentials)
    }

    func with(timings: ExchangeTimings?) -> Exchange {
      Exchange(request: request, connection: connection, timings: timings, sentCredentials: sentCredentials)
    }
  }
}
