public import LinnetHTTP

/// Which requests may be sent again although the server may have processed them already.
///
/// By default: GET, HEAD, OPTIONS and TRACE (RFC 9110 §9.2.1), and every other method with an idempotency key, by which
/// the server recognises a repeat. PUT and DELETE need a key too: they are idempotent by definition (§9.2.2), but a
/// repeat that arrives late overwrites what somebody else did in the meantime.
///
/// A request of which provably no byte was sent may be repeated whatever the method is.
public struct RetryIdempotencyPolicy: Sendable, Hashable {
  /// The methods that are repeated without a key. Names are compared with case.
  public let safeMethods: Set<HTTPMethod>
  /// The field with the key.
  public let idempotencyHeaderName: String
  /// Whether other methods are repeated when the field is there and not blank.
  public let retriesUnsafeMethodsWithIdempotencyKey: Bool
  /// Whether everything is repeated.
  public let retriesAllMethods: Bool

  /// A rule.
  ///
  /// - Parameters:
  ///   - safeMethods: The methods that are repeated without a key. Default GET, HEAD, OPTIONS and TRACE.
  ///   - idempotencyHeaderName: The field with the key. Default `Idempotency-Key`.
  ///   - retriesUnsafeMethodsWithIdempotencyKey: Whether a key makes other methods repeatable. Default true.
  ///   - retriesAllMethods: Whether everything is repeated, whatever the method and without a key. Default false.
  public init(
    safeMethods: Set<HTTPMethod> = [.get, .head, .options, .trace],
    idempotencyHeaderName: String = "Idempotency-Key", retriesUnsafeMethodsWithIdempotencyKey: Bool = true,
    retriesAllMethods: Bool = false
  ) {
    self.safeMethods = safeMethods
    self.idempotencyHeaderName = idempotencyHeaderName
    self.retriesUnsafeMethodsWithIdempotencyKey = retriesUnsafeMethodsWithIdempotencyKey
    self.retriesAllMethods = retriesAllMethods
  }

  /// Safe methods, and others with an `Idempotency-Key`: the default.
  public static var safeMethodsAndIdempotencyKey: RetryIdempotencyPolicy { RetryIdempotencyPolicy() }

  /// Everything. Only for servers on which a repeated POST does no harm.
  public static var methodAgnostic: RetryIdempotencyPolicy { RetryIdempotencyPolicy(retriesAllMethods: true) }

  /// Whether the request may be sent again although it may have been processed. False for nil.
  public func allowsRetry(for request: HTTPRequest?) -> Bool {
    guard !retriesAllMethods else { return true }
    guard let request else { return false }
    if safeMethods.contains(request.method) { return true }
    return retriesUnsafeMethodsWithIdempotencyKey && request.headers.hasValue(for: idempotencyHeaderName)
  }
}

extension HTTPHeaders {
  /// Whether there is a field of this name with something else than blanks in it.
  func hasValue(for name: String) -> Bool {
    values(for: name).contains { value in value.utf8.contains { $0 != 0x20 && $0 != 0x09 } }
  }
}
