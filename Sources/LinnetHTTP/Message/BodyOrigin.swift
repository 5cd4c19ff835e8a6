internal import LinnetBytes
internal import LinnetHTTPTypes

/// Where a body comes from, as its errors tell it.
enum BodyOrigin: Sendable {
  case exchange(Exchange)
  /// Made by hand, before the response that it belongs to.
  case byHand(Lock<TransportError.Context>)

  func error(_ failure: TransportFailure) -> TransportError {
    switch self {
    case .exchange(let context): context.error(failure)
    case .byHand(let context): TransportError(failure, context: context.withLock { $0 })
    }
  }

  /// Tells a body made by hand what it belongs to, as far as it does not know yet.
  func bind(to url: HTTPURL, method: HTTPMethod?) {
    guard case .byHand(let context) = self else { return }
    let text = url.redactedDescription
    context.withLock { context in
      if context.url == nil { context.url = text }
      if context.method == nil { context.method = method }
    }
  }
}
