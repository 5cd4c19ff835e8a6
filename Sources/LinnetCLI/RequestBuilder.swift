internal import Glibc
internal import LinnetHTTP

/// Makes the client's configuration and the requests that the options ask for.
struct RequestBuilder {
  let options: CommandLineOptions
  private(set) var body: RequestBodySource
  private let method: HTTPMethod
  private var headers = HTTPHeaders()
  private var omitted: [String] = []
  /// Names, in lower case, of what `-H` adds or leaves out.
  private var givenHeaders: Set<String> = []
  private var expectsContinue = false
  private let credentials: CredentialOptions
  let cookies: CookieOptions
  let query: [UInt8]

  /// - Parameter jar: That of the options before `--next`.
  init(_ options: CommandLineOptions, jar: CookieJar? = nil) async throws(CommandError) {
    self.options = options
    method = try Self.method(options)
    body = try RequestBodySource(options)
    credentials = try CredentialOptions(options.credentials)
    cookies = CookieOptions(options, jar: jar)
    try await cookies.load()
    query = try RequestBodySource.bytes(
      of: options.queries + (options.sendsDataInQuery ? options.data : []), within: options.connection.maximumTime)
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
      if options.wantsHeadOnly { return .head }
      return options.uploadFile != nil ? .put : options.data.isEmpty || options.sendsDataInQuery ? .get : .post
    }
    guard let method = HTTPMethod(rawValue: given) else { throw .usage("'\(given)' is not a method") }
    return method
  }

  // MARK: Headers

  private mutating func addGivenHeaders() throws(CommandError) {
    for line in try HeaderArgument.lines(options.headers, within: options.connection.maximumTime) {
      switch try HeaderArgument(line) {
      case .field(let name, let value):
        givenHeaders.insert(name.lowercased())
        try add(name, value)
      case .omission(let name):
        givenHeaders.insert(name.lowercased())
        if name.lowercased() == "host" { throw .usage("header 'Host' cannot be left out of a request") }
        omitted.append(name)
      }
    }
  }

  /// Whether `-H` says what `Referer` shall be, or that there shall be none.
  var givesReferer: Bool { givenHeaders.contains("referer") }

  private mutating func add(_ name: String, _ value: [UInt8]) throws(CommandError) {
    do throws(HTTPHeaderError) {
      try headers.add(name: name, bytes: value)
    } catch {
      throw .usage("\(error)")
    }
  }

  /// Headers that options stand for, unless `-H` gives or removes them.
  private mutating func addImpliedHeaders() throws(CommandError) {
    if !options.data.isEmpty && !options.sendsDataInQuery {
      try imply("Content-Type", options.sendsJSON ? "application/json" : "application/x-www-form-urlencoded")
    }
    if options.sendsJSON { try imply("Accept", "application/json") }
    for (name, argument) in [("User-Agent", options.userAgent), ("Referer", options.referer)] {
      guard let argument else { continue }
      if argument.bytes.isEmpty { omitted.append(name) } else { try imply(name, argument.bytes) }
    }
    if let cookies = CookieOptions.header(options.cookies) { try imply("Cookie", cookies) }
    if let range = options.range { try imply("Range", "bytes=\(range.text)") }
  }

  private mutating func imply(_ name: String, _ value: String) throws(CommandError) {
    try imply(name, Array(value.utf8))
  }

  private mutating func imply(_ name: String, _ value: [UInt8]) throws(CommandError) {
    guard !headers.contains(name), !omitted.contains(where: { $0.lowercased() == name.lowercased() }) else { return }
    try add(name, value)
  }

  // MARK: Requests

  func request(
    to url: HTTPURL, onRead: @escaping @Sendable (Int) -> Void, onEvent: @escaping @Sendable (ExchangeEvent) -> Void
  ) -> HTTPRequest {
    let credentials = credentials.credentials(for: url)
    let url = credentials == nil ? url : url.removingUserinfo()
    var request = HTTPRequest(method: method, url: url, headers: headers, body: body.makeBody(onRead: onRead))
    request.options.credentials = credentials
    request.options.omittedDefaultHeaders = omitted
    request.options.expectsContinue = expectsContinue
    request.options.onEvent = onEvent
    return request
  }
}
