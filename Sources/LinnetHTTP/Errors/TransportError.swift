public import LinnetBytes
public import LinnetHTTPTypes

/// Why a request of the raw client failed: what happened, in which phase, and what a retry may rely on.
///
/// Compare by ``code``; decide about a retry by ``phase`` and ``sent``, never by text. Two errors are equal when their
/// codes are. ``description`` is one line for people: method, URL without its user name and password, phase, peer,
/// cause, attempt and elapsed time. ``shortDescription`` has no variable data and is meant for metrics.
public struct TransportError: Error, Sendable {
  /// What went wrong.
  public var code: Code { details.failure.code }
  /// The part of the exchange in which it went wrong.
  public var phase: Phase { details.failure.phase }
  /// How much of the request may have reached the server.
  public var sent: SentState { details.failure.sent }
  /// How many times the request was tried; 0 when it failed before the first try.
  public var attempts: Int { details.context.attempts }
  /// The request's method, when it got that far.
  public var method: HTTPMethod? { details.context.method }
  /// The request's URL with its user name and password masked, when it got that far.
  public var url: String? { details.context.url }
  /// The redirections that were followed before the request that failed, in order; ``url`` is where they led.
  public var history: [HTTPRedirectHop] { details.context.history }
  /// Each address that was tried, with the reason for which it failed; in order.
  public var peers: [PeerAttempt] { details.failure.peers }
  /// The time from the start of the request to the failure.
  public var elapsed: Duration { details.context.elapsed }
  /// The cause in words, such as `connection refused`.
  public var reason: String { details.failure.reason }
  /// The error code of the RST_STREAM or GOAWAY frame that ended the request (RFC 9113 §7), sent by either side; nil when
  /// none did.
  public var http2ErrorCode: UInt32? { details.failure.http2ErrorCode }
  /// The answer of a proxy that refused; nil when none did, or it gave none that is HTTP.
  public var proxyResponse: ProxyResponse? { details.failure.proxyResponse }
  /// The error of a caller's own code (a body stream) that ended the request.
  public var underlying: (any Error)? { details.failure.underlying }

  private let details: Details

  init(_ failure: TransportFailure, context: Context) {
    details = Details(failure, context)
  }

  /// One address that was tried.
  public struct PeerAttempt: Sendable, Hashable, CustomStringConvertible {
    /// The address, such as `127.0.0.1:443`, `[::1]:80` or `unix:/run/x.sock`.
    public let address: String
    /// Why it failed, in words.
    public let cause: String

    /// `address: cause`.
    public var description: String { "\(address): \(cause)" }
  }

  /// A proxy's answer to CONNECT.
  public struct ProxyResponse: Sendable {
    /// Its head.
    public let head: ResponseHead
    /// The beginning of its body, at most 16 KiB.
    public let body: ByteChunk
  }

  /// The part of an exchange in which an error occurred, in the order in which they happen.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Building the request: URL, headers, configuration, body source.
    case request
    /// Waiting for a connection of the pool.
    case pool
    /// Looking up the host's addresses.
    case resolve
    /// Connecting the socket.
    case connect
    /// Asking a proxy for a connection to the server.
    case proxy
    /// The TLS handshake.
    case tls
    /// Sending the request.
    case send
    /// Waiting for the response's head.
    case head
    /// Reading the response's body.
    case body
    /// Decoding the response's body (`Content-Encoding`) or collecting it.
    case decode
  }

  /// How much of the request may have reached the server.
  public enum SentState: String, Sendable, Hashable {
    /// No byte of the request was given to the network, or the server said that it processed none of it (REFUSED_STREAM,
    /// GOAWAY).
    case nothing
    /// Some bytes were: it may have been processed.
    case maybe
    /// The whole request was given to the network.
    case all
  }

  /// What the transport knows about the request that failed.
  struct Context: Sendable {
    var method: HTTPMethod?
    var url: String?
    var attempts = 0
    var elapsed: Duration = .zero
    var history: [HTTPRedirectHop] = []
  }

  private final class Details: Sendable {
    let failure: TransportFailure
    let context: Context

    init(_ failure: TransportFailure, _ context: Context) {
      self.failure = failure
      self.context = context
    }
  }

  var failure: TransportFailure { details.failure }
}

extension TransportError: Equatable {
  /// Whether both have the same ``code``.
  public static func == (left: TransportError, right: TransportError) -> Bool { left.code == right.code }
}

extension TransportError: CustomStringConvertible {
  /// One line without secrets: `GET https://host/path: connect: connection refused (127.0.0.1:443: …) [attempt 1, 3 ms]`.
  public var description: String {
    var text = ""
    if let method { text += "\(method.rawValue) " }
    if let url { text += "\(url.redactingValuesInURL): " }
    text += "\(phase.rawValue): \(reason)"
    let untold = peers.filter { !reason.mentions($0.address) }
    if !untold.isEmpty {
      let told = untold.map { $0.cause == reason ? $0.address : $0.description }
      text += " (\(told.joined(separator: "; ")))"
    }
    if let underlying { text += ": \(underlying)" }
    if attempts > 0 { text += " [attempt \(attempts), \(elapsed.shortText)\(details.context.historyText)]" }
    return text.replacingLineBreaks()
  }

  /// `phase: code`, without any data of the request.
  public var shortDescription: String { "\(phase.rawValue): \(code.rawValue)" }
}

extension TransportError.Context {
  /// `, after 2 redirects from http://host/path`, or nothing.
  fileprivate var historyText: String {
    guard let first = history.first else { return "" }
    let count = history.count == 1 ? "a redirect" : "\(history.count) redirects"
    return ", after \(count) from \(first.from.redactedDescription.redactingValuesInURL)"
  }
}

extension TransportError: CustomReflectable {
  /// Nothing more than ``description``: ``url`` has the whole query.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Duration {
  /// `12 ms` or `3.4 s`.
  var shortText: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
    return milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
  }
}

extension String {
  /// Whether `other` stands in the text. `contains(_: String)` would do, but links the standard library's regular
  /// expressions into every static program.
  fileprivate func mentions(_ other: String) -> Bool {
    var rest = utf8[...]
    while rest.count >= other.utf8.count {
      if rest.starts(with: other.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  /// The text on one line: control characters become spaces, so that a peer cannot forge log lines.
  func replacingLineBreaks() -> String {
    guard unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return self }
    var line = String.UnicodeScalarView()
    for scalar in unicodeScalars { line.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar) }
    return String(line)
  }
}
