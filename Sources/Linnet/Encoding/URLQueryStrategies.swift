public import FoundationEssentials

/// How property names become keys of a query.
public enum URLQueryKeyEncodingStrategy: Sendable {
  /// Unchanged.
  case useDefaultKeys
  /// `myURLProperty` becomes `my_url_property`, as with Foundation's JSON encoder. Keys of `[String: …]` dictionaries
  /// are data and stay as they are.
  case convertToSnakeCase
  /// What a function of the whole coding path says.
  case custom(URLQueryCustomKeyTransform)

  /// What a closure says, which gets the path to the key, the key last.
  public static func custom(
    _ transform: @escaping @Sendable (_ codingPath: [any CodingKey]) -> any CodingKey
  ) -> URLQueryKeyEncodingStrategy {
    .custom(URLQueryCustomKeyTransform(transform))
  }

  /// The strategy of a JSON encoder. One that this library does not know counts as
  /// ``URLQueryKeyEncodingStrategy/useDefaultKeys``.
  public init(_ strategy: JSONEncoder.KeyEncodingStrategy) {
    switch strategy {
    case .convertToSnakeCase: self = .convertToSnakeCase
    case .custom(let transform): self = .custom(URLQueryCustomKeyTransform(transform))
    default: self = .useDefaultKeys
    }
  }
}

/// A function from the path of a property to its key in a query.
public struct URLQueryCustomKeyTransform: Sendable {
  private let transform: @Sendable ([any CodingKey]) -> any CodingKey

  /// - Parameter transform: Gets the path from the top-level value to the key, the key last; elements of arrays appear
  ///   with their index. The `stringValue` of its result is used.
  public init(_ transform: @escaping @Sendable (_ codingPath: [any CodingKey]) -> any CodingKey) {
    self.transform = transform
  }

  func callAsFunction(_ codingPath: [any CodingKey]) -> any CodingKey { transform(codingPath) }
}

/// How the elements of an array become pairs. An empty array has none; a nil element is left out and counts.
public enum URLQueryArrayEncodingStrategy: Sendable, Hashable, CaseIterable {
  /// `tags[0]=a&tags[1]=b`, as PHP and Spring read it. The default.
  case indexed
  /// `tags[]=a&tags[]=b`, as Rails and Rack read it.
  case bracketed
  /// `tags=a&tags=b`: the styles form and deepObject of OpenAPI with explode, and Spring.
  case repeated
  /// `tags=a,b`: the style form of OpenAPI without explode, and lists of RFC 6570. A comma in an element is escaped,
  /// the ones between elements are not.
  case commaSeparated
  /// `tags=a|b`, with the bars escaped: the style pipeDelimited of OpenAPI.
  case pipeSeparated
  /// `tags=a b`, with the spaces escaped: the style spaceDelimited of OpenAPI.
  case spaceSeparated
}

/// How the keys of nested objects are written.
public enum URLQueryNestedKeyEncodingStrategy: Sendable, Hashable, CaseIterable {
  /// `user[name]=kim`, as PHP, Rails and the style deepObject of OpenAPI have it. The default.
  case brackets
  /// `user.name=kim`, as Spring has it. Indexes stay in brackets: `users[0].name=kim`.
  case dots
  /// `name=kim`: the style form of OpenAPI with explode drops the name of the parent. Two properties that get the same
  /// name, and arrays of objects, are an error.
  case parentDropped

  /// The style deepObject of OpenAPI, which is ``brackets``.
  public static var deepObject: URLQueryNestedKeyEncodingStrategy { .brackets }
}

/// How a `Bool` is written.
public enum URLQueryBoolEncodingStrategy: Sendable, Hashable, CaseIterable {
  /// `true` and `false`. The default.
  case trueFalse
  /// `1` and `0`.
  case oneZero
}

/// What happens to numbers that are not finite.
public enum URLQueryFloatEncodingStrategy: Sendable, Hashable {
  /// They are an error. The default.
  case `throw`
  /// These texts stand for them.
  case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
}

/// Which characters of names and values stay as they are in a query. Everything else is percent-encoded as UTF-8.
public enum URLQueryPercentEncodingStrategy: Sendable, Hashable, CaseIterable {
  /// Letters, digits and `-._~!$'()*,;:@/?`: what a query may contain (RFC 3986 §3.4) but the delimiters of pairs. A
  /// `+` becomes `%2B`, because most servers read a raw one as a space. The default.
  case queryComponent
  /// Letters, digits and `-._~` only.
  case rfc3986
}
