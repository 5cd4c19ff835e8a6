// Written by .ci/doc-examples from Sources/LinnetHTTP/LinnetHTTP.docc/Timeouts.md: edit that.
// swift-format-ignore-file

import Linnet

enum LinnetHTTPTimeoutsExamples {
  static func example1() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.timeouts.connect = .seconds(5)
    configuration.timeouts.total = .seconds(60)
    let client = HTTPClient(configuration: configuration)
    _ = configuration
    _ = client
  }

  static func example2(client: HTTPClient) async throws {
    var report = HTTPRequest.get("https://example.com/slow-report")
    report.options.timeouts.responseHead = .after(.seconds(300))
    report.options.timeouts.total = .unlimited
    let response = try await client.send(report)
    print(response.status)
    _ = report
    _ = response
  }
}
