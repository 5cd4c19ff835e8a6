internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP
internal import LinnetProtocols

/// Makes the request of an attempt: URL, headers and body from the endpoint, then the interceptors, then admission.
final class RequestPreparation: Sendable {
  /// A request that may be sent.
  struct Prepared: Sendable {
    let request: HTTPRequest
    /// Its URL, which was admitted.
    let url: HTTPURL
    /// Whether it goes to the base URL's origin.
    let isOwnOrigin: Bool
  }

  let settings: NetworkSettings
  /// The admitted base URL, or why it is none.
  let base: Result<HTTPURL, NetworkError>
  let clientHeaders: ClientHeaders
  private let admission: URLAdmission
  private let clientQuery: String?
  private let credentialNames: Set<String>
  private let sessionHeaders: HTTPHeaders
  private let transportHeaders: HTTPHeaders
  private let foreignTLS: TLSConfiguration?
  /// The options of requests whose endpoint has no timeout of its own; an error when the client's is none.
  private let standardOptions: Result<HTTPRequestOptions, NetworkError>

  /// - Parameters:
  ///   - sessionHeaders: Headers that the engine adds on behalf of the application; they are not sent to another origin
  ///     either.
  ///   - addsSessionHeaders: Whether requests get them here already, so that caches, signers and the sharing of
  ///     exchanges see what will be sent.
  ///   - foreignTLS: The TLS settings for other origins: those of the engine without its client certificate. Nil when it
  ///     has none.
  init(
    settings: NetworkSettings, clientHeaders: ClientHeaders, sessionHeaders: HTTPHeaders, addsSessionHeaders: Bool,
    foreignTLS: TLSConfiguration?
  ) {
    self.foreignTLS = foreignTLS
    self.settings = settings
    self.clientHeaders = clientHeaders
    let admission = URLAdmission(allowsInsecure: settings.allowsInsecureHTTP)
    self.admission = admission
    base = Result { () throws(NetworkError) in try admission.admit(settings.baseURL.absoluteString) }
    clientQuery = Self.query(of: settings.queryItems)
    credentialNames = RedirectRules.credentialNames.union(settings.sensitiveHeaderNames.map(\.asciiLowercased))
    self.sessionHeaders = sessionHeaders
    transportHeaders = addsSessionHeaders ? sessionHeaders : HTTPHeaders()
    standardOptions = Result { () throws(NetworkError) in
      var options = HTTPRequestOptions()
      try options.inheritSilence(settings.timeout)
      return options
    }
  }

  /// - Throws: ``NetworkError/configuration(reason:)`` when the request must not be sent as it stands, and what an
  ///   interceptor throws.
  func prepare(
    _ blueprint: RequestBlueprint, call: CallContext, idempotencyKey: String?, events: RequestEvents,
    record: inout AttemptRecord
  ) async throws(NetworkError) -> Prepared {
    var bound = OriginBoundFields()
    var (built, url) = try await build(blueprint, &bound)
    settings.idempotency.attach(idempotencyKey, to: &built)
    events.started(built, retryIndex: call.retryIndex)
    record.request = built
    var request = built
    let before = request.headers
    for interceptor in settings.requestInterceptors { request = try await adapt(request, by: interceptor) }
    if !settings.requestInterceptors.isEmpty {
      bound.note(credentials: credentialNames, changedFrom: before, to: request.headers)
    }
    for interceptor in blueprint.requestInterceptors { request = try await adapt(request, by: interceptor) }
    let final = request.goes(to: url) ? url : try admission.admit(request.url)
    let isOwnOrigin = try base.get().isSameOrigin(as: final)
    if isOwnOrigin {
      request.addAbsent(transportHeaders)
    } else {
      bound.remove(from: &request.headers)
      request.options.omittedDefaultHeaders += sessionHeaders.map(\.name)
      // An endpoint has no TLS settings of its own; a request that was made by hand knows what it shows to whom.
      if request.options.tls == nil { request.options.tls = foreignTLS }
    }
    guard request.body == nil || request.method.allowsBody else {
      throw .configuration(reason: .invalidRequest("a \(request.method.rawValue) request has no body"))
    }
    request.headers.collapseSingleValueFields()
    let prepared = HTTPRequest(
      method: request.method, url: final, headers: request.headers, body: request.body, options: request.options)
    record.request = prepared
    return Prepared(request: prepared, url: final, isOwnOrigin: isOwnOrigin)
  }

  /// Admits the URL of a request that was changed after its preparation. It has the session's token and the client's
  /// headers by then, so it must stay at its origin: an interceptor, which comes before them, may lead it elsewhere.
  ///
  /// - Throws: ``NetworkError/configuration(reason:)``.
  @inline(never)
  func readmit(_ request: HTTPRequest, insteadOf admitted: HTTPURL, by culprit: String) throws(NetworkError) {
    guard !request.goes(to: admitted) else { return }
    let url = try admission.admit(request.url)
    guard url.isSameOrigin(as: admitted) else {
      throw .configuration(
        reason: .invalidRequest(
          "\(culprit) led the request from its origin to \(url.origin), and its credentials with it; "
            + "change the host in a RequestInterceptor"))
    }
  }

  private func adapt(
    _ request: HTTPRequest, by interceptor: any RequestInterceptor
  ) async throws(NetworkError) -> HTTPRequest {
    do {
      return try await interceptor.adapt(request)
    } catch {
      throw .ofUserCode(error)
    }
  }

  // MARK: Building

