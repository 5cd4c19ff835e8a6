internal import LinnetBytes
internal import LinnetHTTP

/// The headers of a live client, which any task may change at any time. A request has those of the moment in which its
/// attempt is prepared.
final class ClientHeaders: Sendable {
  private let headers: Lock<HTTPHeaders>

  init(_ headers: HTTPHeaders) { self.headers = Lock(headers) }

  var current: HTTPHeaders { headers.withLock { $0 } }

  func change(_ body: (inout HTTPHeaders) -> Void) {
    headers.withLock { body(&$0) }
  }
}
