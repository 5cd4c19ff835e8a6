internal import LinnetCompression
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

// Every domain's errors become transport failures here and nowhere else, each by a total switch.

extension TransportFailure {
  init(receiving error: SystemError) {
    self.init(
      code: error.isConnectionReset || error.isTimeout ? .connectionLost : .systemError, phase: .head,
      reason: error.isConnectionReset ? "the server reset the connection" : error.description)
  }

  init(sending error: SystemError) {
    self.init(
      code: error.isConnectionReset || error.isTimeout ? .connectionLost : .systemError, phase: .send,
      reason: error.isConnectionReset
        ? "the server closed the connection while the request was sent" : error.description)
  }

  init(registering error: SystemError) {
    self.init(code: .systemError, phase: .connect, reason: error.description)
  }

  init(_ error: HTTP1Error, isRequestStarted: Bool) {
    guard error.side == .remote else {
      self.init(
        code: .invalidRequest, phase: isRequestStarted ? .send : .request, reason: error.description)
      return
    }
    switch error.reason {
    case .emptyReply:
      self.init(code: .emptyReply, phase: .head, reason: error.description, isCloseBeforeResponse: true)
    case .truncatedHead, .truncatedBody, .truncatedChunked:
      self.init(code: .truncated, phase: .body, reason: error.description)
    case .statusLineTooLong, .fieldSectionTooLarge, .tooManyFields, .tooManyInterimResponses:
      self.init(code: .responseHeadTooLarge, phase: .head, reason: error.description)
    case .unsolicitedBytes:
      self.init(code: .invalidResponse, phase: .head, reason: error.description, isCloseBeforeResponse: true)
    case .invalidStatusLine, .unsupportedVersion, .invalidFieldName, .invalidFieldValue, .missingColon,
      .whitespaceBeforeColon, .lineFolding, .bareCarriageReturn, .bareLineFeed, .invalidContentLength,
      .conflictingLengths, .invalidTransferEncoding, .invalidChunkSize, .chunkSizeOverflow, .invalidChunkExtension,
      .chunkExtensionsTooLong, .missingChunkTerminator, .trailerSectionTooLarge, .invalidMethod, .invalidTarget,
      .invalidHeader, .repeatedHost, .wrongVersion, .conflictingFraming, .bodyForbidden, .chunkedForbidden,
      .bodyTooLong, .bodyTooShort, .forbiddenTrailer, .trailersNotPossible, .outOfTurn, .notReusable:
      self.init(code: .invalidResponse, phase: .head, reason: error.description)
    }
  }

  init(_ error: TLSError, phase: TransportError.Phase) {
    switch error.code {
    case .certificateExpired, .certificateNotYetValid, .hostnameMismatch, .unknownIssuer, .selfSigned,
      .certificateRevoked, .weakCertificate, .chainTooLong, .certificateInvalid, .noPeerCertificate,
      .certificateRefused:
      self.init(code: .certificateRejected, phase: .tls, reason: error.description)
    case .publicKeyNotPinned:
      self.init(code: .publicKeyNotPinned, phase: .tls, reason: error.description)
    case .noTrustRoots:
      self.init(code: .trustRootsUnavailable, phase: .tls, reason: error.description)
    case .configuration:
      self.init(code: TransportError.Code(error.area), phase: .request, reason: error.description)
    case .truncated:
      self.init(code: phase == .tls ? .tlsHandshakeFailed : .truncated, phase: phase, reason: error.description)
    case .peerSpokePlainHTTP, .peerClosedDuringHandshake, .handshakeFailed, .cryptographyUnavailable:
      self.init(code: .tlsHandshakeFailed, phase: .tls, reason: error.description)
    case .alert, .protocolViolation:
      self.init(
        code: phase == .tls ? .tlsHandshakeFailed : .connectionLost, phase: phase, reason: error.description)
      isApplicationProtocolRefused = error.isApplicationProtocolRefused
    }
  }

  init(_ error: CompressionError) {
    let code: TransportError.Code
    switch error {
    case .corrupt, .truncated, .tooManyCodings: code = .decodingFailed
    case .expandedSizeExceeded, .ratioExceeded: code = .decompressionLimit
    case .outOfMemory: code = .systemError
    }
    self.init(code: code, phase: .decode, reason: error.description, sent: .all)
  }

