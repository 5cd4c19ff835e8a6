public import FoundationEssentials

/// Encodes a value as one segment of an endpoint's path.
///
/// ```swift
/// var path: String { "/users/\(EndpointPathEncoding.percentEncodedSegment(name))/posts" }
/// ```
///
/// Letters, digits, `-._~`, the sub-delimiters `!$&'()*+,;=` and `:` and `@` stay (`pchar` of RFC 3986 §3.3); everything
/// else, above all `/` and `%`, becomes `%XX`, non-ASCII text as UTF-8. So a value never adds a segment, and a server
/// that decodes the segment gets the value.
///
/// The values `.` and `..`, and the empty text, cannot stand in a path: they would climb, or the segment would
/// disappear. They are written as `%2E` and `%2E%2E`, which the client then refuses with
/// ``NetworkConfigurationFailureReason/invalidRequest(_:)``.
public enum EndpointPathEncoding {
  /// The segment for a text.
  public static func percentEncodedSegment(_ value: String) -> String {
    switch value {
    case "", ".": "%2E"
    case "..": "%2E%2E"
    default: PercentEscaping.pathSegment.escape(value)
    }
  }

  /// The segment for a UUID, in upper case.
  public static func percentEncodedSegment(_ value: UUID) -> String { value.uuidString }

  /// The segment for a value with a lossless text, such as a number.
  public static func percentEncodedSegment<T: LosslessStringConvertible>(_ value: T) -> String {
    percentEncodedSegment(value.description)
  }

  /// The segment for the raw value of an enumeration or a typed identifier.
  public static func percentEncodedSegment<T: RawRepresentable>(
    _ value: T
  ) -> String where T.RawValue: LosslessStringConvertible {
    percentEncodedSegment(value.rawValue.description)
  }

  /// The segment for the raw value of an enumeration or a typed identifier.
  public static func percentEncodedSegment<T: RawRepresentable>(_ value: T) -> String where T.RawValue == UUID {
    percentEncodedSegment(value.rawValue)
  }

  /// The segment for the raw value, not the description, of a type that has both.
  public static func percentEncodedSegment<T: RawRepresentable & LosslessStringConvertible>(
    _ value: T
  ) -> String where T.RawValue: LosslessStringConvertible {
    percentEncodedSegment(value.rawValue.description)
  }

  /// An optional has no segment: what a missing value means for the path is for the caller to say.
  @available(
    *, unavailable,
    message: "A path segment needs a value: unwrap the optional first, and decide what the path is without it."
  )
  public static func percentEncodedSegment<T>(_ value: T?) -> String { "" }

  /// A value without a text of its own has no segment.
  @available(
    *, unavailable,
    message: "A path segment is made of a String, a UUID, a LosslessStringConvertible value, or a raw value of those."
  )
  public static func percentEncodedSegment<T>(_ value: T) -> String { "" }
}
