import LinnetHTTPTypes
import Testing

@Suite("Message heads")
struct MessageHeadTests {
  @Test("versions are ordered and print as on the wire")
  func versions() {
    #expect(HTTPVersion.http1_0 < .http1_1)
    #expect(HTTPVersion.http1_1 < .http2)
    #expect([HTTPVersion.http1_0, .http1_1, .http2].map(\.description) == ["HTTP/1.0", "HTTP/1.1", "HTTP/2"])
  }

  @Test("a response head takes the registered phrase unless one is given")
  func reason() {
    #expect(ResponseHead(status: .ok).reason == "OK")
    #expect(ResponseHead(status: .ok, reason: "Fine").reason == "Fine")
    #expect(ResponseHead(status: .ok).version == .http1_1)
  }

  @Test("printing a head shows no credentials")
  func redaction() {
    let head = ResponseHead(status: .ok, headers: ["Set-Cookie": "session=topsecret", "X": "visible"])
    #expect(!"\(head)".contains("topsecret"))
    #expect("\(head)".contains("visible"))
    #expect(!String(reflecting: head).contains("topsecret"))
  }
}
