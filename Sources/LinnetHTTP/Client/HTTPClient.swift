internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
package import LinnetProtocols

/// The raw HTTP client: requests in, responses out, connections kept and reused.
///
/// ```swift
/// let client = HTTPClient()
/// let response = try await client.send(.get("https://example.com/"))
/// print(response.status, try await response.text())
/// ```
///
/// A client is cheap and may be shared by any number of tasks. Dropping the last reference closes its idle connections
/// and lets running exchanges finish; ``shutdown(grace:)`` is for those who want to wait for that.
public final class HTTPClient: Sendable {
  /// The settings that the client was made with.
  public let configuration: HTTPClientConfiguration

  private let environment: EngineEnvironment
  private let pools: ConnectionPools
  private let pipeline: Pipeline

  /// A client with its own connections. Nothing is connected or started before the first request.
  public convenience init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
    self.init(configuration: configuration, environment: EngineEnvironment())
  }

  package init(configuration: HTTPClientConfiguration, environment: EngineEnvironment) {
    var environment = environment
    environment.resolver = environment.resolver(for: configuration.dnsCache)
    self.configuration = configuration
    self.environment = environment
    pools = ConnectionPools(environment: environment)
    pipeline = Pipeline(configuration, environment: environment, pools: pools)
  }

  deinit { _ = pools.shutDown() }

  /// Sends a request and returns its response as soon as the head is there; the body follows as it is read.
  ///
  /// HTTP errors such as 404 are responses, not errors. Redirections are followed as ``HTTPClientConfiguration/redirects``
  /// or the request's own policy says, by default at most 20 and none that gives something away:
  ///
  /// - 301 and 302 turn POST into GET, 303 turns everything but HEAD into GET; 307 and 308 repeat method and body.
  /// - Another origin (scheme, host and port) gets none of the credentials of the request, of its URL, or of the client,
  ///   and of the headers only those that are known to be harmless. That holds for all further requests of the chain.
  /// - `http` after `https`, and a method that is not safe or a body for another origin, is refused.
  ///
  /// The response's ``HTTPResponse/url`` is where they led, and ``HTTPResponse/history`` the way. A redirection without a
  /// `Location`, and one of another status such as 300, is a response.
  ///
  /// - Throws: `TransportError`: `invalidURL`, `unsupportedScheme`, `invalidRequest`, `invalidConfiguration`,
  ///   `requestBodyFailed` before anything was sent; the connection's and TLS's errors; `headTimeout`, `totalTimeout`,
  ///   `emptyReply`, `connectionLost`, `invalidResponse` for the response; `tooManyRedirects`, `redirectLoop`,
  ///   `redirectRefused`, `invalidRedirect` and `bodyNotReplayable` for redirections; `cancelled` when the task was cancelled, and
  ///   then the connection of the request is closed at once.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let now = environment.clock.now
    let start = request.options.timeSpent.map { now.moved(backBy: $0) } ?? now
    let url: HTTPURL
    do throws(HTTPURLError) {
      url = try request.parsedURL()
    } catch {
      throw TransportError(TransportFailure(error), context: TransportError.Context(method: request.method))
    }
    return try await pipeline.first.send(
      HopRequest(request, url: url), Exchange(method: request.method, url: url, start: start, clock: environment.clock))
  }

  /// Sends a request and gives its response to `body`; whatever of the response's body is not read when `body` returns
  /// or throws is discarded.
  ///
  /// - Throws: `TransportError` as ``send(_:)``, and what `body` throws.
  public func withResponse<R>(
    to request: HTTPRequest, _ body: (HTTPResponse) async throws -> R
  ) async throws -> R {
    let response = try await send(request)
    defer { response.body.reader.discard() }
    return try await body(response)
  }

  /// Refuses further requests, waits for running exchanges, and closes every connection (TLS says goodbye).
  ///
  /// Optional: dropping the client frees everything too. A second call, also at the same time, waits for the same end.
  ///
  /// - Parameter grace: How long running exchanges may take; then they fail with `clientShutDown`. Default 30 s; zero
  ///   ends them at once. Cancelling the calling task ends the grace.
  public func shutdown(grace: Duration = .seconds(30)) async {
    let closing = pools.shutDown()
    pipeline.first.next.next.source.endReadings()
    guard !closing.isEmpty else { return }
    let shard = environment.shards.next()
    await ShutdownWait(pools: closing).run(grace: grace, on: shard)
  }

  // MARK: For a client above

  /// The jar of all requests that do not ask for another; nil when cookies are off for them.
  package var cookieJar: CookieJar? { pipeline.first.next.jars.standard }

  /// Whether the client may put credentials on a request by itself.
  package func mayAddCredentials(to request: HTTPRequest, _ url: HTTPURL) -> Bool {
    pipeline.first.next.next.source.mayHaveCredentials(for: HopRequest(request, url: url))
  }

  /// Makes the credentials that a request would be sent with, at once or when the server asks, its own; nil for none, and
  /// when the request says for itself who sends it. The time that it takes counts for the request's total timeout.
  ///
  /// - Throws: `invalidConfiguration` for a netrc file that cannot be used; `totalTimeout` while it is read; `cancelled`.
  package func resolveCredentials(of request: inout HTTPRequest, _ url: HTTPURL) async throws(TransportError) {
    var exchange = Exchange(
      method: request.method, url: url, start: environment.clock.now, clock: environment.clock)
    exchange.attempts = 0
    do throws(TransportFailure) {
      let hop = HopRequest(request, url: url)
      request.options.credentials = try await pipeline.first.next.next.source.credentials(for: hop, exchange)
      request.options.timeSpent = exchange.elapsed
    } catch {
      throw exchange.error(error)
    }
  }

  /// Until when the cookies of a response may be waited for: the end of its request's total timeout.
  package func cookieDeadline(of response: HTTPResponse, to request: HTTPRequest) -> CookieJar.Deadline {
    let rest = request.options.timeouts.total.resolved(configuration.timeouts.total).map {
      $0 - min($0, response.timings.responseHead)
    }
    return CookieJar.Deadline(
      at: rest.map { environment.clock.now.advanced(by: $0) } ?? .distantFuture, shards: environment.shards)
  }

  /// For tests: the connections and waits of all pools together.
  package var poolCounts: PoolMachine.Counts {
    pools.all.reduce(into: PoolMachine.Counts()) { sum, pool in
      let counts = pool.counts
      sum.idle += counts.idle
      sum.inUse += counts.inUse
      sum.dialling += counts.dialling
      sum.leasedStreams += counts.leasedStreams
      sum.waiting += counts.waiting
    }
  }

  /// For tests: windows and queues of every HTTP/2 connection, when something does not move.
  package var flowControlReports: [String] { pools.all.flatMap(\.flowControlReports) }
}

extension HTTPClient: CustomReflectable {
  /// Nothing: what a client is made of has keys.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
