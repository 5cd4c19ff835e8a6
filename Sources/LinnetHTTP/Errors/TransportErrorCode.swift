extension TransportError {
  /// The kind of a failure. New codes may be added; switch with a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// A stable name for logs and metrics, such as `connectionRefused`.
    public let rawValue: String

    /// A code with a stable name of its own. Codes that the client throws are static members.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ``rawValue``.
    public var description: String { rawValue }

    /// The task was cancelled.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The client was shut down.
    public static let clientShutDown = Code(rawValue: "clientShutDown")

    /// The URL cannot be parsed, or has a port that cannot be connected to.
    public static let invalidURL = Code(rawValue: "invalidURL")
    /// The URL's scheme is not `http` or `https`.
    public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
    /// A header, method or body cannot be sent as it stands.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// A setting is unusable: a cipher list is not understood, a socket path is too long.
    public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
    /// The client's own certificate or key is unusable: it cannot be read, or they do not belong together.
    public static let invalidClientIdentity = Code(rawValue: "invalidClientIdentity")
    /// The request's body source failed: a file that cannot be read, a stream that threw.
    public static let requestBodyFailed = Code(rawValue: "requestBodyFailed")
    /// A one-shot body was consumed already and cannot be sent again.
    public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")

    /// More redirections in a row than the policy allows.
    public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
    /// A redirection leads to a request that was sent before: it would go round for ever.
    public static let redirectLoop = Code(rawValue: "redirectLoop")
    /// A redirection is not followed because it would give something away, or leads out of HTTP, or the policy says no.
    public static let redirectRefused = Code(rawValue: "redirectRefused")
    /// The `Location` of a redirection is no URL, or there are several that differ.
    public static let invalidRedirect = Code(rawValue: "invalidRedirect")

    /// The proxy's name has no address.
    public static let proxyNotFound = Code(rawValue: "proxyNotFound")
    /// The proxy cannot be connected to.
    public static let proxyConnectFailed = Code(rawValue: "proxyConnectFailed")
    /// The proxy wants credentials (407), or others than it was given.
    public static let proxyAuthenticationRequired = Code(rawValue: "proxyAuthenticationRequired")
    /// The proxy answered that it does not connect to the server; ``TransportError/proxyResponse`` has its answer.
    public static let proxyRefused = Code(rawValue: "proxyRefused")
    /// The proxy's answer breaks its protocol.
    public static let invalidProxyResponse = Code(rawValue: "invalidProxyResponse")

    /// No connection became free in time.
    public static let poolTimeout = Code(rawValue: "poolTimeout")
    /// More requests wait for a connection than the pool's limit allows.
    public static let poolQueueFull = Code(rawValue: "poolQueueFull")

    /// The host name has no address.
    public static let hostNotFound = Code(rawValue: "hostNotFound")
    /// The name service failed; the host may exist.
    public static let resolutionFailed = Code(rawValue: "resolutionFailed")

    /// Every address refused the connection.
    public static let connectionRefused = Code(rawValue: "connectionRefused")
    /// There is no way to the network of any address: the machine is offline.
    public static let networkUnreachable = Code(rawValue: "networkUnreachable")
    /// No address could be connected to, for another reason.
    public static let connectFailed = Code(rawValue: "connectFailed")
    /// Resolving, connecting and the TLS handshake took longer than the connect timeout.
    public static let connectTimeout = Code(rawValue: "connectTimeout")

    /// The TLS handshake failed; the peer spoke no TLS, or had nothing in common with us.
    public static let tlsHandshakeFailed = Code(rawValue: "tlsHandshakeFailed")
    /// The peer's certificate was refused: expired, wrong name, unknown issuer.
    public static let certificateRejected = Code(rawValue: "certificateRejected")
    /// The server's public key is none of the pinned ones; the error names the one that it has.
    public static let publicKeyNotPinned = Code(rawValue: "publicKeyNotPinned")
    /// No usable certificate authorities were found, or those that were named cannot be read.
    public static let trustRootsUnavailable = Code(rawValue: "trustRootsUnavailable")

    /// The connection was lost while the request was sent or before the response was complete.
    public static let connectionLost = Code(rawValue: "connectionLost")
    /// A reused connection was closed by the server before any byte of the response, and the request may have been
    /// processed; it is not sent again because its method is not idempotent or its body cannot be replayed.
    public static let staleConnection = Code(rawValue: "staleConnection")
    /// The server closed a fresh connection without any byte of a response.
    public static let emptyReply = Code(rawValue: "emptyReply")
    /// The server chose another protocol than the HTTP/2 that the request insists on.
    public static let http2NotNegotiated = Code(rawValue: "http2NotNegotiated")
    /// The server ended the request's HTTP/2 stream with an error, which ``TransportError/http2ErrorCode`` tells.
    public static let streamReset = Code(rawValue: "streamReset")
    /// The server refused to process the request, again and again (REFUSED_STREAM, GOAWAY).
    public static let streamRefused = Code(rawValue: "streamRefused")
    /// The peer broke HTTP/2 in a way that makes the whole connection useless, or flooded it.
    public static let protocolViolation = Code(rawValue: "protocolViolation")
    /// The response breaks HTTP.
    public static let invalidResponse = Code(rawValue: "invalidResponse")
    /// The response's head exceeds a limit.
    public static let responseHeadTooLarge = Code(rawValue: "responseHeadTooLarge")
    /// The body ended before its announced or framed end.
    public static let truncated = Code(rawValue: "truncated")

    /// The head of the response did not come in time.
    public static let headTimeout = Code(rawValue: "headTimeout")
    /// No byte moved for longer than the idle timeout.
    public static let idleTimeout = Code(rawValue: "idleTimeout")
    /// The whole request took longer than its total timeout.
    public static let totalTimeout = Code(rawValue: "totalTimeout")

    /// The collected body exceeds the cap.
    public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
    /// The encoded body expands beyond the limit.
    public static let decompressionLimit = Code(rawValue: "decompressionLimit")
    /// The encoded body is broken.
    public static let decodingFailed = Code(rawValue: "decodingFailed")
    /// The body is already being read by another task, or was read to its end.
    public static let bodyAlreadyConsumed = Code(rawValue: "bodyAlreadyConsumed")

    /// The operating system refused something: no descriptors, no memory.
    public static let systemError = Code(rawValue: "systemError")

    /// Whether a timeout of any phase ran out.
    public var isTimeout: Bool {
      self == .connectTimeout || self == .headTimeout || self == .idleTimeout || self == .totalTimeout
        || self == .poolTimeout
    }
  }
}
