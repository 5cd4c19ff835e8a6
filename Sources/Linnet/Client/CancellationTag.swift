/// A name under which requests are registered, so that a screen, a job or a session can cancel just its own.
///
/// ```swift
/// let feed: CancellationTag = "feed"
/// async let posts = client.request(GetPosts(), tag: feed)
/// await client.cancelAll(matching: feed)
/// ```
public struct CancellationTag: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The name. Two tags are equal when their names are.
  public let rawValue: String

  /// A tag with a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A tag with a name.
  public init(_ name: String) { rawValue = name }
  /// A tag written as a string literal.
  public init(stringLiteral value: String) { rawValue = value }
}
