import LinnetHTTPTypes
import LinnetPolicies
import Testing

@Suite struct StoredFieldsTests {
  @Test("fields of the connection and of proxies are not stored, also those that Connection names")
  func storable() {
    let stored = StoredFields.storable([
      "ETag": "\"1\"", "Connection": "close, X-Hop", "X-Hop": "1", "Keep-Alive": "timeout=5", "Upgrade": "h2c",
      "Transfer-Encoding": "chunked", "TE": "trailers", "Trailer": "X", "Proxy-Authenticate": "Basic",
      "Proxy-Authentication-Info": "x", "Proxy-Authorization": "x", "Set-Cookie": "a=1", "X-End": "1",
    ])
    #expect(stored == ["ETag": "\"1\"", "Set-Cookie": "a=1", "X-End": "1"])
  }

  @Test("a 304 replaces the stored fields it names, all values at once, and leaves what describes the body")
  func merging() {
    let stored = HTTPHeaders([
      HTTPHeader("ETag", "\"1\""), HTTPHeader("X-A", "1"), HTTPHeader("X-A", "2"), HTTPHeader("X-B", "keep"),
      HTTPHeader("Content-Length", "5"), HTTPHeader("Content-Type", "a/b"), HTTPHeader("Age", "100"),
    ])
    let merged = StoredFields.merging(
      stored,
      with: [
        HTTPHeader("etag", "\"1\""), HTTPHeader("x-a", "3"), HTTPHeader("X-A", "4"), HTTPHeader("Content-Length", "0"),
        HTTPHeader("Content-Type", "c/d"), HTTPHeader("Content-Encoding", "gzip"), HTTPHeader("Connection", "X-Hop"),
        HTTPHeader("X-Hop", "1"), HTTPHeader("Cache-Control", "max-age=60"),
      ])
    #expect(merged.values(for: "X-A") == ["3", "4"])
    #expect(merged.value(for: "X-B") == "keep")
    #expect(merged.value(for: "Content-Length") == "5")
    #expect(merged.value(for: "Content-Type") == "a/b")
    #expect(merged.value(for: "Cache-Control") == "max-age=60")
    for name in ["Content-Encoding", "Connection", "X-Hop", "Age"] { #expect(!merged.contains(name), "\(name)") }
    #expect(merged.count(of: "ETag") == 1)
  }

  @Test(
    "a 304 confirms what is stored unless its ETag is another one",
    arguments: [
      (nil, nil, true), ("\"1\"", nil, true), (nil, "\"1\"", true), ("\"1\"", "\"1\"", true), ("\"1\"", "\"2\"", false),
      ("W/\"1\"", "\"1\"", true), ("W/\"1\"", "W/\"2\"", false),
    ] as [(String?, String?, Bool)])
  func confirming(received: String?, stored: String?, expected: Bool) {
    var notModified = HTTPHeaders()
    notModified["ETag"] = received
    var held = HTTPHeaders()
    held["ETag"] = stored
    #expect(StoredFields.confirms(notModified, held) == expected)
  }
}
