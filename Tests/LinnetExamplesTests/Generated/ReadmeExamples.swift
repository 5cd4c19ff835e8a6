// Written by .ci/doc-examples from README.md: edit that.
// swift-format-ignore-file

import LinnetHTTP

enum ReadmeExamples {
  static func example1() async throws {
    let client = HTTPClient()
    // GET
    let response = try await client.send(.get("https://example.com/"))
    print(response.status, response.headers["Content-Type"] ?? "-", try await response.text())
    // POST JSON
    var request = HTTPRequest.post("https://api.example.com/items", body: .text(#"{"name":"linnet"}"#))
    try request.headers.add(name: "Content-Type", value: "application/json")
    let created = try await client.send(request)
    print(created.status)
    // Stream a large body: nothing is read faster than the loop consumes it
    for try await chunk in try await client.send(.get("https://example.com/large")).body {
      print(chunk.count)
    }
    // Upload a file with its exact length, in constant memory
    _ = try await client.send(.put("https://example.com/upload", body: .file("/tmp/report.pdf")))
    // One request with its own timeouts
    var slow = HTTPRequest.get("https://example.com/report")
    slow.options.timeouts.responseHead = .after(.seconds(300))
    slow.options.timeouts.total = .unlimited
    // Errors have a code, a phase, and say what was sent
    do {
      _ = try await client.send(.get("http://127.0.0.1:1/"))
    } catch {
      print(error.code, error.phase, error.sent)  // connectionRefused connect nothing
      print(error)  // GET http://127.0.0.1:1/: connect: connection refused (127.0.0.1:1) [attempt 1, 0 ms]
    }
    _ = client
    _ = response
    _ = request
    _ = created
    _ = slow
  }
}
