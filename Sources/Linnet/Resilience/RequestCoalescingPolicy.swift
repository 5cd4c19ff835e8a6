public import LinnetHTTP

/// Whether equal requests that are under way at the same time share one exchange.
///
/// Requests are equal when method, URL, body and headers are, but for the excluded headers; credentials are headers, so
/// two users never share an answer. Each caller gets the response and decodes it for itself. A caller that is cancelled
/// leaves without disturbing the others; the last one that leaves cancels the exchange.
///
/// Not shared are signed requests, bodies that are not in memory, and requests that are made while the session's token is
/// being refreshed. Off by default.
public struct RequestCoalescingPolicy: Sendable, Hashable {
  /// The methods whose requests are shared; empty when disabled.
  public let methods: Set<HTTPMethod>
  /// The headers that do not make requests different; names compare without case.
  public let excludedHeaderNames: Set<String>

  /// A policy.
  ///
  /// - Parameters:
  ///   - methods: The methods whose requests are shared. Default GET. Only name methods with which one request for many
  ///     callers is the same as many.
  ///   - excludedHeaderNames: The headers that do not make requests different. Default `User-Agent` and `Date`.
  public init(methods: Set<HTTPMethod> = [.get], excludedHeaderNames: Set<String> = ["User-Agent", "Date"]) {
    self.methods = methods
    self.excludedHeaderNames = Set(excludedHeaderNames.map { $0.lowercased() })
  }

  /// Nothing is shared: the default.
  public static var disabled: RequestCoalescingPolicy { RequestCoalescingPolicy(methods: []) }
  /// Equal GET requests are shared.
  public static var getOnly: RequestCoalescingPolicy { RequestCoalescingPolicy() }

  /// Whether anything is shared.
  public var isEnabled: Bool { !methods.isEmpty }
}
