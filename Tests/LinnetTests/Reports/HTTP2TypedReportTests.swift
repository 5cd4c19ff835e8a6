import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// User reports about HTTP/2, for the typed client, which follows redirects itself.
@Suite("Reports: typed client over HTTP/2", .timeLimit(.minutes(1)))
struct HTTP2TypedReportTests {
  @Test(
    "H2-01: forty parallel requests are redirected, at the same origin and to another one", arguments: [false, true])
  func redirects(isSecure: Bool) async throws {
    let certificates = try TestCertificates()
    var options = HTTP2FrameServer.Options()
    var engine = HTTPClientConfiguration()
    if isSecure {
      options.tls = ServerTLS(try certificates.loopback())
      engine.tls.trustRoots = .only([.file(certificates.authorityFile)])
    } else {
      engine.httpVersion = .http2PriorKnowledge
    }
    let other = try HTTP2FrameServer.serving(options: options) { .text("other \($0.target)") }
    defer { other.stop() }
    let otherURL = other.url("/blob")
    let home = try HTTP2FrameServer.serving(options: options) { request in
      let parts = request.target.split(separator: "/")
      guard let number = parts.last, parts.count == 2 else { return .text("?", status: 500) }
      switch parts[0] {
      case "same": return HTTP2FrameResponse(303, [HeaderLine("location", "/blob/\(number)")])
      case "other": return HTTP2FrameResponse(303, [HeaderLine("location", "\(otherURL)/\(number)")])
      default: return .text("home \(request.target)")
      }
    }
    defer { home.stop() }
    let transport = HTTPClient(configuration: engine)
    let client = DefaultNetworkClient(configuration: .local(.test(home.url("/"))), transport: transport)
    for origin in ["same", "other"] {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            let response = try await client.perform(.get(home.url("/\(origin)/\(number)")))
            #expect(response.text == (origin == "same" ? "home" : "other") + " /blob/\(number)")
            #expect(response.redirects.map(\.statusCode) == [303])
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(home.snapshot.connections.count == 1)
    #expect(other.snapshot.connections.count == 1)
    #expect(home.snapshot.violations.isEmpty && other.snapshot.violations.isEmpty)
    await client.shutdown()
    await transport.shutdown(grace: .zero)
  }
}
