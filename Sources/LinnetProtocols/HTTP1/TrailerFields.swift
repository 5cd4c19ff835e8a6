internal import LinnetHTTPTypes

/// Which fields may stand in a trailer section (RFC 9110 §6.5.1): none that frames or routes the message, modifies the
/// request, authenticates, says how to read the content, or controls how the response is handled. By the time a trailer
/// arrives all of that was decided.
enum TrailerFields {
  /// The trailers without the forbidden ones, which are ignored rather than refused: they do no harm once dropped.
  static func permitted(_ trailers: HTTPHeaders) -> HTTPHeaders {
    var hasForbidden = false
    trailers.forEachField { name, _ in hasForbidden = hasForbidden || isForbidden(name) }
    guard hasForbidden else { return trailers }
    var permitted = HTTPHeaders()
    trailers.forEachField { name, value in
      if !isForbidden(name) { permitted.appendUnchecked(name: name, value: value) }
    }
    return permitted
  }

  static func isForbidden(_ name: Span<UInt8>) -> Bool {
    switch name.count {
    case 2: matches(name, "te")
    case 3: matches(name, "age")
    case 4: matches(name, "date", "host", "vary")
    case 5: matches(name, "range")
    case 6: matches(name, "cookie", "expect", "pragma")
    case 7: matches(name, "expires", "trailer", "upgrade", "warning")
    case 8: matches(name, "if-match", "if-range", "location")
    case 10: matches(name, "connection", "keep-alive", "set-cookie")
    case 11: matches(name, "retry-after")
    case 12: matches(name, "content-type", "max-forwards")
    case 13: matches(name, "authorization", "cache-control", "content-range", "if-none-match")
    case 14: matches(name, "content-length")
    case 16: matches(name, "content-encoding", "proxy-connection", "www-authenticate")
    case 17: matches(name, "if-modified-since", "transfer-encoding")
    case 18: matches(name, "proxy-authenticate")
    case 19: matches(name, "if-unmodified-since", "proxy-authorization")
    default: false
    }
  }

  private static func matches(_ name: Span<UInt8>, _ candidates: StaticString...) -> Bool {
    candidates.contains { ByteScan.equals(name, ignoringCase: $0) }
  }
}
