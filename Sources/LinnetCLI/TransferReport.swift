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
  package var exitCode = ExitCode.success
  package var errorMessage = ""

  package init(url: String) { self.url = url }

  /// Takes over what a connection event tells.
  mutating func note(_ connection: ConnectionInfo) {
    remoteAddress = connection.peerAddress
    localAddress = connection.localAddress ?? ""
    guard !connection.isReused else { return }
    connectionCount += 1
    nameLookupTime = connection.timings.resolve
    connectTime = nameLookupTime + connection.timings.connect
    handshakeTime = connection.tls == nil ? .zero : connectTime + connection.timings.tls
  }

  mutating func note(_ response: HTTPResponse) {
    effectiveURL = response.url.description
    responseCode = response.status.code
    version = String(response.version.description.dropFirst("HTTP/".count))
    headers = response.headers
    requestTime = response.timings.requestSent
    startTransferTime = response.timings.responseHead
  }

  mutating func note(_ error: CommandError) {
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
