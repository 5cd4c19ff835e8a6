package import LinnetHTTP

/// What an answer means for a file that is being completed (`-C`). Pure.
package struct ResumeRules: Sendable, Equatable {
  /// What becomes of the file.
  package enum Decision: Sendable, Equatable {
    /// The body belongs behind what is there. `missing`: how many bytes will still not be there after it.
    case append(missing: UInt64)
    /// Everything is there already; the body is thrown away.
    case complete
    /// The file stays as it is, and the transfer fails with this reason.
    case refuse(String)
  }

  /// How many bytes are there.
  package var offset: UInt64
  /// The strong entity tag of what is there, when one is known.
  package var entityTag: String?

  package init(offset: UInt64, entityTag: String? = nil) {
    self.offset = offset
    self.entityTag = entityTag
  }

  /// Only a strong validator may stand in `If-Range` (RFC 9110 §13.1.5).
  package static func strong(_ entityTag: String?) -> String? {
    entityTag.flatMap { $0.hasPrefix("\"") ? $0 : nil }
  }

  /// Looks at a final response to the request for the rest.
  package func decide(status: Int, headers: HTTPHeaders) -> Decision {
    let range = headers.value(for: "Content-Range").flatMap { ContentRange($0) }
    switch (status, range) {
    case (206, .bytes(let first, let last, let total)?):
      guard first == offset else {
        return .refuse("the server sends bytes from \(first) on where \(offset) was asked for")
      }
      if let entityTag, let now = Self.strong(headers.value(for: "ETag")), now != entityTag {
        return .refuse("the file on the server has changed")
      }
      return .append(missing: total.map { $0 - last - 1 } ?? 0)
    case (206, _): return .refuse("the server does not say which bytes it sends")
    case (304, _): return .complete
    case (416, .unsatisfied(let total)?):
      return total == offset
        ? .complete : .refuse("there are \(offset) bytes here, but the file on the server has \(total)")
    case (416, _): return .refuse("the server has nothing from byte \(offset) on and does not say how long its file is")
    case (200..<300, _):
      // The whole file again: if it is just as long, nothing is missing.
      if entityTag == nil, headers.value(for: "Content-Length") == String(offset) { return .complete }
      return .refuse(
        entityTag == nil
          ? "the server does not send parts of it" : "the file on the server has changed, or is not sent in parts")
    default: return .refuse("the server answered \(status)")
    }
  }
}
