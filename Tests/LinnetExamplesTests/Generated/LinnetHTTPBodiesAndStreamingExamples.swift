// Written by .ci/doc-examples from Sources/LinnetHTTP/LinnetHTTP.docc/BodiesAndStreaming.md: edit that.
// swift-format-ignore-file

import Linnet

enum LinnetHTTPBodiesAndStreamingExamples {
  static func example1(client: HTTPClient) async throws {
    let small = try await client.send(.get("https://example.com/small.json"))
    let bytes = try await small.collect(upTo: 1 << 20)
    print(bytes.count)
    _ = small
    _ = bytes
  }

  static func example2(client: HTTPClient) async throws {
    print(try await client.send(.get("https://example.com/")).text())
  }

  static func example3(client: HTTPClient) async throws {
    let response = try await client.send(.get("https://example.com/large"))
    var received = 0
    for try await chunk in response.body {
      received += chunk.count
    }
    print(received, "of", response.body.expectedLength.map(String.init) ?? "unknown")
    _ = response
    _ = received
  }

  static func example4(client: HTTPClient) async throws {
    // A file, in constant memory
    _ = try await client.send(.put("https://example.com/report.pdf", body: .file("/tmp/report.pdf")))
    // Anything that yields chunks
    let lines = AsyncStream<ByteChunk> { continuation in
      for number in 1...1000 { continuation.yield(ByteChunk("line \(number)\n")) }
      continuation.finish()
    }
    _ = try await client.send(.post("https://example.com/log", body: .oneShot(lines)))
    _ = lines
  }

  static func example5(client: HTTPClient) async throws {
    var upload = HTTPRequest.put("https://example.com/video", body: .file("/tmp/video.mp4"))
    upload.options.expectsContinue = true
    let answer = try await client.send(upload)
    print(answer.status)
    _ = upload
    _ = answer
  }
}
