import LinnetCLI
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("What -w knows", .timeLimit(.minutes(1)))
struct ReportTests {
  private func text(_ template: String, _ change: (inout TransferReport) -> Void) -> String {
    var report = TransferReport(url: "http://a/")
    change(&report)
    return WriteOut.format(Argument(template), report).parts.map(\.text).joined()
  }

  @Test("redirections, proxies and numbers have their variables")
  func variables() {
    let result = text(
      "%{num_redirects} %{redirect_url} %{time_redirect} %{proxy_used} %{http_connect} %{urlnum} %{referer} "
        + "%{num_retries} %{size_header} %{size_request} %{ssl_verify_result} %{proxy_ssl_verify_result}"
    ) { report in
      report.redirectCount = 2
      report.redirectURL = "http://b/"
      report.redirectTime = .milliseconds(1250)
      report.usesProxy = true
      report.proxyStatus = 200
      report.number = 3
      report.referer = "http://r/"
      report.resendCount = 1
      report.headBytes = 40
      report.requestBytes = 50
      report.exitCode = .certificateRejected
    }
    #expect(result == "2 http://b/ 1.250000 1 200 3 http://r/ 1 40 50 1 0")
    #expect(text("%{http_connect} %{proxy_used} %{num_redirects}") { _ in } == "000 0 0")
  }

  @Test("%{header_json} lists the values of each name in lower case")
  func headerJSON() {
    let json = text("%{header_json}") { report in
      report.headers = HTTPHeaders([
        HTTPHeader("Set-Cookie", "a"), HTTPHeader("X", "\""), HTTPHeader("set-cookie", "b"),
      ])
    }
    #expect(json == #"{"set-cookie":["a","b"],"x":["\""]}"#)
    #expect(text("%{header_json}") { _ in } == "{}")
  }

  @Test("the report of a transfer counts heads and tells where a redirection that is not followed leads")
  func transfer() async throws {
    let script = ServerScript.handler { _ in .redirect(to: "/next?x#f") }
    try await ScriptedServer.with(script) { server async throws in
      let result = try await CommandRun.linnet(
        "-s", "-A", "x", "-w", "%{redirect_url} %{size_header} %{size_request} %{num_redirects} %{num_headers}",
        server.url("/a"))
      let head = "HTTP/1.1 302 Found\r\nLocation: /next?x#f\r\nContent-Length: 0\r\n\r\n"
      let request = try #require(server.snapshot.requests.first)
      #expect(
        result.output == "\(server.url("/next?x#f")) \(head.utf8.count) \(request.headBytes.count) 0 2")
    }
  }
}
