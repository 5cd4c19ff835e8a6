// swift-format-ignore-file
// The configuration examples of the page, as they stand.
import Foundation
import Linnet

enum PageConfiguration {
  static func networks() -> (safe: NetworkConfiguration, tuned: NetworkConfiguration) {
    let network = NetworkConfiguration.safeDefaults(
        baseURL: URL(string: "https://api.example.com")!
    )

    let tunedNetwork = NetworkConfiguration.advanced(
        baseURL: URL(string: "https://api.example.com")!,
        resilience: ResiliencePack(
            retry: ExponentialBackoffRetryPolicy(),
            coalescing: .getOnly
        ),
        cache: CachePack(
            responseCachePolicy: .cacheFirst(maxAge: .seconds(60)),
            responseCache: InMemoryResponseCache(),
            sensitiveHeaderNames: ["X-Tenant-Token"]
        ),
        transport: TransportPack(
            timeout: 30,
            redirectPolicy: DefaultRedirectPolicy(),
            trustPolicy: .systemDefault
        )
    )
    return (network, tunedNetwork)
  }

  static func redirects() -> (strict: DefaultRedirectPolicy, legacy: DefaultRedirectPolicy) {
    let redirectPolicy = DefaultRedirectPolicy(
        additionalSensitiveHeaders: ["X-Tenant-Secret"]
    )

    let controlledLegacyRedirects = DefaultRedirectPolicy(
        allowsHTTPSDowngrade: true,
        allowsCrossOriginUnsafeMethodRedirects: true
    )
    return (redirectPolicy, controlledLegacyRedirects)
  }

  static func localhost() -> NetworkConfiguration {
    let local = NetworkConfiguration.advanced(
        baseURL: URL(string: "http://localhost:8080")!,
        transport: TransportPack(allowsInsecureHTTP: true)
    )
    return local
  }

  static func cachePack() -> CachePack {
    let cache = CachePack(
        responseCachePolicy: .rfc9111Compliant(
            wrapping: .cacheFirst(maxAge: .seconds(300))
        ),
        responseCache: InMemoryResponseCache()
    )
    return cache
  }
}

/// Tokens that are renewed, and a circuit breaker.
enum TokenRefresh: PageExample {
  static func client(tokenStore: TokenStore, authService: AuthService) -> DefaultNetworkClient {
    let refreshPolicy = RefreshTokenPolicy(
        currentToken: { try await tokenStore.currentAccessToken() },
        refreshToken: { try await authService.refreshAccessToken() }
    )

    let client = DefaultNetworkClient(
        configuration: .advanced(
            baseURL: URL(string: "https://api.example.com")!,
            resilience: ResiliencePack(
                circuitBreaker: CircuitBreakerPolicy(failureThreshold: 3)
            ),
            auth: AuthPack(refreshToken: refreshPolicy)
        )
    )
    return client
  }
}

/// What the page takes for granted.
actor TokenStore {
  private(set) var token: String?

  init(token: String?) { self.token = token }

  func currentAccessToken() throws -> String? { token }
  func set(_ token: String) { self.token = token }
}

struct AuthService: Sendable {
  let store: TokenStore

  func refreshAccessToken() async throws -> String {
    await store.set("renewed")
    return "renewed"
  }
}
