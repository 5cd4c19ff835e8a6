public import FoundationEssentials
internal import LinnetBytes
public import LinnetHTTP

/// The typed client: endpoints in, decoded values out, through one pipeline of policies over the engine.
///
/// ```swift
/// let client = DefaultNetworkClient(baseURL: URL(string: "https://api.example.com/v1")!)
/// let user = try await client.request(GetUser(id: 1))
/// ```
///
/// Every entry point throws ``NetworkError`` and nothing else. A client is meant to live long and be shared by any number
/// of tasks; clients share no connections, caches or headers with each other.
///
/// A call ends exactly once: with its value, with its error, or with ``NetworkError/cancelled`` when the calling task, its
/// tag, ``cancelAll()``, ``shutdown()`` or the end of the client's life comes first. Dropping the client cancels what was
/// started with a completion closure; an `await` keeps it alive.
public final class DefaultNetworkClient: NetworkClient, UploadNetworkClient {
  let pipeline: RequestPipeline
  package let registry = RequestRegistry()
  let clientHeaders: ClientHeaders
  let middleware = ClientMiddleware()
  let completionQueue = CompletionQueue()
  /// The engine, when the client made it.
  private let engine: HTTPClient?

  /// A client with the secure defaults: the same as `init(configuration: .safeDefaults(baseURL: baseURL))`.
  public convenience init(baseURL: URL) { self.init(configuration: .safeDefaults(baseURL: baseURL)) }

  /// A client with a configuration and an engine of its own. Nothing is connected or started before the first request.
  public convenience init(configuration: NetworkConfiguration) {
    self.init(
      configuration: configuration, engine: HTTPClient(configuration: configuration.makeHTTPClientConfiguration()))
  }

  /// A client that sends its requests through `transport`: a mock, a cassette, an `UnconfiguredTransport`, or an
  /// `HTTPClient` that others use as well. It is not shut down with this client, and the configuration's
  /// ``NetworkConfiguration/engine(_:)`` has no effect on it.
  public convenience init(configuration: NetworkConfiguration, transport: any HTTPTransport) {
    self.init(configuration: configuration, transport: transport, clock: SystemPolicyClock())
  }

  private convenience init(configuration: NetworkConfiguration, engine: HTTPClient) {
    self.init(configuration: configuration, transport: engine, clock: SystemPolicyClock(), engine: engine)
  }

  /// For tests: with a clock of theirs.
  ///
  /// - Parameter engine: What is shut down with the client.
  package init(
    configuration: NetworkConfiguration, transport: any HTTPTransport, clock: any PolicyClock,
    engine: HTTPClient? = nil
  ) {
    let clientHeaders = ClientHeaders(configuration.settings.defaultHeaders)
    self.clientHeaders = clientHeaders
    self.engine = engine
    pipeline = RequestPipeline(
      settings: configuration.settings, engine: configuration.makeHTTPClientConfiguration(), transport: transport,
      clientHeaders: clientHeaders, middleware: middleware, clock: clock)
  }

  deinit {
    registry.shutDown()
    pipeline.cancelBackgroundWork()
  }

  // MARK: Requests

  /// Performs the request that `request` describes and decodes its response.
  ///
  /// ```swift
  /// let user = try await client.request(GetUser(id: 1), tag: "profile")
  /// ```
  ///
  /// - Parameters:
  ///   - request: The endpoint with its inputs.
  ///   - tag: The tag under which the request can be cancelled; nil for none.
  /// - Throws: ``NetworkError``: `configuration` before anything is sent; `reachability`, `timeout`,
  ///   `trustEvaluationFailed` and `underlying` from the transport; `statusCode` and `decoding` for the response;
  ///   `cancelled` as soon as the task, the tag or the client is cancelled.
  public func request<T: APIDefinition>(
    _ request: T, tag: CancellationTag?
  ) async throws(NetworkError) -> T.APIResponse {
    try await requestWithResponse(request, tag: tag).value
  }

  /// Performs the request without a tag.
  ///
  /// - Throws: As ``request(_:tag:)``.
  public func request<T: APIDefinition>(_ request: T) async throws(NetworkError) -> T.APIResponse {
    try await requestWithResponse(request, tag: nil).value
  }

