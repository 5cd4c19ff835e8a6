internal import LinnetHTTP

/// Turns the words of the command line, and of configuration files, into options. Pure: it opens no file by itself.
package struct CommandLineParser {
  private var options = CommandLineOptions()
  private var words: [Word] = []
  /// What stands before each `--next` so far.
  private var sections: [CommandLineOptions] = []
  private let readConfig: ConfigReader
  /// How many configuration files name each other at this point.
  private var configDepth = 0
  private var isAtFirstOption = true
  /// The user's configuration file is being read.
  private var isStanding = false

  /// Gives the content of a configuration file, for which is waited so long at most.
  package typealias ConfigReader = (Argument, Duration?) throws(CommandError) -> ConfigFile

  /// A URL, or what stands where one may be.
  private struct Word {
    var argument: Argument
    /// It was the value of `--url`, so that it can only be a URL.
    var isURL: Bool
  }

  /// More than anybody nests; a file that names itself would go on for ever.
  private static let maximumConfigDepth = 8

  private init(_ readConfig: @escaping ConfigReader) { self.readConfig = readConfig }

  /// - Parameters:
  ///   - standardConfig: Gives the user's configuration file, if there is one; not asked for when the first option is `-q`.
  ///   - readConfig: Gives the files of `-K`.
  /// - Throws: A usage error that names the word at fault, and the file and line that it stands in; what the closures throw.
  package static func parse(
    _ arguments: [Argument],
    standardConfig: () throws(CommandError) -> ConfigFile? = { () throws(CommandError) in nil },
    readConfig: @escaping ConfigReader = { name, _ throws(CommandError) in throw .usage("cannot read '\(name.text)'") }
  ) throws(CommandError) -> CommandLineOptions {
    var parser = CommandLineParser(readConfig)
    if !disablesConfig(arguments.first), let file = try standardConfig() {
      parser.isStanding = true
      try parser.apply(file)
      parser.isStanding = false
    }
    parser.isAtFirstOption = true
    try parser.parse(arguments)
    try parser.finish()
    try parser.joined.checkWhole()
    return parser.joined
  }

  /// The first section with the others behind it; what is for the command as a whole counts wherever it stood.
  private var joined: CommandLineOptions {
    guard var first = sections.first else { return options }
    first.copyCommonPart(of: options)
    first.following = (sections.dropFirst() + [options]).map { section in
      var section = section
      section.copyCommonPart(of: options)
      return section
    }
    return first
  }

  private static func disablesConfig(_ word: Argument?) -> Bool {
    guard let word else { return false }
    return ["--disable", "--no-config"].contains(word.text) || word.bytes.starts(with: Array("-q".utf8))
  }

  private mutating func parse(_ arguments: [Argument]) throws(CommandError) {
    var rest = arguments[...]
    var onlyURLs = false
    while let word = rest.popFirst() {
      let dash = UInt8(ascii: "-")
      if onlyURLs || word.bytes.first != dash || word.bytes.count == 1 {
        words.append(Word(argument: word, isURL: onlyURLs))
      } else if word.bytes == [dash, dash] {
        onlyURLs = true
      } else {
        try parseOption(word, &rest)
      }
      isAtFirstOption = false
    }
  }

  // MARK: Words

  private mutating func parseOption(_ word: Argument, _ rest: inout ArraySlice<Argument>) throws(CommandError) {
    if word.bytes.starts(with: Array("--".utf8)) { try parseLong(word, &rest) } else { try parseShort(word, &rest) }
  }

  /// `--name`, `--name value`, `--name=value` or `--no-name`.
  private mutating func parseLong(_ word: Argument, _ rest: inout ArraySlice<Argument>) throws(CommandError) {
    let text = word.bytes.dropFirst(2)
    let separator = text.firstIndex(of: UInt8(ascii: "="))
    let name = Argument(text[..<(separator ?? text.endIndex)]).text
    let attached = separator.map { Argument(text[($0 + 1)...]) }
    guard let option = Option.byLongName[name] else {
      guard name.hasPrefix("no-"), let option = Option.byLongName[String(name.dropFirst(3))],
        case .flag(let set) = option.effect
      else { throw Self.unknown("--\(name)") }
      guard attached == nil else { throw .usage("option --\(name) takes no value") }
      set(&options, false)
      options.given.append(.init(name: option.long, value: nil, isNegated: true, isStanding: isStanding))
      return
    }
    if option.value == nil {
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
        // Not what follows the letter: it may be the value of another option, such as a password.
        throw Self.unknown(
          "-\(name)", in: word.bytes.count == 2 ? nil : Argument(word.bytes.dropLast(letters.count)))
      }
      guard option.value != nil else {
        try apply(option, Argument([]))
        isAtFirstOption = false
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : Argument(letters) else {
        throw .usage("option -\(name) needs a value")
      }
      try apply(option, value)
      return
    }
  }

  private static func unknown(_ name: String, in word: Argument? = nil) -> CommandError {
    if let reason = Option.missing[name] { return .usage("unknown option '\(name)': \(reason)") }
    return .usage("unknown option '\(name)'\(word.map { " (in \($0.text))" } ?? ""); 'linnet --help all' lists them")
  }

  private mutating func apply(_ option: Option, _ value: Argument) throws(CommandError) {
    options.given.append(
      .init(
        name: option.long, value: option.value == nil ? nil : value, isNegated: false, isStanding: isStanding))
    switch option.effect {
    case .flag(let set): set(&options, true)
    case .choice(let choose): choose(&options)
    case .value(let take): try take(&options, value)
    case .parser(.next):
      guard options.action == .request else { return }
      // Its place is known by the sections themselves.
      options.given.removeLast()
      // As in curl, what has no URL goes on.
      guard !words.isEmpty else { return }
      try finish()
      sections.append(options)
      options = options.commonPart
      words = []
    case .parser(.url): words.append(Word(argument: value, isURL: true))
    case .parser(.config): try apply(try readConfig(value, options.connection.maximumTime))
    case .parser(.disableConfig):
      guard isAtFirstOption && configDepth == 0 else {
        throw .usage("option -q (--\(option.long)) counts only as the first one")
      }
    case .parser(.help): if options.action == .request { options.action = .help }
    case .parser(.version): if options.action == .request { options.action = .version }
    }
  }

  // MARK: Configuration files

  private mutating func apply(_ file: ConfigFile) throws(CommandError) {
    guard configDepth < Self.maximumConfigDepth else {
      throw .usage("'\(file.name)': configuration files name each other more than \(Self.maximumConfigDepth) deep")
    }
    configDepth += 1
    for line in file.lines {
      do throws(CommandError) {
        try apply(line)
      } catch {
        // What another file says about itself needs no second place.
        throw error.isPlaced
          ? error : CommandError(error.exitCode, "\(file.name):\(line.number): \(error.message)", isPlaced: true)
      }
    }
    configDepth -= 1
  }

  private mutating func apply(_ line: ConfigFile.Line) throws(CommandError) {
    let (option, value) = try line.words()
    var rest = (value.map { [$0] } ?? [])[...]
    try parseOption(option, &rest)
    guard rest.isEmpty else { throw .usage("option \(option.text) takes no value") }
  }

  // MARK: The whole

  private mutating func finish() throws(CommandError) {
    let first = words.first
    switch options.action {
    case .version, .demo, .completions: return
    case .help:
      try chooseTopic()
      return
    case .request: break
    }
    if let first, !first.isURL, sections.isEmpty {
      if words.count == 1, first.argument.text == "demo" {
        options.action = .demo
        return
      }
      if words.count == 2, first.argument.text == "completions", Completions.topics.contains(words[1].argument.text) {
        options.action = .completions
        options.topic = words[1].argument.text
        return
      }
    }
    try takeMethod()
    guard let first = words.first else {
      if !sections.isEmpty { throw .usage("no URL given after the last --next; nothing was sent") }
      throw .usage("no URL given; 'linnet --help' shows how to use it")
    }
    if words.count == 1, !first.isURL, Self.commonMethods.contains(first.argument.text) {
      throw .usage("no URL given after \(first.argument.text); 'linnet --help' shows how to use it")
    }
    options.urls = words.map(\.argument)
    try options.checkCombinations()
  }

  /// The first word without an option, when it looks like a method and there is a URL besides: also one that `--url` or a
  /// configuration file names.
  private mutating func takeMethod() throws(CommandError) {
    guard words.count > 1, let index = words.firstIndex(where: { !$0.isURL }), Self.isMethod(words[index].argument)
    else { return }
    let method = words[index].argument.text
    guard options.method == nil || options.method == method else {
      throw .usage("two methods: \(method) and -X \(options.method ?? "")")
    }
    options.method = method
    words.remove(at: index)
  }

  private mutating func chooseTopic() throws(CommandError) {
    guard let word = words.first else { return }
    let topics = Option.groups.map(\.topic)
    guard word.argument.text == "all" || topics.contains(word.argument.text) else {
      // A URL, as in `linnet http://a/ --help`, does not keep the help away.
      return
    }
    options.topic = word.argument.text
  }

  /// What is no host when it stands alone.
  private static let commonMethods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// A first word in capitals that is followed by a URL is the method: `linnet DELETE localhost/x`.
  private static func isMethod(_ word: Argument) -> Bool {
    !word.bytes.isEmpty && word.bytes.allSatisfy { 0x41...0x5A ~= $0 || $0 == 0x2D }
  }
}

