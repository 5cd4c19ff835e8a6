internal import LinnetHTTP

extension NetworkError {
  public var response: Response? {
    switch self {
    case .statusCode(let response): response
    case .decoding(_, _, let response), .underlying(_, let response), .reachability(_, _, let response): response
    default: nil
    }
  }
  public var transport: TransportError? {
    switch self {
    case .underlying(let error, _), .reachability(_, let error, _): error.transport
    case .timeout(_, let error): error?.transport
    default: nil
    }
  }
  public init(_ error: TransportError) {
    self = .underlying(
      SendableUnderlyingError(domain: "linnet", code: 4001, message: error.reason, transport: error), nil)
  }
  package static func map(_ error: any Error) -> NetworkError {
    switch error {
    case let error as NetworkError: error
    case is CancellationError: .cancelled
    case let error as TransportError: NetworkError(error)
    default: .underlying(SendableUnderlyingError(domain: "\(type(of: error))", code: 0, message: "\(error)"), nil)
    }
  }
  public var errorCode: Int { 0 }
  package var stableCategory: String { "interim" }
}
package enum URLRedaction { static func redact(_ url: String) -> String { url } }
