internal import LinnetHTTP

extension HTTPHeaders {
  /// Adds the field unless the name is there already or there is no value.
  mutating func addIfAbsent(_ name: String, _ value: String?) {
    guard let value, !contains(name) else { return }
    add(name, value)
  }
}
