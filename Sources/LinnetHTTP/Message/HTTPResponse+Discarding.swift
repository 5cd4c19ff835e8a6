internal import LinnetBytes

extension HTTPResponse {
  /// Reads the rest of the body and throws it away, so that the connection is free for the request that follows; lets go
  /// of a body that is longer than `limit`, which over HTTP/1.1 closes its connection. The request's timeouts apply, and
  /// what goes wrong is no failure: the response is not wanted any more.
  func discardBody(reading limit: Int) async {
    defer { body.reader.discard() }
    if let expected = body.expectedLength, expected > UInt64(clamping: limit) { return }
    var total = 0
    do throws(TransportError) {
      while total <= limit, let chunk = try await body.next() { total += chunk.count }
    } catch {}
  }
}
