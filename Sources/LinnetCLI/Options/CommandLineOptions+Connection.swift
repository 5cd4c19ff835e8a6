package import LinnetHTTP

extension CommandLineOptions {
  package struct ResolveEntry: Sendable, Equatable {
    package var hostAndPort: String
    package var addresses: [String]

    package init(hostAndPort: String, addresses: [String]) {
      self.hostAndPort = hostAndPort
      self.addresses = addresses
    }
  }

  /// `--connect-to HOST1:PORT1:HOST2:PORT2`; nil stands for any, or for no change.
  package struct ConnectToEntry: Sendable, Equatable {
    package var host: String?
    package var port: UInt16?
    package var newHost: String?
    package var newPort: UInt16?

    package init(host: String?, port: UInt16?, newHost: String?, newPort: UInt16?) {
      self.host = host
      self.port = port
      self.newHost = newHost
      self.newPort = newPort
    }
  }

  package enum AddressFamily: Sendable, Equatable {
    case any
    case ipv4
    case ipv6
  }

  /// How and where to connect.
  package struct Connection: Sendable, Equatable {
    package var resolve: [ResolveEntry] = []
    package var connectTo: [ConnectToEntry] = []
    /// A path, or `@` and a name of the abstract name space.
    package var unixSocket: Argument?
    package var addressFamily = AddressFamily.any
    /// An address, a host name, or the name of an interface.
    package var interface: Argument?
    package var usesKeepAlive = true
    /// Nil: the library's own.
    package var keepAliveTime: Duration?
    package var httpVersion = HTTPVersionPolicy.automatic
    /// Nil: no limit. Default 300 s, as curl's.
    package var connectTimeout: Duration? = .seconds(300)
    package var maximumTime: Duration?
    package var expectTimeout: Duration = .seconds(1)

    package init() {}
  }

  /// How a certificate or a key is stored.
  package enum KeyFormat: String, Sendable, Equatable, CaseIterable {
    case pem = "PEM"
    case der = "DER"
    case pkcs12 = "P12"
  }

  /// How a connection is protected: that to the server, or that to a proxy.
  package struct TLS: Sendable, Equatable {
    package var isInsecure = false
    package var caFile: Argument?
    /// A directory of certificates under hashed names.
    package var caDirectory: Argument?
    package var certificate: Argument?
    /// Nil: as the content says, PEM or DER.
    package var certificateFormat: KeyFormat?
    package var key: Argument?
    /// Nil: as the content says.
    package var keyFormat: KeyFormat?
    package var passphrase: Argument?
    package var pinnedKeys: Argument?
    package var minimumVersion: TLSConfiguration.Version?
    package var maximumVersion: TLSConfiguration.Version?
    /// Of TLS 1.2.
    package var ciphers: Argument?
    /// Of TLS 1.3.
    package var tls13Ciphers: Argument?

    package init() {}
  }

  /// The proxy that the command line names.
  package struct ProxyServer: Sendable, Equatable {
    /// Nil: as the address says, else `http`.
    package var kind: HTTPProxy.Kind?
    /// `[scheme://][user:password@]host[:port]`; empty: no proxy at all.
    package var address: Argument

    package init(kind: HTTPProxy.Kind? = nil, address: Argument) {
      self.kind = kind
      self.address = address
    }
  }

  package struct Proxy: Sendable, Equatable {
    /// Nil: as the environment says.
    package var server: ProxyServer?
    /// `user:password`.
    package var user: Argument?
    package var scheme = AuthenticationScheme.basic
    package var headers: [Argument] = []
    /// CONNECT for `http` URLs too.
    package var tunnels = false
    /// Hosts that are connected to directly, in place of the environment's.
    package var exceptions: Argument?
    package var tls = TLS()

    package init() {}
  }
}
