public import LinnetHTTPTypes

/// The connection that carried an exchange.
public struct ConnectionInfo: Sendable, Hashable {
  /// Whether an earlier exchange used it.
  public var isReused: Bool
  /// The peer's address, such as `127.0.0.1:443` or `unix:/run/x.sock`.
  public var peerAddress: String
  /// Our own address, when it has one.
  public var localAddress: String?
  /// What TLS agreed on; nil for cleartext.
  public var tls: TLSInfo?
  /// The proxy that the connection goes through; ``peerAddress`` is its address then.
  public var proxy: ProxyInfo?
  /// How long making the connection took; of the connection, not of this request, when it was reused.
  public var timings: ConnectTimings
  /// Addresses that were tried and failed before the one that worked.
  public var failedPeers: [TransportError.PeerAttempt]

  /// What stands in responses that were made by hand: no connection carried them.
  public static var inMemory: ConnectionInfo { ConnectionInfo(peerAddress: "in memory") }

  /// A description of a connection, for responses made by hand.
  public init(
    isReused: Bool = false, peerAddress: String, localAddress: String? = nil, tls: TLSInfo? = nil,
    timings: ConnectTimings = ConnectTimings(), failedPeers: [TransportError.PeerAttempt] = []
  ) {
    self.isReused = isReused
    self.peerAddress = peerAddress
    self.localAddress = localAddress
    self.tls = tls
    self.timings = timings
    self.failedPeers = failedPeers
  }

  /// A proxy that carries a connection.
  public struct ProxyInfo: Sendable, Hashable {
    /// Its URL without credentials, such as `http://127.0.0.1:3128`.
    public var name: String
    /// Whether requests go through a tunnel (CONNECT, SOCKS) and not in absolute form.
    public var isTunnel: Bool
    /// What TLS agreed on with an `https` proxy.
    public var tls: TLSInfo?
    /// The proxy's answer to CONNECT; nil for SOCKS and forwarding.
    public var connectResponse: ResponseHead?

    /// A description, for responses made by hand.
    public init(name: String, isTunnel: Bool, tls: TLSInfo? = nil, connectResponse: ResponseHead? = nil) {
      self.name = name
      self.isTunnel = isTunnel
      self.tls = tls
      self.connectResponse = connectResponse
    }
  }

  /// What a TLS handshake agreed on.
  public struct TLSInfo: Sendable, Hashable {
    /// The version, such as `TLSv1.3`.
    public var version: String
    /// The cipher suite by its OpenSSL name.
    public var cipher: String
    /// The protocol agreed on by ALPN, if any.
    public var applicationProtocol: String?
    /// Whether an earlier session was resumed.
    public var isResumed: Bool
    /// The subject of the peer's certificate, for display.
    public var peerSubject: String?
    /// The issuer of the peer's certificate, for display.
    public var peerIssuer: String?
  }

  /// The parts of making a connection.
  public struct ConnectTimings: Sendable, Hashable {
    /// Looking up the name.
    public var resolve: Duration = .zero
    /// Connecting the socket.
    public var connect: Duration = .zero
    /// The TLS handshake; zero for cleartext.
    public var tls: Duration = .zero

    /// Each part zero unless given.
    public init(resolve: Duration = .zero, connect: Duration = .zero, tls: Duration = .zero) {
      self.resolve = resolve
      self.connect = connect
      self.tls = tls
    }
  }
}

/// When the steps of an exchange happened, from the call of `send`.
public struct ExchangeTimings: Sendable, Hashable {
  /// A connection was at hand.
  public var connected: Duration = .zero
  /// The request's head was given to the network.
  public var requestSent: Duration = .zero
  /// The response's head was complete.
  public var responseHead: Duration = .zero

  /// Each step at zero unless given.
  public init(connected: Duration = .zero, requestSent: Duration = .zero, responseHead: Duration = .zero) {
    self.connected = connected
    self.requestSent = requestSent
    self.responseHead = responseHead
  }
}
