/// Cookies by the rules of RFC 6265bis.
public final class CookieJar: Sendable {
  /// An empty jar.
  public init() {}
}
