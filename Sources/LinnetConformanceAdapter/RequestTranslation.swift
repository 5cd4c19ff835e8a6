import LinnetHTTP

/// From the adapter protocol to the client's vocabulary.
extension AdapterRequest {
  func makeRequest() throws -> HTTPRequest {
    guard let method = HTTPMethod(rawValue: method) else { throw Refusal.invalid("method \(method)") }
    var request = HTTPRequest(method: method, url: url)
    request.body = body.map { .bytes($0) }
    for field in headers {
      guard field.count == 2 else { throw Refusal.invalid("headers") }
      if let body, field[0].lowercased() == "transfer-encoding", field[1].lowercased() == "chunked" {
        // The client makes this field itself for a body whose length it is not told.
        request.body = .stream { Self.stream(of: body) }
      } else {
        try Latin1.add(name: field[0], value: field[1], to: &request.headers)
      }
    }
    request.options.timeouts.total = .after(.milliseconds(Int64(timeout * 1000)))
    request.options.httpVersion = httpVersion
    request.options.redirects = followsRedirects ? .follow : .manual
    request.options.redirects?.maximumHops = maximumRedirects
    request.options.decompression = decompress ? .automatic(DecompressionConfiguration()) : .disabled
    if let unix { request.options.connectTarget = .unixSocket(unix) }
    if let connectTo { request.options.connectTarget = try Self.target(connectTo) }
    if let tls { try apply(tls, to: &request) }
    request.options.credentials = auth?.credentials
    if let proxy { request.options.proxy = try proxyConfiguration(proxy) }
    return request
  }

  private func proxyConfiguration(_ text: String) throws -> ProxyConfiguration {
    var proxy = try HTTPProxy(text)
    for field in proxyHeaders {
      guard field.count == 2 else { throw Refusal.invalid("proxy_headers") }
      try Latin1.add(name: field[0], value: field[1], to: &proxy.headers)
    }
    var configuration = ProxyConfiguration.fixed(proxy)
    configuration.tunnelsHTTP = tunnelsHTTP
    return configuration
  }

  private static func stream(of bytes: [UInt8]) -> AsyncStream<ByteChunk> {
    AsyncStream { continuation in
      continuation.yield(ByteChunk(bytes))
      continuation.finish()
    }
  }

  private func apply(_ tls: TLS, to request: inout HTTPRequest) throws {
    var configuration = TLSConfiguration()
    if let ca = tls.ca { configuration.trustRoots = .only([.file(ca)]) }
    if let certificate = tls.cert {
      configuration.clientIdentity = TLSConfiguration.ClientIdentity(
        certificates: .file(certificate), privateKey: tls.key.map { .file($0) })
    }
    switch tls.min {
    case nil, "1.2": break
    case "1.3": configuration.minimumVersion = .tls13
    case let version?: throw Refusal.unsupported("tls min \(version)")
    }
    configuration.serverName = tls.verifyHost
    // The protocol writes one slash where the pins of curl have two.
    configuration.pinnedPublicKeys = Set(
      try tls.pins.map { try PublicKeyPin("sha256//\($0.split(separator: "/", maxSplits: 1).last ?? "")") })
    request.options.tls = configuration
  }

  private static func target(_ text: String) throws -> ConnectTarget {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else {
      throw Refusal.invalid("connect_to \(text)")
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return .host(String(host), port: port)
  }
}
