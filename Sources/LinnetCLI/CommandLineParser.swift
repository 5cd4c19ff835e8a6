internal import LinnetHTTP

/// Turns the words of the command line into options. Pure: it opens no file.
package struct CommandLineParser {
  private var options = CommandLineOptions()
  private var positionals: [Argument] = []

  private init() {}

  /// - Throws: A usage error that names the word at fault.
  package static func parse(_ arguments: [Argument]) throws(CommandError) -> CommandLineOptions {
    var parser = CommandLineParser()
    var rest = arguments[...]
    var onlyPositionals = false
    while let word = rest.popFirst() {
      let dash = UInt8(ascii: "-")
      if onlyPositionals || word.bytes.first != dash || word.bytes.count == 1 {
        parser.positionals.append(word)
      } else if word.bytes == [dash, dash] {
        onlyPositionals = true
      } else if word.bytes.starts(with: [dash, dash]) {
        try parser.parseLong(word, &rest)
      } else {
        try parser.parseShort(word, &rest)
      }
    }
    try parser.finish()
    return parser.options
  }

  // MARK: Words

  /// `--name`, `--name value` or `--name=value`.
  private mutating func parseLong(_ word: Argument, _ rest: inout ArraySlice<Argument>) throws(CommandError) {
    let text = word.bytes.dropFirst(2)
    let separator = text.firstIndex(of: UInt8(ascii: "="))
    let name = Argument(text[..<(separator ?? text.endIndex)]).text
    guard let option = Option.byLongName[name] else { throw Self.unknown("--\(name)") }
    let attached = separator.map { Argument(text[($0 + 1)...]) }
    if option.specification.value == nil {
      guard attached == nil else { throw .usage("option --\(name) takes no value") }
      try apply(option, Argument([]))
    } else {
      guard let value = attached ?? rest.popFirst() else { throw .usage("option --\(name) needs a value") }
      try apply(option, value)
    }
  }

  /// `-s`, `-sSf`, `-o value` or `-ovalue`.
  private mutating func parseShort(_ word: Argument, _ rest: inout ArraySlice<Argument>) throws(CommandError) {
    var letters = word.bytes.dropFirst()
    while let letter = letters.popFirst() {
      let name = Character(Unicode.Scalar(letter))
      guard let option = Option.byShortName[name] else {
        throw Self.unknown(word.bytes.count == 2 ? word.text : "-\(name) (in \(word.text))")
      }
      guard option.specification.value != nil else {
        try apply(option, Argument([]))
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : Argument(letters) else {
        throw .usage("option -\(name) needs a value")
      }
      try apply(option, value)
      return
    }
  }

  private static func unknown(_ name: String) -> CommandError {
    .usage("unknown option '\(name)'; 'linnet --help' lists them")
  }

  // MARK: Options

  private mutating func apply(_ option: Option, _ value: Argument) throws(CommandError) {
    switch option {
    case .request: options.method = value.text
    case .header: options.headers.append(value)
    case .data: addData(value, dropsLineEnds: true)
    case .dataBinary: addData(value, dropsLineEnds: false)
    case .dataRaw: options.data.append(.init(source: .bytes(value.bytes)))
    case .json:
      options.sendsJSON = true
      addData(value, dropsLineEnds: false, isFormData: false)
    case .uploadFile: options.uploadFile = value
    case .head: options.wantsHeadOnly = true
    case .userAgent: options.userAgent = value
    case .referer: options.referer = value
    case .range: options.range = try Self.range(value)
    case .compressed: options.isCompressed = true
    case .output: options.outputs.append(value.bytes == [UInt8(ascii: "-")] ? .standardOutput : .file(value))
    case .remoteName: options.outputs.append(.remoteName)
    case .include: options.includesHead = true
    case .fail: options.failsOnHTTPError = true
    case .failWithBody: (options.failsOnHTTPError, options.keepsBodyOfHTTPError) = (true, true)
    case .writeOut: options.writeOut = value
    case .createDirectories: options.createsDirectories = true
    case .silent: options.isSilent = true
    case .showError: options.showsErrors = true
    case .verbose: options.isVerbose = true
    case .showSecrets: options.showsSecrets = true
    case .noProgress: options.showsProgress = false
    case .help, .version: if options.action == .request { options.action = option == .help ? .help : .version }
    case .insecure, .caFile, .certificate, .key, .passphrase, .http11, .http2, .http2PriorKnowledge, .resolve,
      .unixSocket, .abstractUnixSocket, .ipv4, .ipv6, .connectTimeout, .maximumTime, .expectTimeout:
      try applyConnection(option, value)
    }
  }

  private mutating func applyConnection(_ option: Option, _ value: Argument) throws(CommandError) {
    switch option {
    case .insecure: options.isInsecure = true
    case .caFile: options.caFile = value
    case .certificate: options.certificate = value
    case .key: options.key = value
    case .passphrase: options.passphrase = value
    case .resolve: options.resolve.append(try Self.resolveEntry(value))
    case .unixSocket: options.unixSocket = value
    case .abstractUnixSocket: options.unixSocket = Argument([UInt8(ascii: "@")] + value.bytes)
    case .ipv4: options.addressFamily = .ipv4
    case .ipv6: options.addressFamily = .ipv6
    case .connectTimeout: options.connectTimeout = try Self.duration(value, of: "--connect-timeout")
    case .maximumTime: options.maximumTime = try Self.duration(value, of: "--max-time")
    case .expectTimeout: options.expectTimeout = try Self.duration(value, of: "--expect100-timeout") ?? .zero
    // The last one counts, as in curl.
    case .http11: options.httpVersion = .http1Only
    case .http2: options.httpVersion = .automatic
    case .http2PriorKnowledge: options.httpVersion = .http2PriorKnowledge
    default: break
    }
  }

  private mutating func addData(_ value: Argument, dropsLineEnds: Bool, isFormData: Bool = true) {
    guard value.bytes.first == UInt8(ascii: "@") else {
      options.data.append(.init(source: .bytes(value.bytes), isFormData: isFormData))
      return
    }
    options.data.append(
      .init(
        source: .file(Argument(value.bytes.dropFirst())), dropsLineEnds: dropsLineEnds, isFormData: isFormData))
  }

  /// Seconds with a fraction; 0 stands for no limit, as in curl.
  private static func duration(_ value: Argument, of option: String) throws(CommandError) -> Duration? {
    let text = value.text
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2E }), let seconds = Double(text),
      seconds <= 1e9
    else { throw .usage("option \(option): '\(text)' is not a number of seconds") }
    return seconds == 0 ? nil : .seconds(seconds)
  }

  private static func range(_ value: Argument) throws(CommandError) -> Argument {
    guard !value.bytes.isEmpty, value.bytes.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x2C || $0 == 0x20 })
    else { throw .usage("option --range: '\(value.text)' is not a range such as 0-499 or -500") }
    return value
  }

  /// `host:port:address[,address]`; a host or address that has colons stands in brackets.
  private static func resolveEntry(_ value: Argument) throws(CommandError) -> CommandLineOptions.ResolveEntry {
    let refused = CommandError.usage("option --resolve: '\(value.text)' is not HOST:PORT:ADDRESS")
    var text = value.text[...]
    if text.hasPrefix("+") { text = text.dropFirst() }
    var host: Substring
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      text = text[text.index(after: end)...]
    } else {
      host = text.prefix { $0 != ":" }
      text = text[host.endIndex...]
    }
    guard !host.isEmpty, text.first == ":" else { throw refused }
    text = text.dropFirst()
    let port = text.prefix { $0 != ":" }
    text = text[port.endIndex...].dropFirst()
    guard let number = UInt16(port), number > 0, !text.isEmpty else { throw refused }
    return .init(
      hostAndPort: "\(host.lowercased()):\(number)",
      addresses: text.split(separator: ",", omittingEmptySubsequences: true).map { String($0) })
  }

  // MARK: The whole

  private mutating func finish() throws(CommandError) {
    guard options.action == .request else { return }
    if positionals == [Argument("demo")] {
      options.action = .demo
      return
    }
    if positionals.count > 1, let first = positionals.first, Self.isMethod(first) {
      guard options.method == nil || options.method == first.text else {
        throw .usage("two methods: \(first.text) and -X \(options.method ?? "")")
      }
      options.method = first.text
      positionals.removeFirst()
    }
    guard !positionals.isEmpty else { throw .usage("no URL given; 'linnet --help' shows how to use it") }
    if positionals.count == 1, let only = positionals.first, Self.commonMethods.contains(only.text) {
      throw .usage("no URL given after \(only.text); 'linnet --help' shows how to use it")
    }
    options.urls = positionals
    guard options.uploadFile == nil || options.data.isEmpty else {
      throw .usage("-T cannot be used together with -d or --json")
    }
    guard !options.wantsHeadOnly || (options.data.isEmpty && options.uploadFile == nil) else {
      throw .usage("-I cannot be used together with -d, --json or -T")
    }
    guard options.key == nil || options.certificate != nil else { throw .usage("--key needs --cert") }
  }

  /// What is no host when it stands alone.
  private static let commonMethods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// A first word in capitals that is followed by a URL is the method: `linnet DELETE localhost/x`.
  private static func isMethod(_ word: Argument) -> Bool {
    !word.bytes.isEmpty && word.bytes.allSatisfy { 0x41...0x5A ~= $0 || $0 == 0x2D }
  }
}
