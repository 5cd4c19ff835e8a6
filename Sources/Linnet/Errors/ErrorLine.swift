internal import LinnetHTTP

/// The one line that an error is in logs: method, URL, phase, cause, peers, attempt and elapsed time, without secrets.
enum ErrorLine {
  /// The line of a ``NetworkError``.
  static func text(of error: NetworkError) -> String {
    let text =
      switch error {
      case .configuration(let reason): "\(reason)"
      case .statusCode(let response):
        prefix(of: response) + "status \(status(response.statusCode))" + suffix(of: response)
      case .decoding(let stage, let error, let response):
        prefix(of: response) + "decode: \(stage.noun): \(error)" + suffix(of: response)
      case .underlying(let error, let response), .reachability(_, let error, let response):
        error.transport == nil ? prefix(of: response) + "\(error)" + suffix(of: response) : "\(error)"
      case .trustEvaluationFailed(let reason): "\(reason)"
      case .cancelled: "the request was cancelled"
      case .timeout(let reason, let error): error.map { "\($0)" } ?? "timed out: \(reason.noun)"
      }
    return Redaction.text(singleLine(text))
  }

  /// The line of an error below a ``NetworkError``, without its chain.
  static func text(of error: SendableUnderlyingError) -> String {
    if let transport = error.transport { return text(of: transport) }
    if let decoding = error.decoding { return decoding.description }
    if error.ownCode != nil { return singleLine(error.message) }
    return singleLine("\(error.message) (\(error.domain) \(error.code))")
  }

  /// The line of the raw client's error; its own would keep the values of the query.
  static func text(of error: TransportError) -> String {
    var text = request(of: error)
    let untold = error.peers.filter { !error.reason.contains($0.address) }
    if !untold.isEmpty {
      let told = untold.map { $0.cause == error.reason ? $0.address : $0.description }
      text += " (\(told.joined(separator: "; ")))"
    }
    if error.attempts > 0 { text += " [attempt \(error.attempts), \(duration(error.elapsed))]" }
    return singleLine(text)
  }

  /// `GET https://host/path: phase: reason`.
  static func request(of error: TransportError) -> String {
    var text = error.method.map { "\($0.rawValue) " } ?? ""
    if let url = error.url { text += "\(Redaction.url(url)): " }
    return singleLine(text + "\(error.phase.rawValue): \(error.reason)")
  }

  /// `GET https://host/path`, or nothing for a response that belongs to no request.
  static func request(of response: Response?) -> String {
    guard let request = response?.request else { return "" }
    return "\(request.method.rawValue) \(Redaction.url(request.url))"
  }

  /// `404 Not Found`.
  static func status(_ code: Int) -> String { HTTPStatus(code: code).map { "\($0)" } ?? "\(code)" }

  /// `12 ms` or `3.4 s`.
  static func duration(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
    return milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
  }

  /// The text on one line of at most 2,000 characters: control characters, and the separators of Unicode that some
  /// programs take for line ends, become spaces, so that nobody can forge a line of a log.
  static func singleLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(2000) { line.append(scalar.breaksLine ? " " : scalar) }
    return String(line)
  }

  private static func prefix(of response: Response?) -> String {
    let request = request(of: response)
    return request.isEmpty ? "" : request + ": "
  }

  private static func suffix(of response: Response?) -> String {
    guard let response else { return "" }
    let peer = response.connection.map { "\($0.peerAddress), " } ?? ""
    return " [\(peer)attempt \(response.attempts), \(duration(response.elapsed))]"
  }
}

extension Unicode.Scalar {
  /// Whether the scalar ends or disturbs a line of text.
  fileprivate var breaksLine: Bool {
    value < 0x20 || 0x7F...0x9F ~= value || value == 0x2028 || value == 0x2029
  }
}

extension DecodingStage {
  fileprivate var noun: String {
    switch self {
    case .responseBody: "response body"
    case .streamFrame: "stream frame"
    }
  }
}

extension TimeoutReason {
  fileprivate var noun: String {
    switch self {
    case .requestTimeout: "the server was silent for too long"
    case .resourceTimeout: "the request took too long"
    case .connectionTimeout: "connecting took too long"
    }
  }
}

extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible {
  /// One line for logs: method, URL, phase, cause, the addresses that were tried, attempt and elapsed time. User name,
  /// password, fragment and the values of the query are left out, tokens that look like secrets are masked, and bodies
  /// are never quoted.
  public var description: String { ErrorLine.text(of: self) }

  /// ``description``, because what a debugger or a test failure prints is often kept.
  public var debugDescription: String { description }
}

extension NetworkConfigurationFailureReason: CustomStringConvertible {
  /// One line, such as `invalid base URL: it has no host`.
  public var description: String {
    switch self {
    case .invalidBaseURL(let text): Redaction.text(ErrorLine.singleLine("invalid base URL: \(text)"))
    case .invalidRequest(let text): Redaction.text(ErrorLine.singleLine("invalid request: \(text)"))
    case .offline(let text): Redaction.text(ErrorLine.singleLine("offline: \(text)"))
    }
  }
}

extension TrustFailureReason: CustomStringConvertible {
  /// One line with peer, phase and cause where they are known.
  public var description: String {
    let text =
      switch self {
      case .unsupportedAuthenticationMethod(let method): "unsupported authentication method: \(method)"
      case .missingServerTrust: "the server presented no certificate"
      case .systemTrustEvaluationFailed(let error): "\(error)"
      case .hostNotPinned(let host): "no pins for \(host)"
      case .publicKeyExtractionFailed: "the certificate's key cannot be read"
      case .pinMismatch(let host): "no certificate of \(host) has a pinned key"
      case .custom(let text): text
      }
    return Redaction.text(ErrorLine.singleLine("server not trusted: \(text)"))
  }
}
