import FoundationEssentials
import LinnetHTTP

/// Carries out requests and keeps what the process keeps between them: the client with its connections.
actor ExchangeRunner {
  /// One client for each set of name overrides, which are a setting of a client and not of a request.
  private var clients: [[String: String]: HTTPClient] = [:]
  /// The cookies of the process.
  private let jar = CookieJar()

  nonisolated func reply(toLine line: String) async -> AdapterReply {
    let bytes = Data(line.utf8)
    let decoder = JSONDecoder()
    var reply = AdapterReply(id: (try? decoder.decode(AdapterRequestID.self, from: bytes))?.id ?? -1)
    do {
      let line = try decoder.decode(AdapterRequest.self, from: bytes)
      try await run(line, into: &reply)
    } catch AdapterRequest.Refusal.unsupported(let what) {
      reply.error = AdapterReply.Failure(kind: "unsupported", message: what)
    } catch AdapterRequest.Refusal.invalid(let what) {
      reply.error = AdapterReply.Failure(kind: "other", message: "invalid \(what)")
    } catch let error as TransportError {
      reply.error = AdapterReply.Failure(kind: error.adapterKind, message: error.description)
    } catch {
      reply.error = AdapterReply.Failure(kind: "other", message: "\(error)")
    }
    return reply
  }

  private nonisolated func run(_ line: AdapterRequest, into reply: inout AdapterReply) async throws {
    var request = try line.makeRequest()
    if line.usesJar || line.cookieFile != nil { request.options.cookies = .jar(jar) }
    if let file = line.cookieFile { await jar.load(netscape: file) }
    let (interims, events) = AsyncStream.makeStream(of: ResponseHead.self)
    request.options.onEvent = { event in
      if case .interim(let head) = event { events.yield(head) }
    }
    let result: Result<HTTPResponse, TransportError>
    do throws(TransportError) {
      result = .success(try await client(resolving: line.resolve).send(request))
    } catch {
      result = .failure(error)
    }
    events.finish()
    for await head in interims { reply.interim.append(AdapterReply.Interim(head)) }

    let response = try result.get()
    reply.take(response)
    reply.body = []
    if let limit = line.maximumBody {
      reply.body = try await response.collect(upTo: limit).array
    } else {
      for try await chunk in response.body { reply.body?.append(contentsOf: chunk) }
    }
    reply.trailers = response.body.trailers.map(Latin1.fields) ?? []
  }

  private func client(resolving overrides: [String: String]) -> HTTPClient {
    if let client = clients[overrides] { return client }
    var configuration = HTTPClientConfiguration()
    configuration.resolveOverrides = overrides.mapValues { [$0] }
    let client = HTTPClient(configuration: configuration)
    clients[overrides] = client
    return client
  }
}
