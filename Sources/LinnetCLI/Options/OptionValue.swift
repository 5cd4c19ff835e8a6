internal import LinnetHTTP

/// The values of options.
enum OptionValue {
  typealias DataPiece = CommandLineOptions.DataPiece

  // MARK: Numbers

  /// Seconds with a fraction; 0 stands for no limit, as in curl.
  static func duration(_ value: Argument, of option: String) throws(CommandError) -> Duration? {
    let text = value.text
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2E }), let seconds = Double(text),
      seconds <= 1e9
    else { throw .usage("option \(option): '\(text)' is not a number of seconds") }
    return seconds == 0 ? nil : .seconds(seconds)
  }

  /// Seconds, where 0 means not at all.
  static func wait(_ value: Argument, of option: String) throws(CommandError) -> Duration {
    try duration(value, of: option) ?? .zero
  }

  static func resume(_ value: Argument, of option: String) throws(CommandError) -> CommandLineOptions.Resume {
    if value.isDash { return .automatic }
    guard let offset = number(value.bytes) else {
      throw .usage("option \(option): '\(value.text)' is neither a number of bytes nor -")
    }
    return .offset(offset)
  }

  /// Bytes, with `K`, `M`, `G` or `T` for powers of 1024 and a fraction before it; 0 stands for no limit, as in curl.
  static func size(_ value: Argument, of option: String) throws(CommandError) -> UInt64? {
    let refused = CommandError.usage("option \(option): '\(value.text)' is not a size such as 4096, 500K or 1.5M")
    var digits = value.bytes[...]
    if let last = digits.last, [UInt8(ascii: "B"), UInt8(ascii: "b")].contains(last) { digits.removeLast() }
    let units: [UInt8: UInt64] = [0x6B: 1 << 10, 0x6D: 1 << 20, 0x67: 1 << 30, 0x74: 1 << 40]
    guard let last = digits.last else { throw refused }
    if let unit = units[last | 0x20] {
      digits.removeLast()
      guard let bytes = scaled(digits, by: unit) else { throw refused }
      return bytes == 0 ? nil : bytes
    }
    guard let bytes = number(digits) else { throw refused }
    return bytes == 0 ? nil : bytes
  }

  private static func scaled(_ digits: ArraySlice<UInt8>, by unit: UInt64) -> UInt64? {
    if let whole = number(digits) {
      let (bytes, isTooLarge) = whole.multipliedReportingOverflow(by: unit)
      return isTooLarge ? nil : bytes
    }
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2E }), let factor = Double(text), factor < 1e6 else {
      return nil
    }
    return UInt64(factor * Double(unit))
  }

  private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
    guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self))
  }

  static func hops(_ value: Argument, of option: String) throws(CommandError) -> Int? {
    if value.bytes == Array("-1".utf8) { return nil }
    guard let number = number(value.bytes), let hops = Int(exactly: number) else {
      throw .usage("option \(option): '\(value.text)' is not a number, nor -1 for no limit")
    }
    return hops
  }

  static func parallelMaximum(_ value: Argument, of option: String) throws(CommandError) -> Int {
    guard let number = number(value.bytes), 1...1000 ~= number else {
      throw .usage("option \(option): '\(value.text)' is not a number from 1 to 1000")
    }
    return Int(number)
  }

  // MARK: Words

  static func range(_ value: Argument, of option: String) throws(CommandError) -> Argument {
    guard !value.bytes.isEmpty, value.bytes.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x2C || $0 == 0x20 })
    else { throw .usage("option \(option): '\(value.text)' is not a range such as 0-499 or -500") }
    return value
  }

  static func certificateFormat(
    _ value: Argument, of option: String
  ) throws(CommandError) -> CommandLineOptions.KeyFormat? {
    guard let format = CommandLineOptions.KeyFormat(rawValue: value.text.uppercased()) else {
      throw .usage("option \(option): '\(value.text)' is none of PEM, DER, P12")
    }
    return format
  }

  static func keyFormat(_ value: Argument, of option: String) throws(CommandError) -> CommandLineOptions.KeyFormat? {
    guard let format = CommandLineOptions.KeyFormat(rawValue: value.text.uppercased()), format != .pkcs12 else {
      throw .usage("option \(option): '\(value.text)' is neither PEM nor DER")
    }
    return format
  }

  /// Nil for `default`.
  static func tlsVersion(
    _ value: Argument, of option: String
  ) throws(CommandError) -> TLSConfiguration.Version? {
    switch value.text {
    case "default": return nil
    case "1.2": return .tls12
    case "1.3": return .tls13
    case "1.0", "1.1": throw .usage("option \(option): TLS \(value.text) is retired (RFC 8996)")
    default: throw .usage("option \(option): '\(value.text)' is none of 1.2, 1.3, default")
    }
  }

  /// `=https`, `http,https`, `-http`, `all`, as curl's: `=` sets, `+` and no sign add, `-` takes away.
  static func schemes(_ value: Argument, of option: String) throws(CommandError) -> Set<String> {
    let all: Set = ["http", "https"]
    var schemes = all
    for part in value.text.split(separator: ",", omittingEmptySubsequences: true) {
      let sign = part.first.flatMap { "=+-".contains($0) ? $0 : nil }
      let name = (sign == nil ? part : part.dropFirst()).lowercased()
      guard name == "all" || all.contains(name) else {
        throw .usage("option \(option): '\(name)' is none of http, https, all")
      }
      let named = name == "all" ? all : [name]
      switch sign {
      case "=": schemes = named
      case "-": schemes.subtract(named)
      default: schemes.formUnion(named)
      }
    }
    return schemes
  }

  static func timeCondition(_ value: Argument, of option: String) throws(CommandError)
    -> CommandLineOptions.TimeCondition
  {
    let sign = value.bytes.first
    let hasSign = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
    let rest = hasSign ? Argument(value.bytes.dropFirst()) : value
    guard !rest.bytes.isEmpty else { throw .usage("option \(option): '\(value.text)' is neither a date nor a file") }
    return .init(isOlder: sign == UInt8(ascii: "-"), value: rest)
  }

  // MARK: Data

  /// The five forms of `--data-urlencode`.
  static func encodedData(_ value: Argument) -> DataPiece {
    let equals = UInt8(ascii: "=")
    guard let sign = value.bytes.firstIndex(where: { $0 == equals || $0 == UInt8(ascii: "@") }) else {
      return DataPiece(source: .bytes(value.bytes), encodedAfter: [])
    }
    let name = value.bytes[..<sign]
    let rest = value.bytes[(sign + 1)...]
    let prefix = name.isEmpty ? [] : name + [equals]
    return DataPiece(
      source: value.bytes[sign] == equals ? .bytes(Array(rest)) : .file(Argument(rest)), encodedAfter: Array(prefix))
  }

  static func query(_ value: Argument) -> DataPiece {
    value.bytes.first == UInt8(ascii: "+")
      ? DataPiece(source: .bytes(Array(value.bytes.dropFirst()))) : encodedData(value)
  }
}
