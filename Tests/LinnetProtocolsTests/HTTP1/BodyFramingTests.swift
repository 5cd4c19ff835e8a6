import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("HTTP/1 body framing")
struct BodyFramingTests {
  private func decide(
    _ code: Int, _ fields: [(String, String)], method: HTTPMethod = .get, version: HTTPVersion = .http1_1
  ) throws -> BodyFraming.Decision {
    let status = try #require(HTTPStatus(code: code))
    return try BodyFraming.decide(
      ResponseHead(version: version, status: status, headers: HTTPHeaders(unchecked: fields)), to: method)
  }

  @Test(
    "no body whatever the fields say: 1xx, 204, 304, HEAD",
    arguments: [
      (100, .get), (103, .post), (204, .get), (304, .get), (200, .head), (404, .head), (304, .head), (103, .connect),
    ] as [(Int, HTTPMethod)])
  func noBody(code: Int, method: HTTPMethod) throws {
    for fields in [
      [], [("Content-Length", "10")], [("Transfer-Encoding", "chunked")], [("Content-Length", "x")],
      [("Content-Length", "1"), ("Content-Length", "2")],
    ] as [[(String, String)]] {
      #expect(
        try decide(code, fields, method: method) == BodyFraming.Decision(framing: .none, isReusable: true))
    }
  }

  @Test("101 and 2xx to CONNECT make a tunnel, whatever the fields say")
  func tunnel() throws {
    let tunnel = BodyFraming.Decision(framing: .tunnel, isReusable: false)
    for fields in [[], [("Content-Length", "10")], [("Transfer-Encoding", "chunked")]] as [[(String, String)]] {
      #expect(try decide(101, fields) == tunnel)
      #expect(try decide(200, fields, method: .connect) == tunnel)
      #expect(try decide(299, fields, method: .connect) == tunnel)
      #expect(try decide(204, fields, method: .connect) == tunnel)
    }
    #expect(try decide(407, [("Content-Length", "3")], method: .connect).framing == .length(3))
  }

  @Test(
    "Transfer-Encoding decides when it is there",
    arguments: [
      (["chunked"], .chunked, true), (["Chunked"], .chunked, true), (["CHUNKED"], .chunked, true),
      ([" gzip , chunked"], .chunked, true), (["gzip", "chunked"], .chunked, true), ([",chunked,"], .chunked, true),
      (["chunked, gzip"], .untilClose, false), (["chunked", "identity"], .untilClose, false),
      (["gzip"], .untilClose, false), (["identity"], .untilClose, false), (["chunkedchunked"], .untilClose, false),
      (["xchunked"], .untilClose, false), (["chunked;a=b"], .untilClose, false), (["chunked abc"], .untilClose, false),
    ] as [([String], BodyFraming, Bool)])
  func transferEncoding(values: [String], framing: BodyFraming, isReusable: Bool) throws {
    let fields = values.map { ("Transfer-Encoding", $0) }
    #expect(try decide(200, fields) == BodyFraming.Decision(framing: framing, isReusable: isReusable))
  }

  @Test(
    "a Transfer-Encoding that is no list of codings is refused",
    arguments: [[""], [" , "], ["chunked, chunked"], ["chunked", "chunked"], ["\"chunked\""], ["=, chunked"]])
  func invalidTransferEncoding(values: [String]) {
    let fields = values.map { ("Transfer-Encoding", $0) }
    #expect(throws: HTTP1Error.remote(.invalidTransferEncoding)) { try decide(200, fields) }
  }

  @Test("Transfer-Encoding wins over Content-Length, and the connection ends after it")
  func bothFields() throws {
    for length in ["3", "x", "0"] {
      #expect(
        try decide(200, [("Content-Length", length), ("Transfer-Encoding", "chunked")])
          == BodyFraming.Decision(framing: .chunked, isReusable: false))
      #expect(
        try decide(200, [("Transfer-Encoding", "gzip"), ("Content-Length", length)])
          == BodyFraming.Decision(framing: .untilClose, isReusable: false))
    }
  }

  @Test("Transfer-Encoding in HTTP/1.0 is faulty: decoded, and the connection ends after it")
  func transferEncodingInHTTP10() throws {
    #expect(
      try decide(200, [("Transfer-Encoding", "chunked")], version: .http1_0)
        == BodyFraming.Decision(framing: .chunked, isReusable: false))
  }

  @Test(
    "a valid Content-Length",
    arguments: [
      (["0"], 0), (["5"], 5), (["5", "5"], 5), (["5, 5"], 5), (["5,5", "5"], 5), (["005"], 5), (["5", "05"], 5),
      ([" 42\t"], 42), (["18446744073709551615"], UInt64.max), (["000000000000000000000000000007"], 7),
    ] as [([String], UInt64)])
  func contentLength(values: [String], length: UInt64) throws {
    let fields = values.map { ("Content-Length", $0) }
    #expect(try decide(200, fields) == BodyFraming.Decision(framing: .length(length), isReusable: true))
  }

  @Test(
    "an invalid Content-Length is refused",
    arguments: [
      "+5", "-5", "0x5", "5a", "", " ", "5 5", "5,", ",5", "5,,5", "5;5", "5.0", "1e3", "٥", "99999999999999999999",
      "18446744073709551616", "5, x",
    ])
  func invalidContentLength(value: String) {
    #expect(throws: HTTP1Error.remote(.invalidContentLength)) { try decide(200, [("Content-Length", value)]) }
  }

  @Test(
    "differing Content-Length values are refused", arguments: [["5", "6"], ["5, 6"], ["5", "5", "6"], ["0", "5"]])
  func conflictingLengths(values: [String]) {
    let fields = values.map { ("Content-Length", $0) }
    #expect(throws: HTTP1Error.remote(.conflictingLengths)) { try decide(200, fields) }
  }

  @Test("without framing fields the body ends with the connection")
  func untilClose() throws {
    #expect(
      try decide(200, [("Content-Length-X", "0")]) == BodyFraming.Decision(framing: .untilClose, isReusable: false))
    #expect(try decide(200, [], version: .http1_0).framing == .untilClose)
    #expect(try decide(205, []).framing == .untilClose)
  }
}
