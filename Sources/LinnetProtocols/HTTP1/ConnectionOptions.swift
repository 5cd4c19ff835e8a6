internal import LinnetHTTPTypes

/// What the Connection fields of a message say about persistence (RFC 9112 §9.3).
struct ConnectionOptions: Sendable, Hashable {
  private(set) var hasClose = false
  private(set) var hasKeepAlive = false

  /// - Parameters:
  ///   - headers: The fields of a head.
  ///   - fields: What was found in them.
  init(_ headers: HTTPHeaders, _ fields: FramingFields) {
    var next = fields.connection
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