  /// Performs the request and returns the decoded value together with the response that it came from: its status, its
  /// headers, the server's request id, the number of attempts.
  ///
  /// ```swift
  /// let (user, response) = try await client.requestWithResponse(GetUser(id: 1))
  /// print(response.requestID ?? "no id", response.elapsed)
  /// ```
  ///
  /// - Throws: As ``request(_:tag:)``.
  public func requestWithResponse<T: APIDefinition>(
    _ request: T, tag: CancellationTag? = nil
  ) async throws(NetworkError) -> (value: T.APIResponse, response: Response) {
    let outcome = try await start(request, tag: tag, .inPlace).outcome()
    return (outcome.value, outcome.response)
  }

  /// Uploads the form that `request` describes and decodes the response.
  ///
  /// - Parameters:
  ///   - request: The endpoint with its form.
  ///   - tag: The tag under which the upload can be cancelled; nil for none.
  /// - Throws: As ``request(_:tag:)``.
  public func upload<T: MultipartAPIDefinition>(
    _ request: T, tag: CancellationTag?
  ) async throws(NetworkError) -> T.APIResponse {
    try await start(upload: request, tag: tag).outcome().value
  }

  /// Uploads without a tag.
  ///
  /// - Throws: As ``request(_:tag:)``.
  public func upload<T: MultipartAPIDefinition>(_ request: T) async throws(NetworkError) -> T.APIResponse {
    try await upload(request, tag: nil)
  }

  /// Sends a request that was made by hand through the whole pipeline, without decoding: for generated clients and
  /// libraries that wrap this one.
  ///
  /// The client's headers, query items, interceptors, token, signers, retry, cache and breaker apply as they do to an
  /// endpoint; headers of `request` count as an endpoint's. Body parameters of the configuration are not merged in.
  ///
  /// Redirections follow the configuration's `redirectPolicy`; of the request's own `options.redirects` only `.manual`
  /// counts, which delivers the redirection.
  ///
  /// - Parameters:
  ///   - request: The request, with an absolute URL. One to another origin than the base URL's gets none of the client's
  ///     own headers, query items and credentials.
  ///   - sessionAuthentication: What it has to do with the session's token. Default
  ///     ``SessionAuthentication/anonymous``.
  ///   - acceptableStatusCodes: The statuses that are not errors; nil, the default, is the configuration's set.
  ///   - tag: The tag under which the request can be cancelled; nil, the default, for none.
  /// - Throws: As ``request(_:tag:)``, without `decoding`.
  public func perform(
    _ request: HTTPRequest, sessionAuthentication: SessionAuthentication = .anonymous,
    acceptableStatusCodes: Set<Int>? = nil, tag: CancellationTag? = nil
  ) async throws(NetworkError) -> Response {
    let blueprint = RequestBlueprint(
      request, sessionAuthentication: sessionAuthentication, acceptableStatusCodes: acceptableStatusCodes)
    let undecoded = AnyResponseDecoder { _, _ in Undecoded() }
    return try await start(blueprint, tag: tag, .inPlace, decoder: undecoded).outcome().response
  }

  // MARK: Ending

  /// Cancels every call that is under way, also one that was started and has not come far yet, and validations of cached
  /// responses in the background. Later calls run as usual.
  ///
  /// Returns as soon as all of them were told; each ends with ``NetworkError/cancelled`` shortly after. Does nothing when
  /// there are none.
  public func cancelAll() async {
    registry.cancelAll()
    pipeline.cancelBackgroundWork()
  }

  /// Cancels every call with `tag` that has begun. Calls without a tag or with another are left alone, and so is one whose
  /// task has not reached the client yet: cancel the task to be sure.
  public func cancelAll(matching tag: CancellationTag) async { registry.cancelAll(matching: tag) }

  /// Ends the client for good: calls under way and later ones fail with ``NetworkError/cancelled``, and later ones never
  /// touch the transport. An engine of its own is closed; a transport that was given is left as it is.
  ///
  /// Returns when the connections are closed. Harmless when called again.
  public func shutdown() async {
    registry.shutDown()
    await pipeline.shutDown()
    await engine?.shutdown(grace: .zero)
  }
}

extension DefaultNetworkClient: CustomReflectable {
  /// Nothing: what a client is made of has keys and tokens.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
