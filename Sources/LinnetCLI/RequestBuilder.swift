internal import Glibc
internal import LinnetHTTP

/// Makes the client's configuration and the requests that the options ask for.
struct RequestBuilder {
  let options: CommandLineOptions
  private(set) var body: RequestBodySource
  private let method: HTTPMethod
  private var headers = HTTPHeaders()
  private var omitted: [String] = []
  private var expectsContinue = false

  init(_ options: CommandLineOptions) throws(CommandError) {
    self.options = options
    method = try Self.method(options)
    body = try RequestBodySource(options)
    try addGivenHeaders()
    try addImpliedHeaders()
    if headers.value(for: "Transfer-Encoding")?.lowercased() == "chunked" {
      headers.remove("Transfer-Encoding")
      body.isChunked = true
    }
    if let expectation = headers.value(for: "Expect"), expectation.lowercased() == "100-continue" {
      expectsContinue = true
    }
  }

  private static func method(_ options: CommandLineOptions) throws(CommandError) -> HTTPMethod {
    guard let given = options.method else {
      return options.wantsHeadOnly ? .head : options.uploadFile != nil ? .put : options.data.isEmpty ? .get : .post
    }
    guard let method = HTTPMethod(rawValue: given) else { throw .usage("'\(given)' is not a method") }
    return method
  }

  // MARK: Headers

  private mutating func addGivenHeaders() throws(CommandError) {
    for argument in options.headers {
      guard argument.bytes.first == UInt8(ascii: "@") else {
        try addLine(argument)
        continue
      }
      let content = try InputFile.contents(of: Argument(argument.bytes.dropFirst()))
      for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
        let bare = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if !bare.isEmpty { try addLine(Argument(bare)) }
      }
    }
  }

  private mutating func addLine(_ line: Argument) throws(CommandError) {
    guard let text = line.exactText else { throw .usage("header '\(line.text)' is not UTF-8") }
    guard let colon = text.firstIndex(of: ":") else {
      guard text.hasSuffix(";") else { throw .usage("header '\(text)' has no colon") }
      try add(String(text.dropLast()), "")
      return
    }
    let name = String(text[..<colon])
    let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    guard value.isEmpty else {
      try add(name, String(value))
      return
    }
    if name.lowercased() == "host" { throw .usage("header 'Host' cannot be left out of a request") }
    omitted.append(name)
  }

  private mutating func add(_ name: String, _ value: String) throws(CommandError) {
    do throws(HTTPHeaderError) {
      try headers.add(name: name, value: value)
    } catch {
      throw .usage("\(error)")
    }
  }

  /// Headers that options stand for, unless `-H` gives or removes them.
  private mutating func addImpliedHeaders() throws(CommandError) {
    if !options.data.isEmpty {
      try imply("Content-Type", options.sendsJSON ? "application/json" : "application/x-www-form-urlencoded")
    }
    if options.sendsJSON { try imply("Accept", "application/json") }
    for (name, argument) in [("User-Agent", options.userAgent), ("Referer", options.referer)] {
      guard let argument else { continue }
      guard let value = argument.exactText else { throw .usage("header '\(name)' is not UTF-8") }
      if value.isEmpty { omitted.append(name) } else { try imply(name, value) }
    }
    if let range = options.range { try imply("Range", "bytes=\(range.text)") }
  }

  private mutating func imply(_ name: String, _ value: String) throws(CommandError) {
    guard !headers.contains(name), !omitted.contains(where: { $0.lowercased() == name.lowercased() }) else { return }
    try add(name, value)
  }

  // MARK: Requests

  /// The URL of the request: a URL that ends with a slash gets the name of the file that is uploaded to it.
  func target(_ url: HTTPURL) -> HTTPURL {
    guard let upload = options.uploadFile, !upload.isDash, url.query == nil, url.path.hasSuffix("/"),
      let name = upload.bytes.split(separator: UInt8(ascii: "/")).last
    else { return url }
    return (try? url.resolve("./\(URLArgument.pathSegment(name))")) ?? url
  }

  func request(
    to url: HTTPURL, onRead: @escaping @Sendable (Int) -> Void, onEvent: @escaping @Sendable (ExchangeEvent) -> Void
  ) -> HTTPRequest {
    var request = HTTPRequest(method: method, url: url, headers: headers, body: body.makeBody(onRead: onRead))
    request.options.omittedDefaultHeaders = omitted
    request.options.expectsContinue = expectsContinue
    request.options.onEvent = onEvent
    return request
  }

  // MARK: Configuration

  func configuration() throws(CommandError) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    // As curl: only what the user asks for ends a transfer that still has a chance.
    configuration.timeouts = TimeoutConfiguration(
      connect: options.connection.connectTimeout, connectionWait: nil, responseHead: nil, idle: nil,
      total: options.connection.maximumTime)
    configuration.redirects = .manual
    configuration.httpVersion = options.connection.httpVersion
    configuration.expectContinueTimeout = options.connection.expectTimeout
    if !options.isCompressed { configuration.decompression = .disabled }
    for entry in options.connection.resolve { configuration.resolveOverrides[entry.hostAndPort] = entry.addresses }
    if let socket = options.connection.unixSocket {
      guard let path = socket.exactText else { throw .usage("option --unix-socket: '\(socket.text)' is not UTF-8") }
      configuration.connectTarget = .unixSocket(path)
    }
    switch options.connection.addressFamily {
    case .any: break
    case .ipv4: configuration.socket.addressFamily = .ipv4
    case .ipv6: configuration.socket.addressFamily = .ipv6
    }
    configuration.tls = try tls()
    return configuration
  }

  private func tls() throws(CommandError) -> TLSConfiguration {
    var tls = TLSConfiguration()
    tls.verifiesPeer = !options.tls.isInsecure
    if let file = options.tls.caFile { tls.trustRoots = .only([try source(file, .trustRoots)]) }
    if let certificate = options.tls.certificate {
      let (path, inlinePassphrase) = Self.splitPassphrase(certificate)
      tls.clientIdentity = TLSConfiguration.ClientIdentity(
        certificates: try source(path, .clientCertificate),
        privateKey: try options.tls.key.map { key throws(CommandError) in try source(key, .clientCertificate) },
        passphrase: options.tls.passphrase?.text ?? inlinePassphrase)
    }
    if let keyLog = getenv("SSLKEYLOGFILE").map({ String(cString: $0) }), !keyLog.isEmpty { tls.keyLogFile = keyLog }
    return tls
  }

  /// The file for the library, after a look whether it can be read. Its content is read here when its name is not text.
  private func source(_ path: Argument, _ code: ExitCode) throws(CommandError) -> TLSConfiguration.Source {
    do throws(CommandError) {
      guard let text = path.exactText else { return .bytes(try InputFile.contents(of: path)) }
      close(try InputFile.open(path))
      return .file(text)
    } catch {
      throw CommandError(code, error.message)
    }
  }

  /// `FILE:PHRASE`, unless there is a file of the whole name.
  private static func splitPassphrase(_ argument: Argument) -> (Argument, String?) {
    guard let colon = argument.bytes.lastIndex(of: UInt8(ascii: ":")), argument.withCString({ access($0, F_OK) }) != 0
    else { return (argument, nil) }
    return (Argument(argument.bytes[..<colon]), Argument(argument.bytes[(colon + 1)...]).text)
  }
}
