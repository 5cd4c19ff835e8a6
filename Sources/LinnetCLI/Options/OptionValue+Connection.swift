extension OptionValue {
  /// `host:port:address[,address]`; a host or address that has colons stands in brackets.
  static func resolveEntry(_ value: Argument, of option: String) throws(CommandError) -> CommandLineOptions.ResolveEntry
  {
    let refused = CommandError.usage("option \(option): '\(value.text)' is not HOST:PORT:ADDRESS")
    var text = value.text[...]
    if text.hasPrefix("+") { text = text.dropFirst() }
    guard let host = takeHost(&text), !host.isEmpty, text.first == ":" else { throw refused }
    text = text.dropFirst()
    let port = text.prefix { $0 != ":" }
    text = text[port.endIndex...].dropFirst()
    guard let number = UInt16(port), number > 0, !text.isEmpty else { throw refused }
    return .init(
      hostAndPort: "\(host.lowercased()):\(number)",
      addresses: text.split(separator: ",", omittingEmptySubsequences: true).map { String($0) })
  }

  /// `host:port:host:port`, of which each part may be empty.
  static func connectToEntry(_ value: Argument, of option: String) throws(CommandError)
    -> CommandLineOptions.ConnectToEntry
  {
    let refused = CommandError.usage("option \(option): '\(value.text)' is not HOST1:PORT1:HOST2:PORT2")
    var text = value.text[...]
    func takeColon() throws(CommandError) {
      guard text.popFirst() == ":" else { throw refused }
    }
    func takePort() throws(CommandError) -> UInt16? {
      let digits = text.prefix { $0 != ":" }
      text = text[digits.endIndex...]
      if digits.isEmpty { return nil }
      guard let port = UInt16(digits), port > 0 else { throw refused }
      return port
    }
    guard let host = takeHost(&text) else { throw refused }
    try takeColon()
    let port = try takePort()
    try takeColon()
    guard let newHost = takeHost(&text) else { throw refused }
    try takeColon()
    let newPort = try takePort()
    guard text.isEmpty else { throw refused }
    return .init(
      host: host.isEmpty ? nil : host.lowercased(), port: port, newHost: newHost.isEmpty ? nil : String(newHost),
      newPort: newPort)
  }

  /// The host at the start of the text, without brackets; nil when a bracket is not closed.
  private static func takeHost(_ text: inout Substring) -> Substring? {
    guard text.hasPrefix("[") else {
      let host = text.prefix { $0 != ":" }
      text = text[host.endIndex...]
      return host
    }
    guard let end = text.firstIndex(of: "]") else { return nil }
    let host = text[text.index(after: text.startIndex)..<end]
    text = text[text.index(after: end)...]
    return host
  }
}
