/// What the command line asks for. Filled by ``CommandLineParser``; nothing here touches the system.
package struct CommandLineOptions: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case request
    case help
    case version
    case demo
    /// `linnet completions SHELL`.
    case completions
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
    /// Not nil: the content is percent-encoded, after these bytes, such as `name=`.
    package var encodedAfter: [UInt8]?

    package init(
      source: Source, dropsLineEnds: Bool = false, isFormData: Bool = true, encodedAfter: [UInt8]? = nil
    ) {
      self.source = source
      self.dropsLineEnds = dropsLineEnds
      self.isFormData = isFormData
      self.encodedAfter = encodedAfter
    }
  }

  /// An option as it was given.
  package struct GivenOption: Sendable, Equatable {
    /// Its long name.
    package var name: String
    package var value: Argument?
    /// It had `--no-` before its name.
    package var isNegated: Bool
    /// It stands in the user's configuration file, which is for every run: what has no effect in this one is no mistake.
    package var isStanding: Bool

    package init(name: String, value: Argument?, isNegated: Bool, isStanding: Bool = false) {
      self.name = name
      self.value = value
      self.isNegated = isNegated
      self.isStanding = isStanding
    }
  }

  /// Where a body goes.
  package enum Output: Sendable, Equatable {
    case standardOutput
    case file(Argument)
    /// A file in the working directory, named by the URL.
    case remoteName
  }

  package var action = Action.request
  /// What `--help` or `completions` is about.
  package var topic: String?
  package var urls: [Argument] = []
  /// `/./` and `/../` in the path of a URL are sent as they are.
  package var keepsDotSegments = false
  /// All options in their order, for `--print-curl`.
  package var given: [GivenOption] = []

  package var method: String?
  package var headers: [Argument] = []
  package var data: [DataPiece] = []
  package var sendsJSON = false
  /// The data goes into the query of the URL (`-G`).
  package var sendsDataInQuery = false
  /// What is added to the query of the URL.
  package var queries: [DataPiece] = []
  package var uploadFile: Argument?
  package var wantsHeadOnly = false
  package var userAgent: Argument?
  package var referer: Argument?
  package var range: Argument?
  package var isCompressed = false

  package var outputs: [Output] = []
  /// `-O` for every URL that has no `-o`.
  package var namesAllRemotely = false
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
  /// Where errors and everything else for people goes in place of standard error (`--stderr`); `-` for standard output.
  package var errorFile: Argument?
  package var trace = Trace()
  package var transfer = Transfer()

  package var redirects = Redirects()
  package var credentials = Credentials()
  package var cookies = Cookies()
  package var proxy = Proxy()
  package var tls = TLS()
  package var connection = Connection()

  package var run = Run()

  package init() {}

  /// Whether errors are printed.
  var reportsErrors: Bool { !isSilent || showsErrors }

  /// Where the body of the URL at `index` goes.
  func output(at index: Int) -> Output {
    index < outputs.count ? outputs[index] : namesAllRemotely ? .remoteName : .standardOutput
  }
}
