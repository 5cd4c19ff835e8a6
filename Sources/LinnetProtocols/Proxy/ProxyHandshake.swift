package import LinnetBytes
package import LinnetHTTPTypes

/// The talk with a proxy until the connection leads to the target: bytes in, events out, and bytes to send.
///
/// The owner of a connection calls ``nextEvent(into:)`` until it says `needMoreData`, sends what was written, and brings in
/// what comes. The first call writes the first request. It knows no clock and no socket; three machines conform:
/// ``ConnectTunnelMachine``, ``SOCKS5Machine`` and ``SOCKS4Machine``.
package protocol ProxyHandshake: ~Copyable, Sendable {
  /// Takes bytes from the proxy. They are stored; ``nextEvent(into:)`` judges them.
  mutating func receive(_ bytes: Span<UInt8>)

  /// The proxy will send no more. Repeating it changes nothing.
  mutating func receiveEOF()

  /// The next thing that happened; what has to be sent for it is appended to `out`.
  ///
  /// - Throws: The error that ended the talk, again on every further call.
  mutating func nextEvent(into out: inout WriteBuffer) throws(ProxyHandshakeError) -> ProxyHandshakeEvent

  /// After ``ProxyHandshakeEvent/established``: the bytes of the target that came with the proxy's answer. Empty before
  /// and on a second call.
  mutating func takeLeftover() -> ByteChunk
}

/// What ``ProxyHandshake/nextEvent(into:)`` reports.
package enum ProxyHandshakeEvent: Sendable {
  /// Nothing to report until what was written is sent and more bytes or the end of input arrive.
  case needMoreData
  /// A 1xx response of an HTTP proxy; the final one follows.
  case interim(ResponseHead)
  /// The connection leads to the target now.
  case established
  /// An HTTP proxy answered with another status than 2xx.
  case refused(ProxyRefusal)
}

/// The answer of an HTTP proxy that did not make the tunnel.
package struct ProxyRefusal: Sendable, Hashable {
  package var head: ResponseHead
  /// The beginning of its body, at most ``ConnectTunnelMachine/maximumBodyBytes``.
  package var body: ByteChunk
  /// Whether ``body`` is all of it.
  package var isBodyComplete: Bool
  /// Whether ``ConnectTunnelMachine/retry(headers:)`` may ask again on the same connection.
  package var canRetry: Bool
}

/// Where the tunnel shall lead.
package struct ProxyTarget: Sendable, Hashable {
  package enum Host: Sendable, Hashable {
    /// The proxy resolves it.
    case name(String)
    case address(IPAddress)
  }

  package var host: Host
  package var port: UInt16

  package init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// - Parameter host: A name or an address without brackets, as in ``HTTPURL/host``.
  package init(host: String, port: UInt16) {
    self.init(host: IPAddress(host).map(Host.address) ?? .name(host), port: port)
  }

  /// Checks that every SOCKS can say the name: 5 counts its bytes in one, 4a ends it with a zero, and DNS has no longer ones.
  func admitForSOCKS() throws(ProxyHandshakeError) {
    if case .name(let name) = host, !(1...255).contains(name.utf8.count) || name.utf8.contains(0) {
      throw .unsendableName
    }
  }
}
