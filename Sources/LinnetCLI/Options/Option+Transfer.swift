extension Option {
  static let outputOptions: [Option] = [
    .value("o", "output", "FILE", "write the body to FILE; the n-th -o is for the n-th URL; - for stdout", common: true)
    { $0.outputs.append($1.isDash ? .standardOutput : .file($1)) },
    .choice("O", "remote-name", "write the body to a file named as the end of the URL's path", common: true) {
      $0.outputs.append(.remoteName)
    },
    .flag(nil, "remote-name-all", "-O for every URL without -o", \.namesAllRemotely),
    .flag("J", "remote-header-name", "with -O, take the name that the server gives", \.transfer.usesHeaderName),
    .text(nil, "output-dir", "DIRECTORY", "where the files of -o and -O are written", \.transfer.outputDirectory),
    .flag(nil, "create-dirs", "make missing directories of -o FILE", \.createsDirectories),
    .flag(nil, "clobber", "overwrite files; --no-clobber: add a number to the name instead", \.transfer.clobbers),
    .flag(
      nil, "remove-on-error", "remove the file when the transfer fails; not when a signal ends it",
      \.transfer.removesOnError),
    .flag("R", "remote-time", "give the file the time that the server tells", \.transfer.keepsRemoteTime),
    .flag("i", "include", "write the response's head before the body", \.includesHead, common: true),
    .text("D", "dump-header", "FILE", "write the heads to FILE; - for stdout, % for stderr", \.transfer.headFile),
    .flag("f", "fail", "no body and status 22 when the server answers 400 or more", \.failsOnHTTPError, common: true),
    .flag(
      nil, "fail-with-body", "the body and status 22 when the server answers 400 or more", \.failsOnHTTPErrorWithBody),
    .parsed(
      nil, "pretty", "auto|always|never", "lay out JSON on stdout in lines; auto: on a terminal", \.pretty,
      OptionValue.when),
    .parsed(
      nil, "color", "auto|always|never", "colour JSON and heads on stdout; auto: on a terminal", \.colour,
      OptionValue.when),
    .flag(nil, "check-status", "status 4 when the server answers 400 or more, 5 from 500 on", \.checksStatus),
    .text(
      "w", "write-out", "FORMAT", "print after the transfer: %{http_code} and others, %{json} for all; @FILE",
      \.writeOut, common: true),
  ]

  static let transferOptions: [Option] = [
    .parsed(
      "C", "continue-at", "OFFSET", "continue a transfer at OFFSET; - for the size of the file", \.transfer.resume,
      OptionValue.resume),
    .parsed(
      nil, "limit-rate", "SPEED", "at most so many bytes per second, such as 500K or 2M", \.transfer.rateLimit,
      OptionValue.size),
    .parsed(
      "Y", "speed-limit", "SPEED", "end a transfer that is slower than SPEED for the time of -y", \.transfer.speedLimit,
      OptionValue.size),
    .parsed(
      "y", "speed-time", "SECONDS", "the time for -Y; 30 unless given", \.transfer.speedTime, OptionValue.duration),
    .parsed(
      nil, "max-filesize", "BYTES", "refuse a larger body, such as 10M", \.transfer.maximumFileSize, OptionValue.size),
    .parsed(
      "m", "max-time", "SECONDS", "the limit for the whole transfer; none unless given", \.connection.maximumTime,
      common: true, OptionValue.duration),
    .text(nil, "etag-save", "FILE", "write the response's ETag to FILE", \.transfer.etagSaveFile),
    .text(
      nil, "etag-compare", "FILE", "ask for the body only if the ETag in FILE is outdated", \.transfer.etagCompareFile),
    .parsed(
      "z", "time-cond", "DATE|FILE", "only if newer than DATE or the time of FILE; -DATE: only if older",
      \.transfer.timeCondition, OptionValue.timeCondition),
  ]

  static let verbosityOptions: [Option] = [
    .counter("v", "verbose", "tell on stderr what is sent and received; -vv: and times", \.verbosity, common: true),
    .flag("s", "silent", "neither progress nor errors", \.isSilent, common: true),
    .flag("S", "show-error", "errors even with -s", \.showsErrors, common: true),
    .flag(nil, "show-secrets", "do not mask credentials, cookies and tokens", \.showsSecrets),
    .choice(nil, "no-progress", "no progress bar") { $0.showsProgress = false },
    .choice("#", "progress-bar", "a progress bar; this is the default") { $0.showsProgress = true },
    .parsed(
      nil, "output-format", "text|json",
      "json: errors, warnings and transfers as JSON lines on stderr, and nothing else (no -v)",
      \.reportsJSON, OptionValue.outputFormat),
    .value(nil, "trace", "FILE", "write all that is sent and received to FILE, with hexadecimal digits; - or %") {
      ($0.trace.file, $0.trace.isTextOnly) = ($1, false)
    },
    .value(nil, "trace-ascii", "FILE", "the same without the digits") {
      ($0.trace.file, $0.trace.isTextOnly) = ($1, true)
    },
    .flag(nil, "trace-time", "with the time of each line of -v and --trace", \.trace.showsTime),
    .flag(nil, "trace-ids", "with the numbers of transfer and connection", \.trace.showsIDs),
    .text(nil, "stderr", "FILE", "write what goes to stderr to FILE; - for stdout", \.errorFile),
  ]
}

extension CommandLineOptions.Transfer {
  /// What `--clobber` and `--no-clobber` say.
  var clobbers: Bool {
    get { clobber == .always }
    set { clobber = newValue ? .always : .never }
  }
}

extension CommandLineOptions {
  /// Both at once, as `--fail-with-body` says.
  var failsOnHTTPErrorWithBody: Bool {
    get { failsOnHTTPError && keepsBodyOfHTTPError }
    set { (failsOnHTTPError, keepsBodyOfHTTPError) = (newValue, newValue) }
  }
}