extension CommandLineOptions {
  /// What each option cannot see alone.
  func checkCombinations() throws(CommandError) {
    let sendsData = !data.isEmpty && !sendsDataInQuery
    guard uploadFile == nil || data.isEmpty else { throw .usage("-T cannot be used together with -d or --json") }
    guard !wantsHeadOnly || (!sendsData && uploadFile == nil) else {
      throw .usage("-I cannot be used together with -d, --json or -T")
    }
    guard !sendsDataInQuery || !sendsJSON else { throw .usage("-G cannot be used together with --json") }
    try tls.checkCombinations(prefix: "--")
    try proxy.tls.checkCombinations(prefix: "--proxy-")
    if let minimum = tls.minimumVersion, let maximum = tls.maximumVersion, maximum < minimum {
      throw .usage("--tls-max \(maximum.rawValue.dropFirst("TLSv".count)) is lower than --tlsv1.3")
    }
    guard credentials.user == nil || credentials.bearerToken == nil else {
      throw .usage("-u cannot be used together with --oauth2-bearer")
    }
    guard !checksStatus || !failsOnHTTPError else {
      throw .usage("--check-status cannot be used together with -f or --fail-with-body: their statuses differ")
    }
    guard credentials.scheme == .basic || credentials.bearerToken == nil else {
      throw .usage("--oauth2-bearer cannot be used together with --digest or --anyauth")
    }
  }
}

extension CommandLineOptions.TLS {
  /// What is about a certificate, or its key, needs one.
  fileprivate func checkCombinations(prefix: String) throws(CommandError) {
    if certificate == nil {
      let needy = [
        ("key", key != nil), ("key-type", keyFormat != nil), ("pass", passphrase != nil),
        ("cert-type", certificateFormat != nil),
      ]
      if let option = needy.first(where: \.1)?.0 { throw .usage("\(prefix)\(option) needs \(prefix)cert") }
    }
    guard keyFormat == nil || key != nil || certificateFormat != .pkcs12 else {
      throw .usage("\(prefix)key-type cannot be used together with \(prefix)cert-type P12, which holds its key")
    }
  }
}
