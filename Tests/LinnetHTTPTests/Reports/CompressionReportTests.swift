import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// User reports about compressed bodies.
@Suite("Reports: compression", .timeLimit(.minutes(1)))
struct CompressionReportTests {
  private static let json = "[" + String(repeating: #"{"id":1,"name":"linnet","tags":["a","b"]},"#, count: 1500) + "0]"

  @Test("COMP-02: JSON that expands sixty kilobytes from a few works by default", arguments: WireProtocol.versions)
  func compressibleJSON(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let response = ServerResponse.text(Self.json).compressed()
    try await ScriptedServer.with(.handler { _ in response }, options: wire.options) { server async throws in
      let answer = try await wire.client().send(.get(server.url()))
      #expect(try await answer.text() == Self.json)
      #expect(answer.body.receivedWireBytes * 20 < UInt64(Self.json.utf8.count))
    }
  }

  @Test(
    "COMP-02: a bomb is stopped early, in small pieces, with an error that names limit and setting",
    arguments: WireProtocol.versions)
  func bomb(over version: WireProtocol) async throws {
    let size: UInt64 = 64 << 20
    let wire = try Wire(version)
    let response = ServerResponse(body: ServerBody([.zeros(size)])).compressed()
    try await ScriptedServer.with(.handler { _ in response }, options: wire.options) { server async throws in
      let answer = try await wire.client().send(.get(server.url()))
      var total = 0
      var largest = 0
      let error = await #expect(throws: TransportError.self) {
        for try await chunk in answer.body {
          total += chunk.count
          largest = max(largest, chunk.count)
        }
      }
      #expect(error?.code == .decompressionLimit)
      #expect(error?.phase == .decode)
      #expect(error?.description.contains("250 times") == true)
      #expect(error?.description.contains("maximumRatio") == true)
      #expect(total <= 18 << 20)
      #expect(largest <= 1 << 20)
    }
  }

  @Test("COMP-02: one request can raise the limit, and another can lower it", arguments: WireProtocol.versions)
  func limitOfRequest(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let response = ServerResponse(body: ServerBody([.zeros(20 << 20)])).compressed()
    try await ScriptedServer.with(.handler { _ in response }, options: wire.options) { server async throws in
      let client = wire.client()
      var limits = DecompressionConfiguration()
      limits.maximumRatio = 2000
      var request = HTTPRequest.get(server.url())
      request.options.decompression = .automatic(limits)
      #expect(try await client.send(request).collect().count == 20 << 20)
      limits.maximumExpandedBytes = 1 << 20
      request.options.decompression = .automatic(limits)
      let error = try #require(await client.failure(of: request))
      #expect(error.code == .decompressionLimit)
      #expect(error.description.contains("maximumExpandedBytes"))
    }
  }

  @Test(
    "COMP-05: progress counts wire bytes against an unknown total while a body is decoded", arguments: [true, false],
    WireProtocol.versions)
  func progress(decodes: Bool, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let response = ServerResponse.bytes([UInt8](repeating: 0x61, count: 10_000)).compressed(level: 0)
    let wireCount = response.body.count
    try await ScriptedServer.with(.handler { _ in response }, options: wire.options) { server async throws in
      var request = HTTPRequest.get(server.url())
      if !decodes { request.options.decompression = .disabled }
      let answer = try await wire.client().send(request)
      #expect(answer.headers["Content-Length"] == "\(wireCount)")
      #expect(answer.body.expectedLength == (decodes ? nil : wireCount))
      var delivered: UInt64 = 0
      for try await chunk in answer.body {
        delivered += UInt64(chunk.count)
        #expect(answer.body.receivedWireBytes <= wireCount)
      }
      #expect(delivered == (decodes ? 10_000 : wireCount))
      #expect(answer.body.receivedWireBytes == wireCount)
    }
  }

  enum RawMode: CaseIterable, Sendable { case disabled, ownAcceptEncoding, range }

  @Test(
    "COMP-06: who switches decoding off, or asks for an encoding or a range, gets the bytes as sent",
    arguments: RawMode.allCases, WireProtocol.versions)
  func raw(_ mode: RawMode, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let response = ServerResponse.text("archive").compressed()
    let sent = response.body.parts.flatMap { part -> [UInt8] in
      if case .bytes(let bytes) = part { bytes } else { [] }
    }
    try await ScriptedServer.with(.handler { _ in response }, options: wire.options) { server async throws in
      var request = HTTPRequest.get(server.url("/x.tar.gz"))
      switch mode {
      case .disabled: request.options.decompression = .disabled
      case .ownAcceptEncoding: request.headers.add("accept-encoding", "gzip")
      case .range: request.headers.add("Range", "bytes=0-")
      }
      let answer = try await wire.client().send(request)
      #expect(try await answer.collect().array == sent)
      #expect(answer.body.expectedLength == UInt64(sent.count))
      let expected = mode == .ownAcceptEncoding ? ["gzip"] : []
      #expect(server.snapshot.requests.first?.headers.values(for: "Accept-Encoding") == expected)
    }
  }
}
