import Linnet
import LinnetHTTP
import Testing

@Suite("Interceptors: correlation")
struct CorrelationIDInterceptorTests {
  @Test("the identifiers of the current context are sent")
  func context() async throws {
    let context = NetworkContext(traceID: "t-1", correlationID: "c-1")
    let request = try await NetworkContext.$current.withValue(context) {
      try await CorrelationIDInterceptor().adapt(.get("https://example.com/"))
    }
    #expect(request.headers["X-Trace-ID"] == "t-1")
    #expect(request.headers["X-Correlation-ID"] == "c-1")
  }

  @Test("child tasks have the context of their parent")
  func children() async throws {
    let request = try await NetworkContext.$current.withValue(NetworkContext(traceID: "t-2")) {
      async let adapted = CorrelationIDInterceptor(traceHeader: "X-T").adapt(.get("https://example.com/"))
      return try await adapted
    }
    #expect(request.headers["x-t"] == "t-2")
    #expect(request.headers.count == 1)
  }

  @Test("outside of a context nothing is sent, and a header that is there is kept")
  func absent() async throws {
    let plain = try await CorrelationIDInterceptor().adapt(.get("https://example.com/"))
    #expect(plain.headers.isEmpty)
    let kept = try await NetworkContext.$current.withValue(NetworkContext(traceID: "t-1")) {
      try await CorrelationIDInterceptor().adapt(.get("https://example.com/", headers: ["x-trace-id": "mine"]))
    }
    #expect(kept.headers.values(for: "X-Trace-ID") == ["mine"])
  }
}
