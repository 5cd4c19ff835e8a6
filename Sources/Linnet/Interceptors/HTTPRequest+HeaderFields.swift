public import LinnetHTTP

/// The spelling of Foundation's `URLRequest`, so that interceptors that were written for it read the same.
extension HTTPRequest {
  /// The method's name, such as `GET`.
  public var httpMethod: String { method.rawValue }

  /// The values of a field, joined by comma and space; nil when there is none. Names compare without case.
  public func value(forHTTPHeaderField field: String) -> String? { headers.value(for: field) }

  /// Replaces every field of this name by one; nil removes them. A value that cannot be sent is recorded, and the request
  /// fails with it before anything is sent.
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { headers[field] = value }

  /// Adds a field, also when there is one of this name. Use ``setValue(_:forHTTPHeaderField:)`` for fields that have one
  /// value, such as `Authorization`.
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) { headers.add(field, value) }
}
