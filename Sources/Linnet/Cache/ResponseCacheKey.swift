internal import LinnetBytes
public import LinnetHTTP

/// Under what a response is stored: method, URL and the header fields of the request.
///
/// Header fields are part of the key, so two users, languages or tenants never see each other's responses, whatever
/// `Vary` says. Values of fields with credentials appear as SHA-256 fingerprints only.
public struct ResponseCacheKey: Sendable, Hashable {
  /// The method, verbatim.
  public let method: String
  /// The URL: scheme and host in lower case, without default port, user name, password and fragment. Order and repeats
  /// in the query are kept.
  public let url: String
  /// The fields that count, by name in lower case; the values of repeats are joined with commas. With an engine whose
  /// settings say who it is or whom it trusts, such as a client certificate, authorities or a proxy, `:way` is a
  /// fingerprint of these; no field has that name.
  public let headers: [String: String]

  /// The fields that are not part of a key unless told otherwise: those that do not choose the response, those of the
  /// cache itself, and those that differ from request to request and would make every request a miss.
  public static var defaultExcludedHeaderNames: Set<String> {
    [
      "accept-encoding", "content-type", "date", "if-modified-since", "if-none-match", "user-agent",
      "cache-control", "pragma", "priority",
      "baggage", "idempotency-key", "traceparent", "tracestate", "x-correlation-id", "x-request-id", "x-trace-id",
    ]
  }

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The absolute URL. A text that is no URL is kept as it is, but for the fragment.
  ///   - headers: The fields of the request.
  ///   - sensitiveHeaderNames: More fields whose values are fingerprinted, in any case. Always fingerprinted are
  ///     `Authorization`, `Cookie`, `Proxy-Authorization`, `X-API-Key` and `X-Auth-Token`. The names belong to this key.
  ///   - excludedHeaderNames: The fields that are left out, in any case; ``defaultExcludedHeaderNames`` unless given.
  public init(
    method: String, url: String, headers: HTTPHeaders = HTTPHeaders(), sensitiveHeaderNames: Set<String> = [],
    excludedHeaderNames: Set<String> = ResponseCacheKey.defaultExcludedHeaderNames
  ) {
    let rules = CacheKeyRules(sensitiveHeaderNames: sensitiveHeaderNames, excludedHeaderNames: excludedHeaderNames)
    self = rules.key(method: method, url: Self.normalised(url), headers: headers)
  }

  init(method: String, normalisedURL: String, headers: [String: String]) {
    self.method = method
    url = normalisedURL
    self.headers = headers
  }

  /// The text of a URL in a key.
  static func normalised(_ text: String) -> String {
    if let url = try? HTTPURL(text) { return normalised(url) }
    return String(text.prefix { $0 != "#" })
  }

  /// The text of a URL in a key.
  static func normalised(_ url: HTTPURL) -> String { url.removingFragment().removingUserinfo().description }

  /// The bytes of the key's texts.
  var byteCount: Int {
    headers.reduce(method.utf8.count + url.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }
}

/// How a client makes keys of requests.
package struct CacheKeyRules: Sendable, Hashable {
  /// Replaces credentials.
  package let fingerprint: HeaderFingerprint
  private let excluded: Set<String>

  package init(
    sensitiveHeaderNames: some Sequence<String> = [] as [String],
    excludedHeaderNames: Set<String> = ResponseCacheKey.defaultExcludedHeaderNames
  ) {
    fingerprint = HeaderFingerprint(additionalNames: sensitiveHeaderNames)
    excluded = Set(excludedHeaderNames.map(\.asciiLowercased))
  }

  /// The key of a request.
  ///
  /// - Parameters:
  ///   - url: A URL as ``ResponseCacheKey/url`` has it.
  ///   - way: Stands for the way of the request; nil for that of an engine without settings.
  ///   - credentials: What the engine makes the `Authorization` field of, when the request has none. They count as that
  ///     field does.
  package func key(
    method: String, url: String, headers: HTTPHeaders, credentials: HTTPCredentials? = nil, way: String? = nil
  ) -> ResponseCacheKey {
    var fields: [String: String] = [:]
    // A field of that name cannot be sent.
    fields[":way"] = way
    if let credentials, !excluded.contains("authorization") {
      fields["authorization"] = fingerprint.masked(name: "authorization", value: credentials.distinction)
    }
    for header in headers {
      let name = header.name.asciiLowercased
      if excluded.contains(name) || fields[name] != nil { continue }
      fields[name] = fingerprint.masked(name: name, value: headers.value(for: name) ?? "")
    }
    return ResponseCacheKey(method: method, normalisedURL: url, headers: fields)
  }
}
