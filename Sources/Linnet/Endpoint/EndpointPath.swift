internal import LinnetBytes
internal import LinnetHTTP

/// Puts an endpoint's path below a base URL.
package enum EndpointPath {
  /// The URL of an endpoint.
  ///
  /// The paths of both are trimmed of slashes at their edges and joined by one, so a leading slash in the endpoint never
  /// leaves the base's path. A query of the base stays before the endpoint's.
  ///
  /// - Parameters:
  ///   - base: An admitted URL, see ``URLAdmission``.
  ///   - path: The endpoint's path: escapes are kept, and what may not stand in a path is percent-encoded.
  ///   - query: A percent-encoded query without `?`; nil for none.
  /// - Throws: ``NetworkConfigurationFailureReason/invalidRequest(_:)`` for a path with `?`, `#`, a broken escape or a
  ///   dot segment.
  package static func url(base: HTTPURL, path: String, query: String?) throws(NetworkError) -> HTTPURL {
    var text: [UInt8] = []
    let host = base.hostHeaderValue
    text.reserveCapacity(host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 64)
    text.append(contentsOf: base.scheme.rawValue.utf8)
    text.append(contentsOf: "://".utf8)
    text.append(contentsOf: host.utf8)
    let prefix = trimmed(base.path.utf8)
    text.append(UInt8(ascii: "/"))
    text.append(contentsOf: prefix)
    let own = trimmed(path.utf8)
    if !prefix.isEmpty, !own.isEmpty { text.append(UInt8(ascii: "/")) }
    try appendEncoded(own, of: path, to: &text)
    var separator = UInt8(ascii: "?")
    for case let query? in [base.query, query] where !query.isEmpty {
      text.append(separator)
      text.append(contentsOf: query.utf8)
      separator = UInt8(ascii: "&")
    }
    do throws(HTTPURLError) {
      return try HTTPURL(bytes: text.span)
    } catch {
      throw .configuration(reason: .invalidRequest("the path \"\(excerpt(path))\" makes no URL: \(error)"))
    }
  }

  /// Appends a path with everything percent-encoded that is neither allowed in a path nor an escape.
  ///
  /// - Parameter path: The whole path, for messages.
  private static func appendEncoded(
    _ bytes: Substring.UTF8View, of path: String, to output: inout [UInt8]
  ) throws(NetworkError) {
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "?"), UInt8(ascii: "#"):
        throw refusal(
          path,
          "contains \"\(Unicode.Scalar(byte))\"; a query is given as parameters, any other character as its escape")
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2)
        guard digits.count == 2, digits.allSatisfy(ASCII.isHexDigit) else {
          throw refusal(path, "contains a \"%\" that does not begin an escape")
        }
        output.append(byte)
      case UInt8(ascii: "/"): output.append(byte)
      default:
        if PercentEscaping.pathSegment.keeps(byte) {
          output.append(byte)
        } else {
          PercentEscaping.appendEscape(of: byte, to: &output)
        }
      }
    }
    guard !DotSegments.areIn(bytes) else {
      throw refusal(path, "has a segment that is \".\" or \"..\", or was made from an empty value")
    }
  }

  private static func trimmed(_ path: String.UTF8View) -> Substring.UTF8View {
    var rest = path[...]
    while rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    while rest.last == UInt8(ascii: "/") { rest = rest.dropLast() }
    return rest
  }

  private static func refusal(_ path: String, _ problem: String) -> NetworkError {
    .configuration(reason: .invalidRequest("the path \"\(excerpt(path))\" \(problem)"))
  }

  /// What a message shows of a path: one line, not endless, and nothing of what was meant to be a query.
  private static func excerpt(_ path: String) -> String {
    let end = path.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? path.utf8.endIndex
    let shown = path.utf8[..<end]
    var text: [UInt8] = []
    for byte in shown.prefix(128) {
      if (0x21..<0x7F).contains(byte) { text.append(byte) } else { PercentEscaping.appendEscape(of: byte, to: &text) }
    }
    let isCut = end < path.utf8.endIndex || shown.count > 128
    return String(decoding: text, as: UTF8.self) + (isCut ? "…" : "")
  }
}
