package import LinnetHTTP

/// What the command line asks for. Filled by ``CommandLineParser``; nothing here touches the system.
package struct CommandLineOptions: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case request
    case help
    case version
    case demo
  }

  /// One `-d` or relative of it.
  package struct DataPiece: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
      case bytes([UInt8])
      /// `-` stands for standard input.
      case file(Argument)
    }

    package var source: Source
    /// Line ends and zero bytes of a file are left out, as curl does for `-d @file`.
    package var dropsLineEnds = false
    /// It is joined to what precedes it with `&`.
    package var isFormData = true

    package init(source: Source, dropsLineEnds: Bool = false, isFormData: Bool = true) {
      self.source = source
      self.dropsLineEnds = dropsLineEnds
      self.isFormData = isFormData
    }
  }

  /// Where a body goes.
  package enum Output: Sendable, Equatable {
    case standardOutput
    case file(Argument)
    /// A file in the working directory, named by the URL.
    case remoteName
  }

  package struct ResolveEntry: Sendable, Equatable {
    package var hostAndPort: String
    package var addresses: [String]

    package init(hostAndPort: String, addresses: [String]) {
      self.hostAndPort = hostAndPort
      self.addresses = addresses
    }
  }

  package enum AddressFamily: Sendable, Equatable {
    case any
    case ipv4
    case ipv6
  }

  package var action = Action.request
  package var urls: [Argument] = []

  package var method: String?
  package var headers: [Argument] = []
  package var data: [DataPiece] = []
  package var sendsJSON = false
  package var uploadFile: Argument?
  package var wantsHeadOnly = false
  package var userAgent: Argument?
  package var referer: Argument?
  package var range: Argument?
  package var isCompressed = false

  package var outputs: [Output] = []
  package var createsDirectories = false
  package var includesHead = false
  package var failsOnHTTPError = false
  package var keepsBodyOfHTTPError = false
  package var writeOut: Argument?
  package var isSilent = false
  package var showsErrors = false
  package var isVerbose = false
  package var showsSecrets = false
  package var showsProgress = true

  package var isInsecure = false
  package var caFile: Argument?
  package var certificate: Argument?
  package var key: Argument?
  package var passphrase: Argument?
  package var resolve: [ResolveEntry] = []
  /// A path, or `@` and a name of the abstract name space.
  package var unixSocket: Argument?
  package var addressFamily = AddressFamily.any
  package var httpVersion = HTTPVersionPolicy.automatic
  /// Nil: no limit. Default 300 s, as curl's.
  package var connectTimeout: Duration? = .seconds(300)
  package var maximumTime: Duration?
  package var expectTimeout: Duration = .seconds(1)

  package init() {}

  /// Whether errors are printed.
  var reportsErrors: Bool { !isSilent || showsErrors }

  /// Where the body of the URL at `index` goes.
  func output(at index: Int) -> Output { index < outputs.count ? outputs[index] : .standardOutput }
}
