import LinnetHTTP2
import Testing

@Suite("HTTP/2 error codes")
struct HTTP2ErrorCodeTests {
  @Test("have their registered names; unknown ones are shown as numbers")
  func names() {
    #expect(HTTP2ErrorCode.refusedStream.description == "REFUSED_STREAM")
    #expect(HTTP2ErrorCode(rawValue: 0x1f).description == "0x1f")
  }
}
