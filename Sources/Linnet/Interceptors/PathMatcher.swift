/// Which requests a ``Middleware`` is for, by the path of their URL: without host and query, percent escapes as they are.
/// Everything is compared with case.
///
/// ```
/// .contains("/")          every path
/// .contains("users")      a path with the segment users: /api/users/123
/// .exact("/users")        /users
/// .wildcard("/users/*")   /users/123, not /users/123/posts
/// .glob("/api/**")        /api, /api/v1/users
/// .regex("^/users/\\d+$") /users/123
/// ```
public struct PathMatcher: Sendable, Hashable {
  private enum Rule: Sendable, Hashable {
    case all
    case containing(segment: String)
    case exactly(String)
    case segments([Segment])
    case expression(String)
  }

  private enum Segment: Sendable, Hashable {
    case literal(Substring)
    case one
    case any

    /// Whether the segment stands for exactly `text`.
    func accepts(_ text: Substring) -> Bool {
      switch self {
      case .literal(let literal): literal == text
      case .one: !text.isEmpty
      case .any: false
      }
    }
  }

  private let rule: Rule

  private init(_ rule: Rule) { self.rule = rule }

  /// Whether the matcher is for every request: middleware with it runs before all other.
  public var isGlobal: Bool {
    if case .all = rule { true } else { false }
  }

  /// Paths of which one whole segment is `component`; `/` stands for all paths. A component with a slash inside matches
  /// nothing, because no segment has one.
  public static func contains(_ component: String) -> PathMatcher {
    PathMatcher(component == "/" ? .all : .containing(segment: component))
  }

  /// The path `path` and no other; one slash at either end does not count.
  public static func exact(_ path: String) -> PathMatcher { PathMatcher(.exactly(trimmedOnce(path))) }

  /// Paths with as many segments as `pattern`, each of which is equal or stands opposite a `*`. Slashes at the ends do
  /// not count.
  public static func wildcard(_ pattern: String) -> PathMatcher {
    PathMatcher(.segments(segments(of: pattern).map { $0 == "*" ? .one : .literal($0) }))
  }

  /// As ``wildcard(_:)``, and `**` stands for any number of segments, also none.
  public static func glob(_ pattern: String) -> PathMatcher {
    PathMatcher(.segments(segments(of: pattern).map { $0 == "**" ? .any : $0 == "*" ? .one : .literal($0) }))
  }

  /// Paths in which the regular expression is found, in Swift's syntax; anchor it with `^` and `$`. Nil for one that is
  /// not valid, and for an empty one.
  ///
  /// The expression runs for every request, on a path that may come from outside. Nested repetitions such as `(a+)+`
  /// can take a time that doubles with each character: do not write them, and prefer ``glob(_:)`` where it is enough.
  public static func regex(_ pattern: String) -> PathMatcher? { try? PathMatcher(validatingPattern: pattern) }

  /// The matcher of ``regex(_:)``, with the reason when there is none.
  ///
  /// - Throws: ``NetworkError/configuration(reason:)`` when the pattern is empty or not a regular expression.
  public init(validatingPattern pattern: String) throws(NetworkError) {
    guard !pattern.isEmpty else {
      throw .configuration(
        reason: .invalidRequest("an empty regular expression matches every path; say .contains(\"/\")"))
    }
    do {
      _ = try Regex(pattern)
    } catch {
      throw .configuration(reason: .invalidRequest("\(pattern) is not a regular expression: \(error)"))
    }
    rule = .expression(pattern)
  }

  /// Whether the matcher is for `path`.
  public func matches(_ path: String) -> Bool {
    switch rule {
    case .all: true
    case .containing(let segment): path.split(separator: "/").contains { $0 == segment }
    case .exactly(let wanted): Self.trimmedOnce(path) == wanted
    case .segments(let pattern): Self.matches(Self.segments(of: path), pattern)
    // A compiled expression cannot cross threads, so it is compiled again; that takes microseconds.
    case .expression(let pattern): (try? Regex(pattern).firstMatch(in: path)) != nil
    }
  }

  private static func trimmedOnce(_ path: String) -> String {
    var path = path[...]
    if path.hasPrefix("/") { path = path.dropFirst() }
    if path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }

  private static func segments(of path: String) -> [Substring] {
    var path = path[...]
    while path.hasPrefix("/") { path = path.dropFirst() }
    while path.hasSuffix("/") { path = path.dropLast() }
    return path.isEmpty ? [] : path.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// Goes back to the last `**` only, so the time is at most the product of both lengths.
  private static func matches(_ path: [Substring], _ pattern: [Segment]) -> Bool {
    var place = 0
    var patternPlace = 0
    var retry: (place: Int, patternPlace: Int)?
    while place < path.count {
      let segment = patternPlace < pattern.count ? pattern[patternPlace] : nil
      if case .any = segment {
        retry = (place, patternPlace)
        patternPlace += 1
      } else if segment?.accepts(path[place]) ?? false {
        place += 1
        patternPlace += 1
      } else {
        guard let (lastPlace, lastPattern) = retry else { return false }
        retry = (lastPlace + 1, lastPattern)
        place = lastPlace + 1
        patternPlace = lastPattern + 1
      }
    }
    return pattern[patternPlace...].allSatisfy { if case .any = $0 { true } else { false } }
  }
}
