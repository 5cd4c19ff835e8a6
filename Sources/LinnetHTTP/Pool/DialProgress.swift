internal import LinnetBytes
internal import LinnetIO

/// How far the making of one connection has come: for the error of a request whose own time is over before the dial's.
/// The dial writes it, its pool reads it.
final class DialProgress: Sendable {
  struct State: Sendable {
    var phase = TransportError.Phase.resolve
    /// The addresses that have not answered yet.
    var peers: [TransportError.PeerAttempt] = []
  }

  private let state = Lock(State())

  var current: State { state.withLock { $0 } }

  func connecting(to addresses: [SocketAddress]) {
    let peers = addresses.map { TransportError.PeerAttempt(address: $0.description, cause: "no answer") }
    state.withLock { $0 = State(phase: .connect, peers: peers) }
  }

  func asking(_ proxy: ProxyServer, _ peer: String) {
    let attempt = TransportError.PeerAttempt(address: peer, cause: "\(proxy.name) did not answer")
    state.withLock { $0 = State(phase: .proxy, peers: [attempt]) }
  }

  func securing(_ peer: String) {
    let attempt = TransportError.PeerAttempt(address: peer, cause: "the TLS handshake was not done")
    state.withLock { $0 = State(phase: .tls, peers: [attempt]) }
  }
}
