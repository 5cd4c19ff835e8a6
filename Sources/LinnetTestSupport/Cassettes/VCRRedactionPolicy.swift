public import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// What is replaced before an exchange is written into a cassette, and before a request is looked up in one.
///
/// The URL's user name and password are always left out. Request bodies are stored only as digests. In response bodies
/// that are JSON or a form, the values of ``sensitiveJSONKeys`` are replaced; secrets in other bodies, or under other keys,
/// need ``redactResponseBody``. The recording caller gets every response as it came.
public struct VCRRedactionPolicy: Sendable {
  /// The names of header fields whose values are replaced, in requests and responses; compared without case. Fields that
  /// are marked as sensitive are replaced too.
  public var sensitiveHeaderNames: Set<String>
  /// The names of query items whose values are replaced; compared without case after percent-decoding. They are replaced
  /// in the URL of the request and in `Location`, `Content-Location` and `Referer` fields.
  public var sensitiveQueryItemNames: Set<String>
  /// The keys whose values are replaced in response bodies; compared without case, `_` and `-`, so that `access_token`
  /// also names `accessToken`. Empty: bodies are stored as they came.
  ///
  /// In JSON, which is what `Content-Type` says or what begins with `{` or `[`, every text and number that is the value,
  /// or is inside it, becomes a text, at any depth; `true`, `false`, `null` and all bytes around stay. In
  /// `application/x-www-form-urlencoded`, the value of the item is replaced. A stored `Content-Length` is made to fit.
  /// Nothing is found in a body whose content coding the recording transport did not decode.
  public var sensitiveJSONKeys: Set<String>
  /// What stands in the place of a value.
  public var replacement: String
  /// Changes response bodies before they are stored, after ``sensitiveJSONKeys`` was applied; nil, the default, for no
  /// further change.
  public var redactResponseBody: (@Sendable (Data) -> Data)?

  /// A policy; each argument has the value of ``default`` unless given.
  public init(
    sensitiveHeaderNames: Set<String> = ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"],
    sensitiveQueryItemNames: Set<String> = ["access_token", "api_key", "token"],
    sensitiveJSONKeys: Set<String> = [
      "access_token", "api_key", "client_secret", "id_token", "password", "refresh_token", "secret", "token",
    ],
    replacement: String = "<redacted>"
  ) {
    self.sensitiveHeaderNames = sensitiveHeaderNames
    self.sensitiveQueryItemNames = sensitiveQueryItemNames
    self.sensitiveJSONKeys = sensitiveJSONKeys
    self.replacement = replacement
  }

  /// The fields `authorization`, `cookie`, `proxy-authorization`, `set-cookie`, `x-api-key`; the query items
  /// `access_token`, `api_key`, `token`; the keys `access_token`, `api_key`, `client_secret`, `id_token`, `password`,
  /// `refresh_token`, `secret`, `token`; the replacement `<redacted>`.
  public static var `default`: VCRRedactionPolicy { VCRRedactionPolicy() }

  /// The fields with the values of sensitive ones replaced.
  func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
    var redacted = HTTPHeaders()
    for header in headers {
      if header.isSensitive || Self.contains(sensitiveHeaderNames, header.name) {
        redacted.add(header.name, replacement)
      } else if Self.contains(Self.namesOfURLFields, header.name) {
        redacted.add(header.name, redactQuery(of: header.value))
      } else {
        redacted.add(header)
      }
    }
    return redacted
  }

  /// The URL as it is stored and compared.
  func redact(_ url: HTTPURL) -> String { redactQuery(of: url.removingUserinfo().removingFragment().description) }

  private static let namesOfURLFields: Set<String> = ["Location", "Content-Location", "Referer"]

  private static func contains(_ names: Set<String>, _ name: String) -> Bool {
    names.contains { ASCII.equalIgnoringCase($0.utf8, name.utf8) }
  }

  /// Replaces the values of sensitive items between the first `?` and the fragment of a URL.
  func redactQuery(of url: String) -> String {
    let (beforeFragment, fragment) = Self.cut(url, at: "#")
    let (path, query) = Self.cut(String(beforeFragment), at: "?")
    guard let query else { return url }
    let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
      let (name, value) = Self.cut(String(item), at: "=")
      let decoded = String(decoding: PercentEncoding.decode(name), as: UTF8.self)
      guard value != nil, Self.contains(sensitiveQueryItemNames, decoded) else { return String(item) }
      return "\(name)=\(replacement)"
    }
    return "\(path)?\(items.joined(separator: "&"))\(fragment.map { "#\($0)" } ?? "")"
  }

  /// The text before the first `separator`, and what follows it.
  private static func cut(_ text: String, at separator: Character) -> (String, String?) {
    guard let index = text.firstIndex(of: separator) else { return (text, nil) }
    return (String(text[..<index]), String(text[text.index(after: index)...]))
  }
}
