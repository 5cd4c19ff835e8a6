internal import LinnetHTTP

/// What makes two requests the same: one answer fits both.
struct CoalescingKey: Sendable, Hashable {
  private struct Field: Sendable, Hashable, Comparable {
    let name: String
    let value: String

    static func < (left: Field, right: Field) -> Bool { (left.name, left.value) < (right.name, right.value) }
  }

  private let method: HTTPMethod
  private let url: HTTPURL
  private let fields: [Field]
  private let body: ByteChunk?
  private let timeouts: TimeoutOverrides
  private let decompression: Decompression?
  private let maximumCollectedBytes: Int?
  private let omittedDefaultHeaders: [String]
  private let credentials: HTTPCredentials?
  private let netrc: NetrcSource?
  private let proxy: ProxyConfiguration?
  private let httpVersion: HTTPVersionPolicy?
  private let cookies: Cookies

  /// Into which jar the answer's cookies go. Those of the request are among its fields.
  private enum Cookies: Sendable, Hashable {
    case standard
    case none
    case own
    case jar(ObjectIdentifier)
  }

  /// Nil for a request that is not shared: its method is not, its body is not in memory, it has no URL, or it deviates
  /// from the client's configuration in a way that cannot be compared.
  init?(_ request: HTTPRequest, policy: RequestCoalescingPolicy) {
    guard policy.methods.contains(request.method), let url = try? request.parsedURL() else { return nil }
    guard request.options.tls == nil, request.options.onEvent == nil, request.options.connectTarget == nil else {
      return nil
    }
    if let body = request.body {
      guard let bytes = body.bytesInMemory else { return nil }
      self.body = bytes
    } else {
      body = nil
    }
    method = request.method
    self.url = url.removingFragment()
    timeouts = request.options.timeouts
    decompression = request.options.decompression
    maximumCollectedBytes = request.options.maximumCollectedBytes
    omittedDefaultHeaders = request.options.omittedDefaultHeaders
    credentials = request.options.credentials
    netrc = request.options.netrc
    proxy = request.options.proxy
    httpVersion = request.options.httpVersion
    cookies =
      switch request.options.cookies {
      case nil: .standard
      case .off: .none
      case .privateJar: .own
      case .jar(let jar): .jar(ObjectIdentifier(jar))
      }
    // The order of repeated fields has a meaning, that of different names has none; a stable order by name and value
    // keeps too many apart at worst.
    fields = request.headers.lazy
      .map { Field(name: $0.name.lowercased(), value: $0.value) }
      .filter { !policy.excludedHeaderNames.contains($0.name) }
      .sorted()
  }
}
