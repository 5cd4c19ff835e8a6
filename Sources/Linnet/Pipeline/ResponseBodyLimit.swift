internal import FoundationEssentials

/// The limit of collected bodies, for those that do not come from the network: of a cache, an interceptor.
struct ResponseBodyLimit: Sendable {
  let policy: ResponseBodyBufferingPolicy

  /// - Throws: ``NetworkError/underlying(_:_:)`` with code 4003 when `data` is larger than the limit.
  func check(_ data: Data, of response: Response) throws(NetworkError) {
    guard let limit = policy.maximumBytes, data.count > limit else { return }
    throw .underlying(
      SendableUnderlyingError(
        domain: NetworkError.errorDomain, code: NetworkErrorCode.responseBodyLimitExceeded.rawValue,
        message: "the response's body of \(data.count) bytes exceeds the limit of \(limit) bytes"),
      response.redactingData())
  }
}
