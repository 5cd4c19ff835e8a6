public import LinnetHTTP

extension HTTPHeaders {
  /// The headers of an endpoint that names none: the library's `User-Agent` and, when the environment names a language,
  /// `Accept-Language`.
  ///
  /// A field that still has the library's value counts as a default, whoever put it in: the client's own headers and
  /// the providers of ``TransportPack`` win over it. `Accept-Encoding` is not among them; the engine sends what it
  /// decodes.
  public static var `default`: HTTPHeaders { LibraryHeaders.all }

  /// Removes the fields of every name that `other` has, and appends those of `other`, repeats kept.
  mutating func replaceFields(with other: HTTPHeaders) {
    if !isEmpty {
      for header in other where contains(header.name) { remove(header.name) }
    }
    add(contentsOf: other)
  }
}

/// The library's own header values, computed once for the process.
enum LibraryHeaders {
  static let userAgent = HTTPHeader.makeDefaultUserAgent()
  /// Nil when the environment names no language.
  static let acceptLanguage: HTTPHeader? = {
    let languages = PreferredLanguages.current
    return languages.isEmpty ? nil : HTTPHeader.makeDefaultAcceptLanguage(preferredLanguages: languages)
  }()
  static let acceptEncoding = HTTPHeader.acceptEncoding("gzip, deflate")

  static let all: HTTPHeaders = {
    var headers = HTTPHeaders([userAgent])
    if let acceptLanguage { headers.add(acceptLanguage) }
    return headers
  }()

  /// Whether a field is one of ours with our value.
  static func contains(_ header: HTTPHeader) -> Bool { fields.contains(header) }

  /// Removes the fields that still have our values. What `headers` recorded about invalid fields stays.
  static func removeDefaults(from headers: inout HTTPHeaders) {
    guard headers != all else {
      headers = HTTPHeaders()
      return
    }
    for field in fields where headers.value(for: field.name) == field.value { headers.remove(field.name) }
  }

  private static let fields = [userAgent, HTTPHeader.defaultAcceptLanguage, acceptEncoding]
}
