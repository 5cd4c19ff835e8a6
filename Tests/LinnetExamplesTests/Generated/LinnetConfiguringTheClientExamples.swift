// Written by .ci/doc-examples from Sources/Linnet/Linnet.docc/ConfiguringTheClient.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum LinnetConfiguringTheClientExamples {
  protocol TokenStore: Sendable {
    func accessToken() async -> String?
    func renew() async throws -> String
  }

  struct StaysOnTheSite: RedirectPolicy {
    func redirect(request: HTTPRequest, response: Response, originalRequest: HTTPRequest) -> HTTPRequest? {
      guard let next = DefaultRedirectPolicy().redirect(
        request: request, response: response, originalRequest: originalRequest)
      else { return nil }
      return next.url.hasPrefix("https://api.example.com/") ? next : nil
    }
  }

  static func example1() async throws {
    let configuration = NetworkConfiguration.advanced(
      baseURL: URL(string: "https://api.example.com/v1")!,
      resilience: ResiliencePack(retry: ExponentialBackoffRetryPolicy(maxRetries: 2), coalescing: .getOnly),
      cache: CachePack(
        responseCachePolicy: .cacheFirst(maxAge: .seconds(60)), responseCache: InMemoryResponseCache()),
      transport: TransportPack(timeout: 20, acceptableStatusCodes: Set(200..<400)))
    let client = DefaultNetworkClient(configuration: configuration)
    _ = configuration
    _ = client
  }

  static func example2(store: any TokenStore) async throws {
    let tokens = RefreshTokenPolicy(
      currentToken: { await store.accessToken() },
      refreshToken: { try await store.renew() })
    let client = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "https://api.example.com/v1")!, auth: AuthPack(refreshToken: tokens)))
    _ = tokens
    _ = client
  }

  static func example3() async throws {
    var engine = HTTPClientConfiguration()
    engine.tls.trustRoots = .systemAnd([.file("/etc/mycompany/ca.pem")])
    engine.pool.maximumConnectionsPerOrigin = 6
    engine.proxy = .environment
    let internalClient = DefaultNetworkClient(
      configuration: .safeDefaults(baseURL: URL(string: "https://api.internal")!).engine(engine).cookies(.off))
    _ = engine
    _ = internalClient
  }

  static func example4() async throws {
    let careful = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "https://api.example.com")!, transport: TransportPack(redirectPolicy: StaysOnTheSite())))
    _ = careful
  }

  static func example5() async throws {
    let local = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "http://localhost:8080")!, transport: TransportPack(allowsInsecureHTTP: true)))
    _ = local
  }
}
