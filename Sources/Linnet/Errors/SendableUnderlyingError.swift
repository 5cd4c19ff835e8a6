public import LinnetHTTP

/// The error below a ``NetworkError``, kept as values so that it can cross tasks and be compared.
///
/// Two are equal when domain and code are.
public struct SendableUnderlyingError: Error, Sendable {
  /// One error of a chain of causes.
  public struct Frame: Sendable, Hashable {
    /// The namespace of ``code``.
    public let domain: String
    /// The code within the domain.
    public let code: Int
    /// What happened, in one line.
    public let message: String
    /// Why, if the error tells.
    public let failureReason: String?
    /// What may help, if the error tells.
    public let recoverySuggestion: String?

    /// A frame made of its parts.
    public init(
      domain: String, code: Int, message: String, failureReason: String? = nil, recoverySuggestion: String? = nil
    ) {
      self.domain = domain
      self.code = code
      self.message = message
      self.failureReason = failureReason
      self.recoverySuggestion = recoverySuggestion
    }
  }

  /// How many causes are kept at most: 5.
  public static var maxUnderlyingDepth: Int { 5 }

  /// The namespace of ``code``: ``NetworkError/errorDomain`` for the library's own errors, whose codes are those of
  /// ``NetworkErrorCode``; otherwise what the error says, or its type's name.
  public var domain: String { ownFrame.domain }
  /// The code within the domain; 0 for an error that has none.
  public var code: Int { ownFrame.code }
  /// What happened, in one line.
  public var message: String { ownFrame.message }
  /// Why, if the error tells.
  public var failureReason: String? { ownFrame.failureReason }
  /// What may help, if the error tells.
  public var recoverySuggestion: String? { ownFrame.recoverySuggestion }
  /// The causes, nearest first; at most ``maxUnderlyingDepth``.
  public let underlyingChain: [Frame]
  /// The nearest cause.
  public var underlying: Frame? { underlyingChain.first }
  /// What the transport knows: phase, peers tried, attempts, elapsed time, what was sent. Nil for errors of other parts.
  public let transport: TransportError?
  /// Where and why decoding failed; nil for other errors.
  public let decoding: DecodingFailure?

  let ownFrame: Frame

  /// An error made of its parts.
  ///
  /// - Parameters:
  ///   - domain: What ``domain`` says.
  ///   - code: What ``code`` says.
  ///   - message: What ``message`` says.
  ///   - failureReason: What ``failureReason`` says. Default: nothing.
  ///   - recoverySuggestion: What ``recoverySuggestion`` says. Default: nothing.
  ///   - underlyingChain: The causes, nearest first; those beyond ``maxUnderlyingDepth`` are dropped. Default: none.
  ///   - transport: What the transport knows. Default: nothing.
  public init(
    domain: String, code: Int, message: String, failureReason: String? = nil, recoverySuggestion: String? = nil,
    underlyingChain: [Frame] = [], transport: TransportError? = nil
  ) {
    self.init(
      frame: Frame(
        domain: domain, code: code, message: message, failureReason: failureReason,
        recoverySuggestion: recoverySuggestion),
      underlyingChain: underlyingChain, transport: transport, decoding: nil)
  }

  init(
    frame: Frame, underlyingChain: [Frame] = [], transport: TransportError? = nil, decoding: DecodingFailure? = nil
  ) {
    ownFrame = frame
    self.underlyingChain = Array(underlyingChain.prefix(Self.maxUnderlyingDepth))
    self.transport = transport
    self.decoding = decoding
  }

  /// The code, when the error is the library's own.
  var ownCode: NetworkErrorCode? {
    domain == NetworkError.errorDomain ? NetworkErrorCode(rawValue: code) : nil
  }

  /// The same error without the decoder's own words, which may quote the body.
  /// The same error as the end of a call that was tried `retries` times before.
  func afterRetries(_ retries: Int, elapsed: Duration) -> SendableUnderlyingError {
    SendableUnderlyingError(
      frame: ownFrame, underlyingChain: underlyingChain,
      transport: transport?.afterRetries(retries, elapsed: elapsed), decoding: decoding)
  }

  func redactingPayload() -> SendableUnderlyingError {
    SendableUnderlyingError(
      frame: ownFrame, underlyingChain: underlyingChain, transport: transport, decoding: decoding?.redactingPayload())
  }
}

extension SendableUnderlyingError: Hashable {
  /// Whether domain and code are equal.
  public static func == (left: SendableUnderlyingError, right: SendableUnderlyingError) -> Bool {
    left.domain == right.domain && left.code == right.code
  }

  /// Hashes domain and code.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(domain)
    hasher.combine(code)
  }
}

extension SendableUnderlyingError: CustomStringConvertible {
  /// One line without secrets: the transport's or the decoder's account, or the message with domain and code; then the
  /// chain of causes.
  public var description: String {
    var text = ErrorLine.text(of: self)
    for cause in underlyingChain { text += "; caused by: \(cause)" }
    return Redaction.text(text)
  }
}

extension SendableUnderlyingError.Frame: CustomStringConvertible {
  /// `message (domain code)`.
  public var description: String { Redaction.text("\(message) (\(domain) \(code))") }
}

extension SendableUnderlyingError: CustomReflectable {
  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
