internal import LinnetBytes
package import LinnetHTTPTypes

/// Which header fields a cache keeps, and how a 304 changes them (RFC 9111 §3.1, §3.2).
package enum StoredFields {
  /// The fields of a response that are stored: all but those of one connection or proxy.
  package static func storable(_ headers: HTTPHeaders) -> HTTPHeaders {
    var kept = headers
    for name in connectionFields(of: headers) { kept.remove(name) }
    return kept
  }

  /// The fields of a stored response after a 304: each name in it replaces the stored fields of that name. The fields
  /// that describe the stored body stay, as `Content-Length` must; the old `Age` goes, because the age is a new one.
  package static func merging(_ stored: HTTPHeaders, with notModified: HTTPHeaders) -> HTTPHeaders {
    var merged = stored
    merged.remove("Age")
    let skipped = Set(connectionFields(of: notModified)).union(bodyFields)
    var replaced: Set<String> = []
    for header in notModified {
      let name = header.name.asciiLowercased
      if skipped.contains(name) { continue }
      if replaced.insert(name).inserted { merged.remove(name) }
      merged.add(header)
    }
    return merged
  }

  /// Whether a 304 confirms the stored response (RFC 9111 §4.3.4): it names no validator, or the same one. A different
  /// `ETag`, weak or strong by the weak comparison of RFC 9110 §8.8.3.2, means another representation.
  package static func confirms(_ notModified: HTTPHeaders, _ stored: HTTPHeaders) -> Bool {
    guard let confirmed = notModified.value(for: "ETag"), let held = stored.value(for: "ETag") else { return true }
    return opaque(confirmed) == opaque(held)
  }

  private static func opaque(_ tag: String) -> String {
    tag.utf8.starts(with: "W/".utf8) ? String(tag.dropFirst(2)) : tag
  }

  private static var bodyFields: Set<String> {
    ["content-encoding", "content-length", "content-range", "content-type"]
  }

  private static func connectionFields(of headers: HTTPHeaders) -> [String] {
    var names = [
      "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
      "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    headers.forEachListMember(of: "Connection") { member in
      var bytes: [UInt8] = []
      for index in member.indices { bytes.append(ASCII.lowercased(member[index])) }
      names.append(String(decoding: bytes, as: UTF8.self))
    }
    return names
  }
}
