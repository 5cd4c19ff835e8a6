internal import LinnetBytes
package import LinnetHTTPTypes
internal import LinnetProtocols

/// The cookies of one hop: what the caller gave, and the jar.
package struct HopCookies: Sendable {
  let jar: CookieJar
  /// The values of the caller's `Cookie` fields.
  let given: [[UInt8]]
  /// The end of the request's total timeout; nil when it is not known, as with a transport that is no ``HTTPClient``.
  var deadline: CookieJar.Deadline?

  init(jar: CookieJar, given: [[UInt8]], deadline: CookieJar.Deadline?) {
    self.jar = jar
    self.given = given
    self.deadline = deadline
  }

  /// - Parameters:
  ///   - headers: The fields of the request as the caller gave them.
  ///   - deadline: Until when cookies that come may be waited for.
  package init(jar: CookieJar, headers: HTTPHeaders, deadline: CookieJar.Deadline? = nil) {
    self.init(jar: jar, given: Self.fields(of: headers), deadline: deadline)
  }

  /// Makes the `Cookie` field of a request what the caller gave and the jar has now.
  package func put(into headers: inout HTTPHeaders, for url: HTTPURL) {
    let value = fieldValue(for: url)
    // The usual first request: nothing there, and nothing to change.
    if value == nil && given.isEmpty && !headers.contains("Cookie") { return }
    // Headers that must not be sent stay as they are: they fail the request, and the record of it goes with the field.
    guard (try? headers.validate()) != nil else { return }
    headers.remove("Cookie")
    if let value, !value.isEmpty { headers.appendUnchecked(name: "Cookie".utf8Span.span, value: value.span) }
  }

  /// Keeps what a response sets. A proxy that refuses (407) does not speak for the origin.
  package func keep(_ head: ResponseHead, from url: HTTPURL) async {
    if head.status.code != 407 { await jar.store(head.headers, from: url, until: deadline) }
  }

  /// The value of the one `Cookie` field (RFC 6265bis §5.8.1): the caller's cookies, then those of the jar whose names the
  /// caller has not used. Nil for none.
  func fieldValue(for url: HTTPURL) -> [UInt8]? {
    let stored = jar.take(for: url)
    if stored.isEmpty && given.count <= 1 { return given.first }
    var value = Array(given.joined(separator: Self.separator))
    let names = value.isEmpty ? [] : Self.names(in: value)
    for cookie in stored where !names.contains(cookie.identity.name) {
      if !value.isEmpty { value.append(contentsOf: Self.separator) }
      if !cookie.identity.name.isEmpty {
        value.append(contentsOf: cookie.identity.name)
        value.append(UInt8(ascii: "="))
      }
      value.append(contentsOf: cookie.value)
    }
    return value
  }

  private static var separator: [UInt8] { [UInt8(ascii: ";"), ASCII.space] }

  static func isFieldName(_ name: String) -> Bool { ASCII.equalIgnoringCase(name.utf8, "cookie".utf8) }

  static func fields(of headers: HTTPHeaders) -> [[UInt8]] {
    var values: [[UInt8]] = []
    headers.forEachValue(of: "Cookie") { value in
      var bytes: [UInt8] = []
      for index in value.indices { bytes.append(value[index]) }
      if !bytes.isEmpty { values.append(bytes) }
    }
    return values
  }

  private static func names(in value: [UInt8]) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for pair in value.split(separator: UInt8(ascii: ";")) {
      let pair = pair.drop(while: ASCII.isWhitespace)
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
        names.insert([])
        continue
      }
      var name = pair[..<equals]
      while let last = name.last, ASCII.isWhitespace(last) { name.removeLast() }
      names.insert(Array(name))
    }
    return names
  }
}

extension HopCookies: CustomReflectable {
  /// Nothing: cookies are credentials.
  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
