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
    let pieces = [trimmed(base.path), trimmed(try encoded(path))].filter { !$0.isEmpty }
    var text = "\(base.scheme.rawValue)://\(base.hostHeaderValue)/\(pieces.joined(separator: "/"))"
    let queries = [base.query, query].compactMap(\.self).filter { !$0.isEmpty }
    if !queries.isEmpty { text += "?" + queries.joined(separator: "&") }
    do throws(HTTPURLError) {
      return try HTTPURL(text)
    } catch {
      throw .configuration(reason: .invalidRequest("the path \"\(excerpt(path))\" makes no URL: \(error)"))
    }
  }

  /// The path with everything percent-encoded that is neither allowed in a path nor an escape.
  static func encoded(_ path: String) throws(NetworkError) -> String {
    let bytes = Array(path.utf8)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "?"), UInt8(ascii: "#"):
        throw refusal(path, "contains \"\(Unicode.Scalar(byte))\"; parameters belong into the query encoder's hands")
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count, ASCII.isHexDigit(bytes[index + 1]), ASCII.isHexDigit(bytes[index + 2]) else {
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
    return String(decoding: output, as: UTF8.self)
  }

  private static func trimmed(_ path: String) -> Substring {
    var rest = path[...]
    while rest.utf8.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    while rest.utf8.last == UInt8(ascii: "/") { rest = rest.dropLast() }
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
