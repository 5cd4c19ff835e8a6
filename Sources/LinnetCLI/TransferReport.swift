package import LinnetHTTP

/// What is known about one transfer, for `--write-out`.
package struct TransferReport: Sendable {
  /// The URL as it was typed.
  package var url: String
  package var effectiveURL = ""
  package var scheme = ""
  package var method = ""
  package var responseCode = 0
  package var version = ""
  package var headers = HTTPHeaders()
  package var fileName: String?
  package var connectionCount = 0
  package var remoteAddress = ""
  package var localAddress = ""
  package var nameLookupTime: Duration = .zero
  package var connectTime: Duration = .zero
  package var handshakeTime: Duration = .zero
  package var requestTime: Duration = .zero
  package var startTransferTime: Duration = .zero
  package var totalTime: Duration = .zero
  package var downloadedBytes: UInt64 = 0
  package var uploadedBytes: UInt64 = 0
  package var redirectCount = 0
  /// Where the response leads to, when that was not followed.
  package var redirectURL = ""
  package var redirectTime: Duration = .zero
  package var resendCount = 0
  package var headBytes = 0
  package var requestBytes = 0
  package var usesProxy = false
  /// The status of the last answer to CONNECT.
  package var proxyStatus = 0
  package var referer = ""
  /// The number of the transfer, from 0 on.
  package var number = 0
  package var exitCode = ExitCode.success
  package var errorMessage = ""
  private(set) var failure: CommandError?

  package init(url: String) { self.url = url }

  /// Takes over what an event tells.
  ///
  /// - Parameters:
  ///   - moment: The time since the request was given to the client.
  ///   - framingLine: The framing field of the request's body.
  mutating func note(_ event: ExchangeEvent, after moment: Duration, framingLine: String?) {
    switch event {
    case .connection(let connection): note(connection)
    case .requestHead(let head):
      referer = head.headers.value(for: "Referer") ?? ""
      requestBytes += SecretMask(showsSecrets: true).text(head, framingLine: framingLine).utf8.count
    case .interim(let head), .challenged(let head): noteHead(head)
    case .redirected(let head, let hop):
      noteHead(head)
      redirectCount += 1
      redirectTime = moment
      effectiveURL = hop.to.description
      scheme = hop.to.scheme.rawValue
      method = hop.method.rawValue
    case .resent: resendCount += 1
    }
  }

  private mutating func noteHead(_ head: ResponseHead) { headBytes += HeadOutput.text(head).utf8.count }

  /// Takes over what a connection event tells.
  private mutating func note(_ connection: ConnectionInfo) {
    usesProxy = connection.proxy != nil
    if let head = connection.proxy?.connectResponse { proxyStatus = head.status.code }
    remoteAddress = connection.peerAddress
    localAddress = connection.localAddress ?? ""
    guard !connection.isReused else { return }
    connectionCount += 1
    nameLookupTime = connection.timings.resolve
    connectTime = nameLookupTime + connection.timings.connect
    handshakeTime = connection.tls == nil ? .zero : connectTime + connection.timings.tls
  }

  mutating func note(_ response: HTTPResponse) {
    noteHead(response.head)
    effectiveURL = response.url.description
    if 300..<400 ~= response.status.code, let location = response.headers.value(for: "Location") {
      redirectURL = (try? response.url.resolve(location))?.description ?? location
    }
    responseCode = response.status.code
    version = String(response.version.description.dropFirst("HTTP/".count))
    headers = response.headers
    requestTime = response.timings.requestSent
    startTransferTime = response.timings.responseHead
  }

  mutating func note(_ error: CommandError) {
    failure = error
    exitCode = error.exitCode
    errorMessage = error.message
  }

  /// `127.0.0.1:80`, `[::1]:80` or `unix:/x` as address and port; a Unix socket has neither.
  static func split(_ address: String) -> (host: String, port: String) {
    guard !address.hasPrefix("unix:"), let colon = address.lastIndex(of: ":") else { return ("", "0") }
    let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
    return (host, String(address[address.index(after: colon)...]))
  }
}
