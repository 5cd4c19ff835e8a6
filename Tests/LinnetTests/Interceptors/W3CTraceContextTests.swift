import Linnet
import LinnetHTTP
import Testing

@Suite("Interceptors: W3C trace context")
struct W3CTraceContextTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "b7ad6b7169203331"

  @Test("a valid value is parsed and written the same")
  func valid() throws {
    let context = try #require(W3CTraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-01"))
    #expect(context.version == "00")
    #expect(context.traceID == Self.trace)
    #expect(context.parentID == Self.parent)
    #expect(context.traceFlags == 1)
    #expect(context.isSampled)
    #expect(context.traceparent == "00-\(Self.trace)-\(Self.parent)-01")
    #expect(W3CTraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-fe")?.isSampled == false)
    #expect(W3CTraceContext(traceparent: "01-\(Self.trace)-\(Self.parent)-01-what-comes")?.version == "01")
  }

  @Test(
    "an invalid value is refused",
    arguments: [
      "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-001",
      "00-\(trace)-\(parent)-01-more", "ff-\(trace)-\(parent)-01", "0-\(trace)-\(parent)-01",
      "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent)-0G",
      "00-\(String(repeating: "0", count: 32))-\(parent)-01", "00-\(trace)-\(String(repeating: "0", count: 16))-01",
      "00-\(trace.dropLast())-\(parent)-01", "00-\(trace)-\(parent)--1", "00-\(trace)-\(parent)-+1",
      " 00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01 ", "00_\(trace)_\(parent)_01",
    ])
  func invalid(_ text: String) { #expect(W3CTraceContext(traceparent: text) == nil) }

  @Test("generated contexts are valid and differ")
  func generated() {
    let contexts = (0..<500).map { _ in W3CTraceContext.generated(sampled: false) }
    #expect(Set(contexts.map(\.traceID)).count == 500)
    #expect(contexts.allSatisfy { W3CTraceContext(traceparent: $0.traceparent) == $0 && !$0.isSampled })
    let child = contexts[0].child()
    #expect(child.traceID == contexts[0].traceID)
    #expect(child.parentID != contexts[0].parentID)
  }

  private func adapt(
    _ interceptor: TraceContextInterceptor = TraceContextInterceptor(), headers: HTTPHeaders = HTTPHeaders(),
    context: NetworkContext = NetworkContext()
  ) async throws -> HTTPHeaders {
    try await NetworkContext.$current.withValue(context) {
      try await interceptor.adapt(.get("https://a.test/", headers: headers)).headers
    }
  }

  @Test("a valid traceparent is kept, with its tracestate")
  func kept() async throws {
    let headers: HTTPHeaders = ["traceparent": "00-\(Self.trace)-\(Self.parent)-01"]
    #expect(try await adapt(headers: headers, context: NetworkContext(traceID: Self.trace)) == headers)
  }

  @Test("an invalid traceparent is replaced and its tracestate dropped")
  func replaced() async throws {
    let headers = try await adapt(headers: ["traceparent": "nonsense", "tracestate": "a=1"])
    #expect(W3CTraceContext(traceparent: headers["traceparent"] ?? "") != nil)
    #expect(headers.count == 1)
  }

  @Test("the trace of the context is continued with a new parent")
  func continued() async throws {
    let caller = "00-\(Self.trace)-\(Self.parent)-00"
    let headers = try await adapt(
      context: NetworkContext(baggage: ["traceparent": caller, "tracestate": "vendor=1"]))
    let context = try #require(headers["traceparent"].flatMap(W3CTraceContext.init(traceparent:)))
    #expect(context.traceID == Self.trace)
    #expect(context.parentID != Self.parent)
    #expect(!context.isSampled)
    #expect(headers["tracestate"] == "vendor=1")
    let bare = try await adapt(context: NetworkContext(traceID: Self.trace.uppercased()))
    #expect(bare["traceparent"]?.hasPrefix("00-\(Self.trace)-") == true)
    #expect(bare["traceparent"]?.hasSuffix("-01") == true)
  }

  @Test("a trace is begun when there is none, unless that is off")
  func begun() async throws {
    let sampled = try await adapt(TraceContextInterceptor(sampled: false, tracestate: "v=2"))
    #expect(sampled["traceparent"]?.hasSuffix("-00") == true)
    #expect(sampled["tracestate"] == "v=2")
    #expect(try await adapt(TraceContextInterceptor(generateWhenMissing: false)).isEmpty)
    #expect(
      try await adapt(TraceContextInterceptor(generateWhenMissing: false), context: NetworkContext(traceID: "job-7"))
        .isEmpty)
  }
}
