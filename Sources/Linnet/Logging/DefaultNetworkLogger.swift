internal import FoundationEssentials
public import LinnetHTTP

/// Writes requests, responses and errors to standard error, one line each.
///
/// ```
/// --> GET https://api.example.com/users?page=<redacted> {Accept: <redacted>}
/// <-- 200 OK GET https://api.example.com/users?page=<redacted> {Content-Type: <redacted>} 512 bytes [attempt 1, 12 ms]
/// !!! reachability.connection_refused GET https://api.example.com/users: connect (192.0.2.7:443) [attempt 1, 3 ms]
/// ```
///
/// A line is written by one call and is at most 4,095 bytes long, so lines do not mix; a longer one is cut. A write that
/// fails is ignored. Where standard error blocks, so does the caller.
public struct DefaultNetworkLogger: NetworkLogger {
  private let options: NetworkLoggingOptions
  private let write: (@Sendable (String) -> Void)?

  /// A logger.
  ///
  /// - Parameter options: How much is written. Default ``NetworkLoggingOptions/secureDefault``, which writes nothing in
  ///   programs that were built for release.
  public init(options: NetworkLoggingOptions = .secureDefault) {
    #if DEBUG
      self.init(options: options, isRelease: false)
    #else
      self.init(options: options, isRelease: true)
    #endif
  }

  package init(
    options: NetworkLoggingOptions, isRelease: Bool,
    write: @escaping @Sendable (String) -> Void = { StandardError.writeLine($0) }
  ) {
    self.options = options
    self.write = isRelease && !options.releaseLogging ? nil : write
  }

  /// Writes method, URL and header names; values and body as the options allow.
  public func log(request: HTTPRequest) {
    guard let write else { return }
    var line = "--> \(target(of: request))" + fields(request.headers)
    if let body = request.body { line += " " + text(of: body) }
    write(finished(line))
  }

  /// Writes status, URL, header names, the size of the body and the time; values and body as the options allow.
  public func log(response: Response, isError: Bool) {
    guard let write else { return }
    var line = (isError ? "<!! " : "<-- ") + ErrorLine.status(response.statusCode)
    if let request = response.request { line += " " + target(of: request) }
    line += fields(response.headers) + " "
    line +=
      options.includeResponseBody && !options.redactSensitiveData
      ? text(of: response.data) : "\(response.data.count) bytes"
    line += " [attempt \(response.attempts), \(ErrorLine.duration(response.elapsed))]"
    write(finished(line))
  }

  /// Writes the error: in secure mode its stable category and what the transport knows, otherwise its description.
  public func log(error: NetworkError) {
    guard let write else { return }
    write(finished("!!! " + (options.redactSensitiveData ? facts(of: error) : error.description)))
  }

  private func target(of request: HTTPRequest) -> String {
    "\(request.method.rawValue) \(Redaction.url(request.url, keepsQueryValues: !options.redactSensitiveData))"
  }

  private func fields(_ headers: HTTPHeaders) -> String {
    let shown = headers.filter { options.includeCookies || !$0.isCookie }
    guard !shown.isEmpty else { return "" }
    let fields = shown.map { header in
      let hides = options.redactSensitiveData || header.isAlwaysSecret
      return "\(header.name): \(hides ? Redaction.mark : header.value)"
    }
    return " {\(fields.joined(separator: ", "))}"
  }

  private func text(of body: HTTPRequestBody) -> String {
    guard options.includeRequestBody, !options.redactSensitiveData else {
      return body.knownLength.map { "\($0) bytes" } ?? "a body of unknown size"
    }
    if let bytes = body.bytesInMemory { return text(of: Data(bytes)) }
    return body.filePath.map { "file \($0)" } ?? "a stream"
  }

  private func text(of data: Data) -> String {
    // A prefix may end inside a character, of which up to three bytes are left then.
    let shown = data.prefix(4096)
    for excess in 0...(shown.count < data.count ? 3 : 0) {
      if let text = String(validating: shown.dropLast(excess), as: UTF8.self) { return text }
    }
    return "\(data.count) bytes that are not text"
  }

  /// What is known without free text: that of an error may quote anything.
  private func facts(of error: NetworkError) -> String {
    var line = error.stableCategory
    if let transport = error.transport {
      line += " " + (transport.method.map { "\($0.rawValue) " } ?? "")
      line += (transport.url.map { Redaction.url($0) + ": " } ?? "") + transport.phase.rawValue
      if !transport.peers.isEmpty { line += " (\(transport.peers.map(\.address).joined(separator: "; ")))" }
      if transport.attempts > 0 {
        line += " [attempt \(transport.attempts), \(ErrorLine.duration(transport.elapsed))]"
      }
    } else if error.response?.request != nil {
      line += " " + ErrorLine.request(of: error.response)
    }
    return line
  }

  private func finished(_ line: String) -> String { "[linnet] " + Redaction.namedSecrets(ErrorLine.singleLine(line)) }
}

extension HTTPHeader {
  fileprivate var isCookie: Bool { ["cookie", "set-cookie"].contains(name.lowercased()) }
  /// A field that holds key material of AWS by definition.
  fileprivate var isAlwaysSecret: Bool { name.lowercased() == "x-amz-security-token" }
}
