/// An option of the command: how it is written, what it is for and what it does. One table, by themes, that the parser, the
/// help text, the manual page, the completions and the tests read.
package struct Option: Sendable {
  package let short: Character?
  package let long: String
  /// What its value is called; nil: it has none.
  package let value: String?
  package let help: String
  /// It stands in the short help.
  package let isCommon: Bool
  let effect: Effect

  /// What an option does.
  enum Effect: Sendable {
    /// A switch; `--no-` before its name turns it off.
    case flag(@Sendable (inout CommandLineOptions, Bool) -> Void)
    /// One of several choices, of which the last one counts.
    case choice(@Sendable (inout CommandLineOptions) -> Void)
    case value(@Sendable (inout CommandLineOptions, Argument) throws(CommandError) -> Void)
    case parser(ParserAction)
  }

  /// What needs more than the options.
  enum ParserAction: Sendable {
    case url, config, disableConfig, help, version
  }

  /// Options under a heading.
  package struct Group: Sendable {
    package let title: String
    /// The word for it after `--help`.
    package let topic: String
    package let options: [Option]
  }

  /// The groups in the order of the help text.
  package static let groups: [Group] = [
    Group(title: "Request", topic: "request", options: requestOptions),
    Group(title: "Redirections", topic: "redirect", options: redirectOptions),
    Group(title: "Credentials and cookies", topic: "auth", options: credentialOptions),
    Group(title: "Output", topic: "output", options: outputOptions),
    Group(title: "Transfer", topic: "transfer", options: transferOptions),
    Group(title: "Verbosity", topic: "verbose", options: verbosityOptions),
    Group(title: "Connection", topic: "connection", options: connectionOptions),
    Group(title: "TLS", topic: "tls", options: tlsOptions),
    Group(title: "Proxy", topic: "proxy", options: proxyOptions),
    Group(title: "Command", topic: "command", options: commandOptions),
  ]

  package static let all: [Option] = groups.flatMap(\.options)

  /// Second names.
  package static let aliases = [
    "no-progress-meter": "no-progress", "show-headers": "include", "no-config": "disable",
  ]

  static let byLongName: [String: Option] = {
    var table = Dictionary(all.map { ($0.long, $0) }, uniquingKeysWith: { first, _ in first })
    for (alias, name) in aliases { table[alias] = table[name] }
    return table
  }()

  static let byShortName: [Character: Option] = Dictionary(
    all.compactMap { option in option.short.map { ($0, option) } }, uniquingKeysWith: { first, _ in first })

  /// Options of curl that people will try, and what they wait for.
  static let missing: [String: String] = [
    "-F": "multipart forms are not supported yet", "--form": "multipart forms are not supported yet",
    "--form-string": "multipart forms are not supported yet", "--retry": "retrying is not supported yet",
    "--retry-delay": "retrying is not supported yet", "--retry-max-time": "retrying is not supported yet",
    "--retry-connrefused": "retrying is not supported yet", "--retry-all-errors": "retrying is not supported yet",
    "--next": "all URLs of one command share its options", "-:": "all URLs of one command share its options",
    "--socks4": "SOCKS 4 without names is not supported; use --socks4a", "--tlsv1.0": "TLS 1.0 is retired (RFC 8996)",
    "--tlsv1.1": "TLS 1.1 is retired (RFC 8996)", "--sslv3": "SSL is retired", "--http3": "HTTP/3 is not supported",
  ]
}

extension Option {
  static func flag(
    _ short: Character?, _ long: String, _ help: String,
    _ field: any WritableKeyPath<CommandLineOptions, Bool> & Sendable, common: Bool = false
  ) -> Option {
    Option(
      short: short, long: long, value: nil, help: help, isCommon: common,
      effect: .flag { options, isOn in options[keyPath: field] = isOn })
  }

  static func choice(
    _ short: Character?, _ long: String, _ help: String, common: Bool = false,
    _ effect: @escaping @Sendable (inout CommandLineOptions) -> Void
  ) -> Option {
    Option(short: short, long: long, value: nil, help: help, isCommon: common, effect: .choice(effect))
  }

  /// An option whose value is kept as it is; the last one counts.
  static func text(
    _ short: Character?, _ long: String, _ value: String, _ help: String,
    _ field: any WritableKeyPath<CommandLineOptions, Argument?> & Sendable, common: Bool = false
  ) -> Option {
    Option(
      short: short, long: long, value: value, help: help, isCommon: common,
      effect: .value { options, argument in options[keyPath: field] = argument })
  }

  /// An option whose value is understood by `parse`, which gets the option's name for its errors; the last one counts.
  static func parsed<Value>(
    _ short: Character?, _ long: String, _ value: String, _ help: String,
    _ field: any WritableKeyPath<CommandLineOptions, Value> & Sendable, common: Bool = false,
    _ parse: @escaping @Sendable (Argument, String) throws(CommandError) -> Value
  ) -> Option {
    Option(
      short: short, long: long, value: value, help: help, isCommon: common,
      effect: .value { options, argument throws(CommandError) in
        options[keyPath: field] = try parse(argument, "--\(long)")
      })
  }

  /// An option that can be given several times; all count.
  static func repeated<Value>(
    _ short: Character?, _ long: String, _ value: String, _ help: String,
    _ field: any WritableKeyPath<CommandLineOptions, [Value]> & Sendable, common: Bool = false,
    _ parse: @escaping @Sendable (Argument, String) throws(CommandError) -> Value
  ) -> Option {
    Option(
      short: short, long: long, value: value, help: help, isCommon: common,
      effect: .value { options, argument throws(CommandError) in
        options[keyPath: field].append(try parse(argument, "--\(long)"))
      })
  }

  static func value(
    _ short: Character?, _ long: String, _ value: String, _ help: String, common: Bool = false,
    _ effect: @escaping @Sendable (inout CommandLineOptions, Argument) -> Void
  ) -> Option {
    Option(short: short, long: long, value: value, help: help, isCommon: common, effect: .value(effect))
  }

  static func action(
    _ short: Character?, _ long: String, _ value: String?, _ help: String, common: Bool = false,
    _ action: ParserAction
  ) -> Option {
    Option(short: short, long: long, value: value, help: help, isCommon: common, effect: .parser(action))
  }
}
