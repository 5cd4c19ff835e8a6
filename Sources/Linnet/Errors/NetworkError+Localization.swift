public import FoundationEssentials

extension NetworkError: LocalizedError {
  /// A sentence for users in the language of the process, see ``NetworkErrorLanguage/current``. It has no technical
  /// detail but a status code; ``description`` is for logs.
  public var errorDescription: String? { errorDescription(in: .current) }

  /// A sentence for users in a language of the caller's choice.
  public func errorDescription(in language: NetworkErrorLanguage) -> String {
    localizedText.text(in: language, argument: httpStatusCode.map(String.init) ?? "")
  }

  private var localizedText: NetworkErrorText {
    switch self {
    case .configuration(.invalidBaseURL): .invalidBaseURL
    case .configuration(.invalidRequest): .invalidRequest
    case .configuration(.offline): .offline
    case .statusCode(let response): NetworkErrorText(status: response.statusCode)
    case .decoding(.responseBody, _, _): .responseUnreadable
    case .decoding(.streamFrame, _, _): code == .streamFrameTooLarge ? .streamFrameTooLarge : .streamUnreadable
    case .underlying:
      switch code {
      case .nonHTTPResponse: .notHTTP
      case .responseBodyLimitExceeded: .bodyTooLarge
      case .streamFrameTooLarge: .streamFrameTooLarge
      default: .transport
      }
    case .reachability(.notConnectedToInternet, _, _): .notConnected
    case .reachability(.dnsLookupFailed, _, _): .nameLookupFailed
    case .reachability(.cannotFindHost, _, _): .hostNotFound
    case .reachability(.connectionRefused, _, _): .connectionRefused
    case .reachability(.networkConnectionLost, _, _): .connectionLost
    case .trustEvaluationFailed: .untrusted
    case .cancelled: .cancelled
    case .timeout(.requestTimeout, _): .requestTimeout
    case .timeout(.resourceTimeout, _): .resourceTimeout
    case .timeout(.connectionTimeout, _): .connectionTimeout
    }
  }
}

extension NetworkErrorText {
  fileprivate init(status: Int) {
    self =
      switch status {
      case 401: .unauthorized
      case 403: .forbidden
      case 404, 410: .notFound
      case 429: .tooManyRequests
      case 500...599: .serverFailure
      default: .statusCode
      }
  }
}
