/// Whether a client keeps cookies, and where.
public enum CookieHandling: Sendable {
  /// None are kept or sent, but for a `Cookie` header of the request's own. The raw client's default.
  case off
  /// Every client has a jar of its own, which lives as long as it does.
  case privateJar
  /// This jar, which clients may share.
  case jar(CookieJar)
}
