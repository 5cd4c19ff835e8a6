internal import LinnetBytes
internal import LinnetHTTPTypes

/// Where a body comes from, as its errors tell it.
enum BodyOrigin: Sendable {
  case exchange(ExchangeContext)
  /// Made by hand, before the response that it belongs to.
  case byHand(Lock<TransportError.Context>)

  func error(_ failure: TransportFailure) -> TransportError {
    switch self {
    case .exchange(let context): context.error(failure)
    case .byHand(let context): TransportError(failure, context: context.withLock { $0 })
    }
  }

  /// The first response that is made with a body gives it its name.
  func bind(to url: HTTPURL) {
    guard case .byHand(let context) = self else { return }
    let text = url.redactedDescription
    context.withLock { if $0.url == nil { $0.url = text } }
  }
}
