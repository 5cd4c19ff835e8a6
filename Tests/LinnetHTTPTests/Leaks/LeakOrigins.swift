import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetTestSupport

/// The servers of a harness run: two cleartext ports, two of TLS, and a proxy. Names tell more origins apart: another port,
/// another scheme, a sub-domain, another host, an address.
final class LeakOrigins: Sendable {
  let ledger = LeakLedger()
  let certificates: TestCertificates
  let resolver = FakeResolver()
  let origins: [LeakOrigin]
  private let servers: [ScriptedServer]
  let proxy: ScriptedServer
  let chains = Lock<[Int: LeakChain]>([:])
  /// `Set-Cookie` values of an origin for a client.
  private let cookies = Lock<[Int: [LeakOrigin: [String]]]>([:])

  init() throws {
    certificates = try TestCertificates()
    let names = ["home.test", "sub.home.test", "other.test"]
    let holder = Lock<LeakOrigins?>(nil)
    let script = ServerScript.handler { request in
      holder.withLock { $0 }?.answer(request, isAtProxy: false) ?? ServerResponse(500)
    }
    var plain = ScriptedServer.Options()
    plain.acceptsHTTP2PriorKnowledge = true
    plain.recordLimit = 1 << 20
    var secure = plain
    var tls = ServerTLS(try certificates.server(dnsNames: names, ipAddresses: ["127.0.0.1"]))
    tls.applicationProtocols = ["h2", "http/1.1"]
    tls.clientAuthority = certificates.authority
    tls.acceptsMissingClientCertificate = true
    secure.tls = tls
    servers = [
      try ScriptedServer.start(script, options: plain), try ScriptedServer.start(script, options: plain),
      try ScriptedServer.start(script, options: secure), try ScriptedServer.start(script, options: secure),
    ]
    let ports = servers.map(\.port)
    proxy = try ScriptedServer.start(
      .handler { request in
        guard request.method == "CONNECT" else {
          return holder.withLock { $0 }?.answer(request, isAtProxy: true) ?? ServerResponse(500)
        }
        holder.withLock { $0 }?.noteConnect(request)
        let port = request.target.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        guard ports.contains(port) else { return ServerResponse(502) }
        return .raw([.send("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: port, frozenBy: Gate())])
      })
    origins = [
      LeakOrigin(isSecure: false, host: "home.test", port: ports[0]),
      LeakOrigin(isSecure: false, host: "home.test", port: ports[1]),
      LeakOrigin(isSecure: true, host: "home.test", port: ports[2]),
      LeakOrigin(isSecure: false, host: "sub.home.test", port: ports[0]),
      LeakOrigin(isSecure: true, host: "sub.home.test", port: ports[2]),
      LeakOrigin(isSecure: false, host: "other.test", port: ports[0]),
      LeakOrigin(isSecure: true, host: "other.test", port: ports[3]),
      LeakOrigin(isSecure: false, host: "127.0.0.1", port: ports[1]),
    ]
    for name in names { resolver.set([.loopbackIPv4(port: 0)], for: name) }
    self.holder = holder
    holder.withLock { $0 = self }
  }

  private let holder: Lock<LeakOrigins?>

  func stop() {
    for server in servers { server.stop() }
    proxy.stop()
    holder.withLock { $0 = nil }
  }

  func add(_ chain: LeakChain) { chains.withLock { $0[chain.number] = chain } }

  func setCookies(_ values: [LeakOrigin: [String]], forClient client: Int) {
    cookies.withLock { $0[client] = values }
  }

  /// What the servers themselves found wrong, and requests that did not come to their end.
  var complaints: [String] {
    (servers + [proxy]).flatMap { server in
      let snapshot = server.snapshot
      let incomplete = snapshot.headCount - snapshot.requestCount
      return snapshot.violations + (incomplete == 0 ? [] : ["\(incomplete) requests did not end"])
    }
  }

  // MARK: Answers

  private func noteConnect(_ request: RecordedRequest) {
    ledger.note(
      Self.bytes(of: request), LeakSighting(client: -1, chain: -1, step: -1, origin: nil, isAtProxy: true))
  }

  private func answer(_ request: RecordedRequest, isAtProxy: Bool) -> ServerResponse {
    guard let (origin, path) = target(of: request, isAtProxy: isAtProxy) else {
      ledger.fail("a request names no origin: \(request.target) \(request.authority ?? "")")
      return ServerResponse(500)
    }
    let parts = path.split(separator: "/")
    guard parts.count == 3, let number = Int(parts[1]), let step = Int(parts[2]),
      let chain = chains.withLock({ $0[number] }), chain.steps.indices.contains(step)
    else {
      ledger.fail("a request belongs to no chain: \(path)")
      return ServerResponse(500)
    }
    if chain.steps[step].origin != origin { ledger.fail("step \(step) of chain \(number) came to \(origin)") }
    ledger.note(
      Self.bytes(of: request),
      LeakSighting(client: chain.client, chain: number, step: step, origin: origin, isAtProxy: isAtProxy))
    var response = self.response(to: request, chain, step)
    for cookie in cookies.withLock({ $0[chain.client]?[origin] ?? [] }) {
      response = response.adding("Set-Cookie", cookie)
    }
    return response
  }

  private func response(to request: RecordedRequest, _ chain: LeakChain, _ step: Int) -> ServerResponse {
    switch chain.steps[step].challenge {
    case .basic where request.headers["Authorization"] == nil:
      return ServerResponse(401).adding("WWW-Authenticate", "Basic realm=\"leak\"")
    case .digest where request.headers["Authorization"] == nil:
      return ServerResponse(401).adding(
        "WWW-Authenticate", "Digest realm=\"leak\", nonce=\"n\(chain.number)\", qop=\"auth\", algorithm=SHA-256")
    case .proxy where request.headers["Proxy-Authorization"] == nil:
      return ServerResponse(407).adding("Proxy-Authenticate", "Basic realm=\"leak\"")
    default: break
    }
    return chain.location(after: step).map { .redirect(chain.steps[step].status, to: $0) } ?? .text("end")
  }

  private func target(of request: RecordedRequest, isAtProxy: Bool) -> (LeakOrigin, String)? {
    guard isAtProxy else {
      return origin(request.authority ?? "", isSecure: request.tls != nil).map { ($0, request.path) }
    }
    let scheme = "http://"
    guard request.path.utf8.starts(with: scheme.utf8) else { return nil }
    let rest = request.path.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    return origin(String(authority), isSecure: false).map { ($0, String(rest.dropFirst(authority.count))) }
  }

  private func origin(_ authority: String, isSecure: Bool) -> LeakOrigin? {
    origins.first { $0.isSecure == isSecure && $0.authority == authority }
  }

  /// Everything that a request says, and what its Basic credentials stand for.
  private static func bytes(of request: RecordedRequest) -> [UInt8] {
    var bytes = request.headBytes + request.targetBytes + (request.body.bytes ?? [])
    for header in request.headers + request.trailers {
      bytes += Array("\n\(header)".utf8)
      if header.value.utf8.starts(with: "Basic ".utf8) {
        bytes += Base64.decode(Array(header.value.utf8.dropFirst(6))) ?? []
      }
    }
    return bytes + Array((request.tls?.clientCertificateSubject ?? "").utf8)
  }
}
