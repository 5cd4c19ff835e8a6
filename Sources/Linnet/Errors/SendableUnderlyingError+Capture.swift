internal import FoundationEssentials
internal import LinnetHTTP

/// An error that names its own domain and code, so that ``SendableUnderlyingError`` keeps them.
package protocol DomainCodedError: Error {
  /// The namespace of ``errorCode``.
  static var errorDomain: String { get }
  /// The code within the domain.
  var errorCode: Int { get }
}

extension SendableUnderlyingError {
  /// The values of any error: domain, code, texts, and the chain of causes as far as it can be seen.
  public init(_ error: any Error) {
    switch error {
    case let error as SendableUnderlyingError: self = error
    case let error as TransportError: self.init(error, code: NetworkError.code(of: error.code))
    case let error as NetworkError: self = error.underlyingError ?? SendableUnderlyingError(frame: error.frame)
    case let error as DecodingError: self.init(error, data: nil, response: nil)
    default: self.init(frame: Self.frame(of: error))
    }
  }

  /// The transport's error under the code of the case that it becomes.
  init(_ error: TransportError, code: NetworkErrorCode) {
    self.init(
      frame: Frame(domain: NetworkError.errorDomain, code: code.rawValue, message: ErrorLine.singleLine(error.reason)),
      underlyingChain: error.underlying.map(Self.chain(from:)) ?? [], transport: error)
  }

  private static func chain(from error: any Error) -> [Frame] {
    var frames: [Frame] = []
    var next: (any Error)? = error
    while let error = next, frames.count < maxUnderlyingDepth {
      let known = error as? SendableUnderlyingError ?? (error as? NetworkError)?.underlyingError
      if let known {
        frames += [known.ownFrame] + known.underlyingChain
        next = nil
      } else {
        frames.append(frame(of: error))
        next = (error as? TransportError)?.underlying
      }
    }
    return frames
  }

  private static func frame(of error: any Error) -> Frame {
    if let error = error as? NetworkError { return error.frame }
    let coded = error as? any DomainCodedError
    let code = coded?.errorCode ?? (error as? any RawRepresentable).flatMap { $0.rawValue as? Int } ?? 0
    let texts = error as? any LocalizedError
    return Frame(
      domain: coded.map { type(of: $0).errorDomain } ?? String(reflecting: type(of: error)), code: code,
      message: ErrorLine.singleLine(texts?.errorDescription ?? String(describing: error)),
      failureReason: texts?.failureReason, recoverySuggestion: texts?.recoverySuggestion)
  }
}

extension NetworkError {
  /// The error as one frame of a chain.
  var frame: SendableUnderlyingError.Frame {
    SendableUnderlyingError.Frame(domain: Self.errorDomain, code: errorCode, message: description)
  }
}
