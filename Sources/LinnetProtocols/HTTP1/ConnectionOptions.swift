internal import LinnetHTTPTypes

/// What the Connection fields of a message say about persistence (RFC 9112 §9.3).
struct ConnectionOptions: Sendable, Hashable {
  private(set) var hasClose = false
  private(set) var hasKeepAlive = false

  init(_ headers: HTTPHeaders) {
    var next = headers.nextIndex(of: "Connection", from: 0)
    while let index = next {
      let value = headers.valueBytes(at: index)
      ByteScan.forEachListElement(value) { element in
        let option = value.extracting(element)
        if ByteScan.equals(option, ignoringCase: "close") { hasClose = true }
        if ByteScan.equals(option, ignoringCase: "keep-alive") { hasKeepAlive = true }
      }
      next = headers.nextIndex(of: "Connection", from: index + 1)
    }
  }

  /// Whether the sender of a message of this version keeps the connection: HTTP/1.1 unless it says `close`, HTTP/1.0 only
  /// when it says `keep-alive`, and `close` wins over `keep-alive`.
  func allowReuse(version: HTTPVersion) -> Bool {
    !hasClose && (version != .http1_0 || hasKeepAlive)
  }
}
