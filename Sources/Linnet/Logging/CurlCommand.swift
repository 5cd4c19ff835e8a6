public import FoundationEssentials
public import LinnetHTTP

/// What a cURL command shows. Everything is hidden unless asked for: commands are pasted into chats and tickets.
public struct CurlCommandOptions: Sendable, Hashable {
  /// Whether the values of headers are shown. Default false.
  public var includesHeaderValues: Bool
  /// Whether the body is there. Default false.
  public var includesBody: Bool
  /// Whether the values of the query are shown. Default false.
  public var includesQueryValues: Bool
  /// A file that holds the body, named in the command in its place. Default none.
  public var bodyFileURL: URL?

  /// Options; each that is left out is the safe one.
  public init(
    includesHeaderValues: Bool = false, includesBody: Bool = false, includesQueryValues: Bool = false,
    bodyFileURL: URL? = nil
  ) {
    self.includesHeaderValues = includesHeaderValues
    self.includesBody = includesBody
    self.includesQueryValues = includesQueryValues
    self.bodyFileURL = bodyFileURL
  }
}

extension HTTPRequest {
  /// The request as a command for a POSIX shell, to be repeated by hand or shown to whoever runs the server.
  ///
  /// Headers are sorted by name. User name, password and fragment of the URL are never shown; values of headers and of the
  /// query are `<redacted>` and the body is left out unless the options say otherwise. A body that is a file is named,
  /// one in memory is written out when it is text; a stream, and bytes that are not text, are left out, unless
  /// ``CurlCommandOptions/bodyFileURL`` tells where to find them.
  public func curlCommand(_ options: CurlCommandOptions = CurlCommandOptions()) -> String {
    var words = ["curl"]
    let body = options.includesBody ? bodyArguments(options) : []
    // curl makes a POST of a request with data unless told otherwise, and waits for the body of a HEAD it was given by -X.
    switch method {
    case .head: words.append("--head")
    case .get where body.isEmpty: break
    default: words += ["-X", method.rawValue.shellQuoted]
    }
    let url = Redaction.url(self.url, keepsQueryValues: options.includesQueryValues)
    if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    for header in headers.sorted() { words += ["-H", headerArgument(header, options).shellQuoted] }
    if !body.isEmpty, !headers.contains("Content-Type") { words += ["-H", "'Content-Type:'"] }
    words += body
    words.append(url.shellQuoted)
    return words.joined(separator: " ")
  }

  private func headerArgument(_ header: HTTPHeader, _ options: CurlCommandOptions) -> String {
    guard options.includesHeaderValues else { return "\(header.name): \(Redaction.mark)" }
    return header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
  }

  private func bodyArguments(_ options: CurlCommandOptions) -> [String] {
    if let path = options.bodyFileURL?.path ?? body?.filePath { return ["--data-binary", "@\(path)".shellQuoted] }
    guard let bytes = body?.bytesInMemory, !bytes.isEmpty else { return [] }
    // A shell's argument ends at a zero byte.
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return [] }
    return ["--data-raw", text.shellQuoted]
  }
}

extension String {
  /// The text as one word of a POSIX shell: unchanged when it has none but harmless characters, otherwise in single
  /// quotes, inside of which only the quote itself is special (POSIX.1 XCU 2.2.2).
  fileprivate var shellQuoted: String {
    let isHarmless = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
    }
    if isHarmless, !isEmpty { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
