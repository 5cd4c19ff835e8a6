/// What `-z` asks for: only what is newer, or only what is not newer, than a moment.
package struct TimeCondition: Sendable, Equatable {
  package var isSince: Bool
  /// Seconds since 1970.
  package var seconds: Int64

  package init(isSince: Bool, seconds: Int64) {
    self.isSince = isSince
    self.seconds = seconds
  }

  /// The field that asks the server.
  package var fieldName: String { isSince ? "If-Modified-Since" : "If-Unmodified-Since" }

  /// Whether a representation of this age is wanted: for servers that do not look at the field.
  package func isMet(lastModified: Int64) -> Bool { isSince ? lastModified > seconds : lastModified <= seconds }
}