  private func build(
    _ blueprint: RequestBlueprint, _ bound: inout OriginBoundFields
  ) async throws(NetworkError) -> (HTTPRequest, HTTPURL) {
    let base = try base.get()
    let isOwnOrigin: Bool
    var absolute: HTTPURL?
    let outline = blueprint.outline()
    let target = outline.target
    switch target {
    case .path: isOwnOrigin = true
    case .absolute(let text):
      let url = try admission.admit(text)
      absolute = url
      isOwnOrigin = url.isSameOrigin(as: base)
    case .request(let request):
      let url = try admission.admit(request.url)
      absolute = url
      isOwnOrigin = url.isSameOrigin(as: base)
    }
    let payload = try await blueprint.payload(isOwnOrigin ? clientParameters : nil)
    let url = try self.url(target, absolute, base: base, payload: payload, isOwnOrigin: isOwnOrigin)
    let (headers, omitted) = self.headers(outline.headers, payload, blueprint, isOwnOrigin: isOwnOrigin, &bound)
    var request = HTTPRequest(method: blueprint.method, url: url, headers: headers)
    if case .body(let body, _) = payload { request.body = body }
    request.options = try options(target, silence: blueprint.timeoutOverride)
    if !omitted.isEmpty { request.options.omittedDefaultHeaders += omitted }
    return (request, url)
  }

  private func options(
    _ target: RequestBlueprint.Target, silence: Double?
  ) throws(NetworkError) -> HTTPRequestOptions {
    var options: HTTPRequestOptions
    if case .request(let given) = target {
      options = given.options
    } else {
      guard silence != nil else { return try standardOptions.get() }
      options = HTTPRequestOptions()
    }
    try options.inheritSilence(silence ?? settings.timeout)
    return options
  }

  private var clientParameters: ClientParameters? {
    settings.bodyParameters.isEmpty
      ? nil : ClientParameters(values: settings.bodyParameters, precedence: settings.bodyParameterPrecedence)
  }

  private func url(
    _ target: RequestBlueprint.Target, _ absolute: HTTPURL?, base: HTTPURL, payload: RequestPayload, isOwnOrigin: Bool
  ) throws(NetworkError) -> HTTPURL {
    var query = ""
    if case .query(let own) = payload { query = own }
    if isOwnOrigin, let clientQuery { query += query.isEmpty ? clientQuery : "&\(clientQuery)" }
    switch target {
    case .path(let path): return try EndpointPath.url(base: base, path: path, query: query.isEmpty ? nil : query)
    case .absolute, .request:
      guard let absolute else { return base }
      guard !query.isEmpty else { return absolute }
      return try admission.admit("\(absolute)\(absolute.query == nil ? "?" : "&")\(query)")
    }
  }

  /// The headers before interceptors, and the names of the engine's defaults that are not to be sent.
  private func headers(
    _ endpoint: HTTPHeaders, _ payload: RequestPayload, _ blueprint: RequestBlueprint, isOwnOrigin: Bool,
    _ bound: inout OriginBoundFields
  ) -> (HTTPHeaders, omitted: [String]) {
    var (headers, omitted) = libraryDefaults()
    var own = endpoint
    LibraryHeaders.removeDefaults(from: &own)
    if isOwnOrigin {
      let client = clientHeaders.current
      headers.replaceFields(with: client)
      bound.note(clientHeaders: client, unless: own)
    }
    headers.replaceFields(with: own)
    if case .body(_, let contentType?) = payload { headers.update(.contentType(contentType)) }
    switch blueprint.priorityOverride ?? settings.priority {
    case .normal: break
    case .background: if !headers.contains("Priority") { headers.add("Priority", "u=5") }
    case .userInitiated: if !headers.contains("Priority") { headers.add("Priority", "u=1") }
    }
    headers.collapseSingleValueFields()
    if headers.contains("User-Agent") { omitted = [] }
    return (headers, omitted)
  }

  private func libraryDefaults() -> (HTTPHeaders, omitted: [String]) {
    guard settings.userAgentProvider != nil || settings.acceptLanguageProvider != nil else { return (.default, []) }
    var headers = HTTPHeaders.default
    var omitted: [String] = []
    if let provider = settings.userAgentProvider {
      let value = provider()
      headers["User-Agent"] = value
      if value == nil { omitted.append("User-Agent") }
    }
    if let provider = settings.acceptLanguageProvider { headers["Accept-Language"] = provider() }
    return (headers, omitted)
  }

  private static func query(of items: [URLQueryItem]) -> String? {
    guard !items.isEmpty else { return nil }
    return items.map { item in
      let name = RFC3986Encoding.encode(item.name)
      return item.value.map { "\(name)=\(RFC3986Encoding.encode($0))" } ?? name
    }.joined(separator: "&")
  }
}

extension HTTPRequest {
  /// Adds the headers whose names the request neither has nor wants to be without.
  fileprivate mutating func addAbsent(_ defaults: HTTPHeaders) {
    let present = headers
    for header in defaults where !present.contains(header.name) {
      guard !options.omittedDefaultHeaders.contains(where: { $0.asciiLowercased == header.name.asciiLowercased }) else {
        continue
      }
      headers.add(header)
    }
  }
}

extension NetworkError {
  /// What an interceptor, signer or policy threw. In a cancelled task it is the cancellation, whatever the code made of
  /// it.
  static func ofUserCode(_ error: any Error) -> NetworkError { Task.isCancelled ? .cancelled : .map(error) }
}
