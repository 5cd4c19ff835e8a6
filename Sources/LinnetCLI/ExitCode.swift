package import LinnetHTTP

/// The exit statuses of the command: curl's numbers, so that scripts can exchange the two.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  /// Of the URL, or of where a redirection leads; also a redirection that is refused for another reason.
  case unsupportedScheme = 1
  /// Wrong use of the command, or a request that cannot be sent as it was asked for.
  case usage = 2
  case malformedURL = 3
  /// A status from 400 to 499 with `--check-status`.
  case clientError = 4
  /// Also, with `--check-status`, a status of 500 or more: the number is that of the tools which have the option.
  case proxyNotResolved = 5
  case hostNotResolved = 6
  case connectFailed = 7
  /// The server's answer is not HTTP.
  case weirdReply = 8
  /// The server broke HTTP/2, or does not speak it although it has to.
  case http2 = 16
  case partialBody = 18
  /// A status of 400 or more with `--fail`.
  case httpError = 22
  case writeError = 23
  case readError = 26
  case timeout = 28
  /// The server does not continue a transfer where it was asked to, or has another file.
  case rangeRefused = 33
  case tlsHandshake = 35
  case aborted = 42
  case tooManyRedirects = 47
  case emptyReply = 52
  case sendError = 55
  case receiveError = 56
  /// The client certificate or its key cannot be used.
  case clientCertificate = 58
  case certificateRejected = 60
  case badContentEncoding = 61
  case tooLarge = 63
  case cannotRewind = 65
  /// The certificate authorities cannot be read.
  case trustRoots = 77
  case publicKeyNotPinned = 90
  /// The server ended the request's HTTP/2 stream with an error, or refused it.
  case http2Stream = 92
  /// The proxy refused the request, or its answer makes no sense.
  case proxyHandshake = 97
  case interrupted = 130
  case brokenPipe = 141
  case terminated = 143
}

extension ExitCode {
  /// The status for an HTTP error with `--check-status`.
  static func ofHTTPError(_ status: Int) -> ExitCode { status < 500 ? .clientError : .proxyNotResolved }

  /// The status for an error of the client.
  init(_ error: TransportError) { self.init(error.code, in: error.phase) }

  /// The status for a code and the phase in which it came. Total: a code that a later client adds is a receive error here until it gets
  /// a line of its own.
  package init(_ code: TransportError.Code, in phase: TransportError.Phase) {
    switch code {
    case .unsupportedScheme, .redirectRefused: self = .unsupportedScheme
    case .invalidRequest, .invalidConfiguration: self = .usage
    case .invalidURL, .invalidRedirect: self = .malformedURL
    case .proxyNotFound: self = .proxyNotResolved
    case .hostNotFound, .resolutionFailed: self = .hostNotResolved
    case .connectionRefused, .networkUnreachable, .connectFailed, .poolQueueFull, .proxyConnectFailed:
      self = .connectFailed
    case .invalidResponse: self = .weirdReply
    case .http2NotNegotiated, .protocolViolation: self = .http2
    case .streamReset, .streamRefused: self = .http2Stream
    case .truncated: self = .partialBody
    case .requestBodyFailed: self = .readError
    case .connectTimeout, .headTimeout, .idleTimeout, .totalTimeout, .poolTimeout: self = .timeout
    case .tlsHandshakeFailed: self = .tlsHandshake
    case .cancelled, .clientShutDown, .bodyAlreadyConsumed: self = .aborted
    case .tooManyRedirects, .redirectLoop: self = .tooManyRedirects
    case .emptyReply: self = .emptyReply
    case .connectionLost, .staleConnection: self = phase == .send ? .sendError : .receiveError
    case .responseHeadTooLarge: self = .receiveError
    case .invalidClientIdentity: self = .clientCertificate
    case .certificateRejected: self = .certificateRejected
    case .publicKeyNotPinned: self = .publicKeyNotPinned
    case .decodingFailed: self = .badContentEncoding
    case .bodyTooLarge, .decompressionLimit: self = .tooLarge
    case .bodyNotReplayable: self = .cannotRewind
    case .trustRootsUnavailable: self = .trustRoots
    case .proxyAuthenticationRequired, .proxyRefused, .invalidProxyResponse: self = .proxyHandshake
    case .systemError: self = phase == .connect ? .connectFailed : .receiveError
    default: self = .receiveError
    }
  }
}