  /// - Parameter proxy: The proxy whose name was looked up, if it was one's.
  init(_ error: ResolveError, timeout: Duration?, proxy: ProxyServer? = nil) {
    switch error.reason {
    case .notFound:
      self.init(code: proxy == nil ? .hostNotFound : .proxyNotFound, phase: .resolve, reason: error.description)
    case .temporary, .failed:
      self.init(code: .resolutionFailed, phase: .resolve, reason: error.description)
    case .timedOut:
      self.init(
        code: .connectTimeout, phase: .resolve,
        reason: "\(error.description)\(timeout.map { " after \($0.shortText)" } ?? "")")
    case .cancelled:
      self = .cancelled.at(.resolve)
      return
    }
    if let proxy { self = naming(proxy) }
  }

  init(_ error: ConnectError, route: Route, timeout: Duration?) {
    let peers = error.attempts.map {
      TransportError.PeerAttempt(address: $0.address.description, cause: $0.causeText)
    }
    switch error.reason {
    case .cancelled:
      self = .cancelled.at(.connect)
    case .timedOut:
      self.init(
        code: .connectTimeout, phase: .connect,
        reason: "no connection to \(route.name)\(timeout.map { " within \($0.shortText)" } ?? "")", peers: peers)
    case .noAddresses:
      self.init(
        code: route.proxy == nil ? .hostNotFound : .proxyNotFound, phase: .resolve,
        reason: "\(route.name) has no address")
    case .failed:
      let causes = error.attempts.compactMap(\.cause)
      let isRefused = !causes.isEmpty && causes.allSatisfy(\.isConnectionRefused)
      let isOffline = !causes.isEmpty && causes.allSatisfy(\.isNetworkUnreachable)
      let isOurs = causes.contains(where: \.isDescriptorLimit)
      let told = error.attempts.last { $0.cause != nil }
      let code: TransportError.Code =
        isRefused ? .connectionRefused : isOffline ? .networkUnreachable : isOurs ? .systemError : .connectFailed
      self.init(
        code: route.proxy == nil || code == .systemError ? code : .proxyConnectFailed, phase: .connect,
        reason: told.map { "\($0.causeText) (\($0.address))" } ?? "no connection was made", peers: peers)
      if let server = route.proxy?.server { self = naming(server) }
    }
  }

  init(_ error: HTTPURLError) {
    switch error {
    case .unsupportedScheme:
      self.init(code: .unsupportedScheme, phase: .request, reason: error.description)
    default:
      self.init(code: .invalidURL, phase: .request, reason: error.description)
    }
  }
}

extension TransportFailure {
  /// A redirection that is not followed. Its URL is shown as that of a request is: without the values of its query.
  init(_ problem: RedirectProblem) {
    let code: TransportError.Code
    let told: RedirectProblem
    switch problem {
    case .tooManyHops: (code, told) = (.tooManyRedirects, problem)
    case .loop(let url): (code, told) = (.redirectLoop, .loop(url.redactingValuesInURL))
    case .severalLocations, .invalidLocation: (code, told) = (.invalidRedirect, problem)
    case .bodyNotReplayable: (code, told) = (.bodyNotReplayable, problem)
    case .unsupportedScheme: (code, told) = (.redirectRefused, problem)
    case .refused(let url): (code, told) = (.redirectRefused, .refused(url: url.redactingValuesInURL))
    case .downgrade(let url): (code, told) = (.redirectRefused, .downgrade(url: url.redactingValuesInURL))
    case .unsafeAcrossOrigins(let method, let url):
      (code, told) = (.redirectRefused, .unsafeAcrossOrigins(method: method, url: url.redactingValuesInURL))
    case .bodyAcrossOrigins(let url):
      (code, told) = (.redirectRefused, .bodyAcrossOrigins(url: url.redactingValuesInURL))
    }
    self.init(code: code, phase: .head, reason: told.description, sent: .all)
  }
}

extension TransportError.Code {
  fileprivate init(_ area: TLSError.Area) {
    switch area {
    case .settings: self = .invalidConfiguration
    case .identity: self = .invalidClientIdentity
    case .trust: self = .trustRootsUnavailable
    }
  }
}

extension ConnectAttempt {
  /// The cause in words, as it stands inside a sentence.
  var causeText: String { cause.map { $0.text.asciiLowercasedFirst } ?? "no answer" }
}

extension String {
  /// `Connection refused` as it stands inside a sentence.
  var asciiLowercasedFirst: String {
    guard let first else { return self }
    return String(first).lowercased() + dropFirst()
  }
}
