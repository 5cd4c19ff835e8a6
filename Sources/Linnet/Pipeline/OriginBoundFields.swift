internal import LinnetHTTP

/// Header fields that the client put on a request for its own origin: its live headers, and credentials that its
/// interceptors set. They are taken off again when the request turns out to go elsewhere.
struct OriginBoundFields: Sendable {
  private struct Field: Sendable {
    let name: String
    let value: String
    /// What the request had before the client set the field.
    let original: String?
  }

  private var fields: [Field] = []

  /// Notes the client's headers that a request has because its endpoint does not set them.
  mutating func note(clientHeaders: HTTPHeaders, unless endpoint: HTTPHeaders) {
    for header in clientHeaders where !endpoint.contains(header.name) {
      guard let value = clientHeaders.value(for: header.name) else { continue }
      fields.append(Field(name: header.name, value: value, original: nil))
    }
  }

  /// Notes credentials that the client's interceptors set or changed.
  mutating func note(credentials names: Set<String>, changedFrom old: HTTPHeaders, to new: HTTPHeaders) {
    for name in names {
      guard let value = new.value(for: name) else { continue }
      let original = old.value(for: name)
      if value != original { fields.append(Field(name: name, value: value, original: original)) }
    }
  }

  /// Takes off what still has the client's value.
  func remove(from headers: inout HTTPHeaders) {
    for field in fields where headers.value(for: field.name) == field.value { headers[field.name] = field.original }
  }
}
