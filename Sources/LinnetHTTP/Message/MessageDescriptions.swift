internal import LinnetHTTPTypes

// Requests and responses end up in logs, also by accident: as a member of something that is printed or dumped. So what
// they print of themselves has neither credentials nor content, and their mirrors have no more than what is printed.

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line with the method, the URL without user name, password, fragment and values of the query, the names of the
  /// header fields, and the size of the body.
  public var description: String {
    var text = "\(method.rawValue) \((try? parsedURL())?.loggedDescription ?? "<not a URL>")"
    if !headers.isEmpty { text += " \(headers.loggedNames)" }
    if let body { text += " with \(body)" }
    return text
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What ``description`` has.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method.rawValue, "url": (try? parsedURL())?.loggedDescription ?? "<not a URL>",
        "headers": headers.loggedNames, "body": body.map { "\($0)" } ?? "none",
      ], displayStyle: .struct)
  }
}

extension HTTPRequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind and the size of the body; never its content.
  public var description: String {
    if let bytesInMemory { return "\(bytesInMemory)" }
    if let filePath { return "the file \(filePath)" }
    return knownLength.map { "a stream of \($0) bytes" } ?? "a stream"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What ``description`` has.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line with the status, the URL as in a request's description, and the names of the header fields.
  public var description: String { "\(status) \(url.loggedDescription) \(headers.loggedNames)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What ``description`` has.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["status": "\(status)", "url": url.loggedDescription, "headers": headers.loggedNames],
      displayStyle: .struct)
  }
}

extension HTTPURL {
  /// The URL for logs: without user name, password and fragment, and with the names only of the query's parameters.
  package var loggedDescription: String {
    let text = "\(scheme.rawValue)://\(hostHeaderValue)\(path)"
    return query.map { "\(text)?\($0.redactingQueryValues)" } ?? text
  }
}

extension String {
  /// A query with the names only of its parameters.
  fileprivate var redactingQueryValues: String {
    utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
      guard let end = pair.firstIndex(of: UInt8(ascii: "=")) else { return String(Substring(pair)) }
      return "\(Substring(pair[..<end]))=<redacted>"
    }.joined(separator: "&")
  }

  /// A URL with the names only of its query's parameters.
  var redactingValuesInURL: String {
    guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return self }
    return self[...mark] + String(self[utf8.index(after: mark)...]).redactingQueryValues
  }
}

extension HTTPHeaders {
  /// The names of the fields, for logs.
  package var loggedNames: String { "[\(map(\.name).joined(separator: ", "))]" }
}
