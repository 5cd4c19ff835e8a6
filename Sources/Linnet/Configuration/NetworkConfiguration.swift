public import FoundationEssentials
public import LinnetHTTP

/// The settings of a ``DefaultNetworkClient``: opaque and immutable.
///
/// ```swift
/// let safe = NetworkConfiguration.safeDefaults(baseURL: URL(string: "https://api.example.com")!)
/// let tuned = NetworkConfiguration.advanced(
///   baseURL: URL(string: "https://api.example.com")!,
///   resilience: ResiliencePack(retry: ExponentialBackoffRetryPolicy()),
///   transport: TransportPack(timeout: 30)
/// )
/// .defaultHeaders(["X-Client": "tool"])
/// ```
///
/// There is deliberately no "production" preset: what may be retried, cached or shed depends on the server. A program
/// that has to show its settings keeps a model of its own and makes the configuration from it.
public struct NetworkConfiguration: Sendable {
  package var settings: NetworkSettings

  /// The secure baseline: HTTPS only, certificates verified, 30 s of silence at most, 5 MiB of body at most, and no
  /// retry, cache, coalescing, breaker or token refresh.
  ///
  /// - Parameter baseURL: An absolute `https` URL without user name, password or fragment; its path is the prefix of
  ///   every endpoint's. It is admitted when a request is made, so a bad one fails each request with
  ///   ``NetworkConfigurationFailureReason/invalidBaseURL(_:)``.
  public static func safeDefaults(baseURL: URL) -> NetworkConfiguration {
    NetworkConfiguration(
      settings: NetworkSettings(
        baseURL: baseURL, timeout: 30, cachePolicy: .useProtocolCachePolicy, eventDelivery: .default))
  }

  /// The same secure defaults with 60 s of silence at most, adjusted by packs. A setting that a pack does not name keeps
  /// the value that is documented at the pack's property.
  ///
  /// - Parameters:
  ///   - baseURL: As in ``safeDefaults(baseURL:)``.
  ///   - resilience: Retry, coalescing, circuit breaker, idempotency keys, body collection, execution policies.
  ///   - auth: Token refresh, interceptors, signers.
  ///   - observability: Event observers.
  ///   - cache: Response cache, sensitive headers, capture of failure payloads.
  ///   - transport: Timeouts, TLS trust, redirects, accepted statuses.
  public static func advanced(
    baseURL: URL, resilience: ResiliencePack = ResiliencePack(), auth: AuthPack = AuthPack(),
    observability: ObservabilityPack = ObservabilityPack(), cache: CachePack = CachePack(),
    transport: TransportPack = TransportPack()
  ) -> NetworkConfiguration {
    var settings = NetworkSettings(
      baseURL: baseURL, timeout: 60, cachePolicy: .reloadIgnoringLocalCacheData,
      eventDelivery: EventDeliveryPolicy(maxBufferedEventsPerPartition: 512, maxBufferedEventsPerConsumer: 512))
    resilience.apply(to: &settings)
    auth.apply(to: &settings)
    observability.apply(to: &settings)
    cache.apply(to: &settings)
    transport.apply(to: &settings)
    return NetworkConfiguration(settings: settings)
  }

  /// The settings of the engine that a client with this configuration uses: what ``engine(_:)`` was given, or the
  /// engine's defaults with a connect timeout of 10 s; the longest silence is this configuration's.
  public func makeHTTPClientConfiguration() -> HTTPClientConfiguration {
    var engine =
      settings.engine
      ?? {
        var engine = HTTPClientConfiguration()
        engine.timeouts.connect = RequestTimeouts.connect
        return engine
      }()
    if case .after(let silence)? = RequestTimeouts.limit(settings.timeout) {
      engine.timeouts.idle = silence
      engine.timeouts.responseHead = silence
    } else {
      engine.timeouts.idle = nil
      engine.timeouts.responseHead = nil
    }
    // The client follows redirections itself, by `redirectPolicy`.
    engine.redirects = .manual
    return engine
  }
}

extension NetworkConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The base URL without secrets. The rest is not shown: there are keys and tokens among it.
  public var description: String { "NetworkConfiguration(\(Redaction.url(settings.baseURL.absoluteString)))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
