extension CommandLineOptions {
  /// `-C`.
  package enum Resume: Sendable, Equatable {
    /// From the end of the file that is there.
    case automatic
    case offset(UInt64)
  }

  /// What becomes of a file that is there already.
  package enum Clobber: Sendable, Equatable {
    /// It is overwritten, unless the server has chosen its name.
    case standard
    case always
    /// A number is added to the name.
    case never
  }

  /// `-z`.
  package struct TimeCondition: Sendable, Equatable {
    /// Whether the response is wanted only if it is not newer: `-` before the date.
    package var isOlder: Bool
    /// A date, or the name of a file whose time counts.
    package var value: Argument

    package init(isOlder: Bool, value: Argument) {
      self.isOlder = isOlder
      self.value = value
    }
  }

  /// How bodies are transferred and stored.
  package struct Transfer: Sendable, Equatable {
    /// Bytes per second, in either direction.
    package var rateLimit: UInt64?
    /// A transfer that is slower than this many bytes per second for ``speedTime`` is ended.
    package var speedLimit: UInt64?
    package var speedTime: Duration?
    package var maximumFileSize: UInt64?
    package var resume: Resume?
    package var etagSaveFile: Argument?
    package var etagCompareFile: Argument?
    package var timeCondition: TimeCondition?
    /// The file gets the time of `Last-Modified`.
    package var keepsRemoteTime = false
    package var outputDirectory: Argument?
    package var removesOnError = false
    package var clobber = Clobber.standard
    /// `-O` takes the name of `Content-Disposition` (`-J`).
    package var usesHeaderName = false
    /// Heads are written to this file; `-` for standard output, `%` for standard error.
    package var headFile: Argument?

    package init() {}
  }

  /// `--trace` and its relatives.
  package struct Trace: Sendable, Equatable {
    /// `-` for standard output, `%` for standard error.
    package var file: Argument?
    /// Without the bytes in hexadecimal digits.
    package var isTextOnly = false
    package var showsTime = false
    package var showsIDs = false

    package init() {}
  }
}
