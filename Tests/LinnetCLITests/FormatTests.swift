import LinnetCLI
import LinnetHTTP
import Testing

@Suite("Formats")
struct FormatTests {
  private var report: TransferReport {
    var report = TransferReport(url: "a\"b")
    report.responseCode = 204
    report.version = "1.1"
    report.headers = ["Content-Type": "text/plain", "X-Y": "z"]
    report.totalTime = .milliseconds(1500)
    report.downloadedBytes = 3000
    report.remoteAddress = "[::1]:8080"
    report.localAddress = "127.0.0.1:99"
    return report
  }

  private func text(_ template: String) -> String {
    WriteOut.format(Argument(template), report).parts.map(\.text).joined()
  }

  @Test(
    "-w fills in variables and escapes",
    arguments: [
      ("%{http_code}\\n", "204\n"), ("%{time_total}", "1.500000"),
      ("%{size_download}\\t%{speed_download}", "3000\t2000"),
      ("100%%", "100%"), ("%{remote_ip}|%{remote_port}|%{local_ip}", "::1|8080|127.0.0.1"),
      ("%{content_type}", "text/plain"),
      ("%header{x-y}", "z"), ("%{exitcode}", "0"), ("a\\qb%", "a\\qb%"), ("%{open", "%{open"),
      ("%{http_version}", "1.1"),
      ("ok%{onerror}never", "ok"),
    ])
  func writeOut(_ template: String, _ result: String) {
    #expect(text(template) == result)
  }

  @Test("-w sends parts to stderr and back")
  func streams() {
    let parts = WriteOut.format(Argument("a%{stderr}b%{stdout}c"), report).parts
    #expect(
      parts == [
        .init(isStandardError: false, text: "a"), .init(isStandardError: true, text: "b"),
        .init(isStandardError: false, text: "c"),
      ])
  }

  @Test("-w reports variables that do not exist, and every listed one does")
  func variables() {
    #expect(WriteOut.format(Argument("%{nonsense}x"), report).unknown == ["nonsense"])
    for name in WriteOut.names { #expect(WriteOut.format(Argument("%{\(name)}"), report).unknown.isEmpty) }
    for name in [
      "http_code", "response_code", "http_version", "time_total", "time_connect", "time_appconnect", "time_namelookup",
      "time_starttransfer", "size_download", "size_upload", "speed_download", "num_connects", "method", "url",
      "url_effective", "scheme", "remote_ip", "remote_port", "local_ip", "local_port", "content_type", "errormsg",
      "exitcode",
    ] { #expect(WriteOut.names.contains(name)) }
  }

  @Test("%{json} is one object with numbers as numbers and text escaped")
  func json() {
    let json = text("%{json}")
    #expect(json.hasPrefix("{\"content_type\":\"text/plain\"") && json.hasSuffix("}"))
    #expect(json.contains("\"http_code\":204,") && json.contains("\"time_total\":1.500000,"))
    #expect(json.contains("\"url\":\"a\\\"b\""))
  }

  @Test(
    "the progress line shows part, sizes, rate and time, and fits the terminal",
    arguments: [20, 40, 80, 200], [nil, 0, 10_000_000] as [UInt64?])
  func progress(_ width: Int, _ total: UInt64?) {
    let line = ProgressBar.line(received: 5_000_000, total: total, elapsed: .seconds(2), width: width)
    #expect(line.count < width)
    if width >= 80 {
      #expect(line.contains("4.8 MiB") && line.contains("2.4 MiB/s"))
      #expect(line.contains("50%") == (total == 10_000_000))
    }
  }

  @Test("the progress line stands extremes", arguments: [0, 1, .max] as [UInt64])
  func extremes(_ received: UInt64) {
    for total in [nil, 1, .max] as [UInt64?] {
      for elapsed in [Duration.zero, .nanoseconds(1), .seconds(1_000_000_000)] {
        #expect(ProgressBar.line(received: received, total: total, elapsed: elapsed, width: 80).count < 80)
        #expect(ProgressBar.line(received: received, total: total, elapsed: elapsed, width: 0).isEmpty)
      }
    }
  }

  @Test("-v masks credentials, cookies, tokens and secret query parameters unless asked not to")
  func masked() throws {
    var head = RequestHead(method: .get, target: RequestTarget(origin: "/x?a=1&access_token=T0KEN&sig=S1G"))
    head.headers = [
      "Host": "a", "Authorization": "Bearer S3CRET", "Cookie": "id=S3CRET", "X-Api-Key": "S3CRET", "Accept": "*/*",
    ]
    let masked = VerboseOutput(showsSecrets: false, framingLine: "Content-Length: 3").text(for: .requestHead(head))
    #expect(masked.contains("> GET /x?a=1&access_token=***&sig=*** HTTP/1.1\n"))
    #expect(!masked.contains("S3CRET") && masked.contains("> Authorization: ***\n"))
    #expect(masked.contains("> Accept: */*\n") && masked.hasSuffix("> Content-Length: 3\n>\n"))
    let open = VerboseOutput(showsSecrets: true, framingLine: nil).text(for: .requestHead(head))
    #expect(open.contains("Bearer S3CRET") && open.contains("T0KEN"))
  }

  @Test("-v shows a request over HTTP/2 as it is sent: lower case, an authority, no fields of the connection")
  func requestOverHTTP2() {
    var head = RequestHead(method: .post, target: RequestTarget(origin: "/x"), version: .http2)
    head.headers = ["Host": "a:1", "User-Agent": "X/1", "Connection": "close", "Authorization": "Bearer S3CRET"]
    let sized = VerboseOutput(showsSecrets: false, framingLine: "Content-Length: 3").text(for: .requestHead(head))
    #expect(
      sized == """
        * using HTTP/2
        > POST /x HTTP/2
        > :authority: a:1
        > user-agent: X/1
        > authorization: ***
        > content-length: 3
        >

        """)
    let chunked = VerboseOutput(showsSecrets: true, framingLine: "Transfer-Encoding: chunked")
    #expect(chunked.text(for: .requestHead(head)).hasSuffix("> authorization: Bearer S3CRET\n>\n"))
  }

  @Test("-v shows a response over HTTP/2 without a reason phrase")
  func responseOverHTTP2() {
    let head = ResponseHead(version: .http2, status: .ok, reason: "", headers: ["a": "b"])
    #expect(VerboseOutput(showsSecrets: false, framingLine: nil).text(for: head) == "< HTTP/2 200\n< a: b\n<\n")
  }

  @Test("-v lets no server move the cursor")
  func controls() {
    let head = ResponseHead(status: .ok, reason: "O\u{1B}[2JK\u{9B}", headers: ["A": "b"])
    let text = VerboseOutput(showsSecrets: false, framingLine: nil).text(for: head)
    #expect(text == "< HTTP/1.1 200 O [2JK \n< A: b\n<\n")
  }
}
