import CLinnetAllocationCounter
import FoundationEssentials
import Glibc
import Linnet

/// What a workload does with each response.
enum WorkloadMode: String, CaseIterable, Sendable {
  /// Small keep-alive GETs over HTTP/1.1, each body read to its end.
  case h1
  /// The same over one HTTP/2 connection, C requests at a time on it; in cleartext by prior knowledge.
  case h2
  /// Whole downloads, streamed to nowhere.
  case dl1
  /// The same over one HTTP/2 connection.
  case dl2
  /// A new TLS connection for each request, without resumption.
  case new
  /// A new TLS connection for each request, with resumption.
  case newr
  /// A decoded body.
  case gzip
  /// A typed decode of the body.
  case json
  /// N connections that are used once and left idle.
  case idle
  /// As h1, through the typed client's whole pipeline; the response is the body as `Data`.
  case typed
  /// As json, through the typed client's whole pipeline.
  case typedjson

  var usesHTTP2: Bool { self == .h2 || self == .dl2 }
}

/// The endpoint of the typed workloads.
private struct Probe<Response: Decodable & Sendable>: APIDefinition {
  typealias APIResponse = Response
  let method = HTTPMethod.get
  let path: String
  let sessionAuthentication = SessionAuthentication.anonymous
}

/// One client workload: N requests, C at a time, measured after a warm-up.
struct ClientWorkload: Sendable {
  private let mode: WorkloadMode
  private let url: HTTPURL
  private let requests: Int
  private let concurrency: Int

  init?(arguments: [String]) {
    guard arguments.count == 4, let mode = WorkloadMode(rawValue: arguments[0]), let url = try? HTTPURL(arguments[1]),
      let requests = Int(arguments[2]), let concurrency = Int(arguments[3]), requests > 0, concurrency > 0
    else { return nil }
    self.mode = mode
    self.url = url
    self.requests = requests
    self.concurrency = mode == .idle ? requests : concurrency
  }

  private var configuration: HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    configuration.pool.maximumConnectionsPerOrigin = mode.usesHTTP2 ? 1 : max(concurrency, 1)
    configuration.httpVersion = mode.usesHTTP2 ? .http2PriorKnowledge : .http1Only
    configuration.http2.maximumConcurrentStreams = max(concurrency, 1)
    configuration.pool.maximumIdleConnectionsPerOrigin = max(concurrency, 1)
    configuration.pool.maximumConcurrentDials = 64
    if mode != .gzip { configuration.decompression = .disabled }
    if mode == .new { configuration.tls.resumesSessions = false }
    if let bundle = getenv("BENCH_CA") { configuration.tls.trustRoots = .only([.file(String(cString: bundle))]) }
    return configuration
  }

  private var warmUp: Int {
    switch mode {
    case .dl1, .dl2, .new, .idle: 0
    case .newr: 1
    case .h1, .h2, .gzip, .json, .typed, .typedjson: max(min(requests / 10, 2000), concurrency)
    }
  }

  /// Runs the workload and returns its JSON report. Off the main actor, whose thread would be one more hop per request.
  @concurrent
  func run() async throws -> String {
    let client = Clients(configuration: configuration, url: url)
    if warmUp > 0 { _ = try await drive(client, warmUp) }
    let before = Measurement.residentKilobytes()
    if getenv("LINNET_COUNT_ALLOCATIONS") != nil { linnet_allocation_counter_start() }
    var measurement = Measurement(expected: requests)
    for result in try await drive(client, requests) { measurement.merge(result) }
    measurement.stop()
    let allocations = linnet_allocation_count()
    var extra = allocations > 0 ? ",\"allocations_per_req\":\(Double(allocations) / Double(requests))" : ""
    if mode == .idle {
      let perConnection = Double(Measurement.residentKilobytes() - before) / Double(requests)
      extra += ",\"rss_kb_per_conn\":\(perConnection)"
    }
    // How many connections there are: one over HTTP/2, N idle ones.
    if mode == .idle || mode.usesHTTP2 { extra += ",\"socks\":\(Measurement.socketCount())" }
    let report = measurement.report(mode: mode, requests: requests, concurrency: concurrency, extra: extra)
    await client.raw.shutdown(grace: .zero)
    return report
  }

  private func drive(_ client: Clients, _ total: Int) async throws -> [WorkerResult] {
    let workers = min(concurrency, total)
    guard workers > 1 else { return [try await work(client, total)] }
    return try await withThrowingTaskGroup(of: WorkerResult.self) { group in
      for index in 0..<workers {
        let share = total / workers + (index < total % workers ? 1 : 0)
        group.addTask { try await work(client, share) }
      }
      var results: [WorkerResult] = []
      for try await result in group { results.append(result) }
      return results
    }
  }

  private func work(_ client: Clients, _ count: Int) async throws -> WorkerResult {
    var request = HTTPRequest(url: url)
    if mode == .new || mode == .newr { request.headers.add("Connection", "close") }
    request.options.timeouts.responseHead = .unlimited
    var result = WorkerResult()
    result.latencies.reserveCapacity(count)
    for _ in 0..<count {
      let start = Measurement.now()
      switch mode {
      case .typed: result.bytes += try await client.typed.request(Probe<Data>(path: url.path)).count
      case .typedjson: result.bytes += try await client.typed.request(Probe<[Item]>(path: url.path)).count
      default:
        let response = try await client.raw.send(request)
        guard response.status.code == 200 else {
          result.errors += 1
          continue
        }
        result.bytes += try await consume(response)
      }
      result.latencies.append(UInt32(min((Measurement.now() - start) * 1e9, Double(UInt32.max))))
    }
    return result
  }

  private func consume(_ response: HTTPResponse) async throws -> Int {
    if mode == .json {
      let body = try await response.collect()
      return try JSONDecoder().decode([Item].self, from: Data(body)).count
    }
    var bytes = 0
    while let chunk = try await response.body.next() { bytes += chunk.count }
    return bytes
  }
}

/// The raw client, and the typed one on top of it.
private struct Clients: Sendable {
  let raw: HTTPClient
  let typed: DefaultNetworkClient

  init(configuration: HTTPClientConfiguration, url: HTTPURL) {
    raw = HTTPClient(configuration: configuration)
    let base = URL(string: "\(url.scheme.rawValue)://\(url.hostHeaderValue)") ?? URL(filePath: "/")
    let network = NetworkConfiguration.advanced(
      baseURL: base,
      resilience: ResiliencePack(bodyBuffering: .streaming(maxBytes: nil)),
      transport: TransportPack(allowsInsecureHTTP: true))
    typed = DefaultNetworkClient(configuration: network, transport: raw)
  }
}
