/// A value on its way into a query: a tree that encoding fills and ``URLQueryFlattening`` reads.
///
/// A class, because a container and the encoder that made it write into the same place. It never leaves the call.
final class URLQueryNode {
  enum Content {
    /// Nothing was written, or nil.
    case none
    case text(String)
    case object([String: URLQueryNode])
    case array([URLQueryNode])
    /// Found where no error can be thrown: containers are made by functions that do not throw.
    case invalid(String)
  }

  var content = Content.none

  /// The node for a key; one that was written before is replaced.
  func child(_ key: String) -> URLQueryNode {
    let child = URLQueryNode()
    guard case .object(var children) = content else { return child }
    // Without this the dictionary would have two owners and be copied.
    content = .none
    children[key] = child
    content = .object(children)
    return child
  }

  /// The node for the next element.
  func append() -> URLQueryNode {
    let child = URLQueryNode()
    guard case .array(var children) = content else { return child }
    content = .none
    children.append(child)
    content = .array(children)
    return child
  }

  /// Whether pairs with the node's own name come of it; those of an object have names of their own.
  var hasPairs: Bool {
    switch content {
    case .text: true
    case .array(let children): !children.isEmpty
    case .none, .object, .invalid: false
    }
  }

  var elementCount: Int {
    if case .array(let children) = content { return children.count }
    return 0
  }

  func becomeObject() {
    switch content {
    case .none: content = .object([:])
    case .object, .invalid: break
    case .text, .array: content = .invalid("is written both as an object and as something else")
    }
  }

  func becomeArray() {
    switch content {
    case .none: content = .array([])
    case .array, .invalid: break
    case .text, .object: content = .invalid("is written both as an array and as something else")
    }
  }

  func becomeText(_ text: String) {
    switch content {
    case .none: content = .text(text)
    case .invalid: break
    case .text, .object, .array: content = .invalid("is written more than once")
    }
  }
}

/// One name with its value.
struct URLQueryPair {
  enum Value {
    case text(String)
    case list([String], separator: Unicode.Scalar)
  }

  let name: String
  let value: Value

  /// The value as one text.
  ///
  /// - Throws: When an element of a list contains the separator, so that a server would find other elements.
  func unambiguousValue() throws(URLQueryEncoder.EncodingError) -> String {
    switch value {
    case .text(let text): return text
    case .list(let elements, let separator):
      if let index = elements.firstIndex(where: { $0.unicodeScalars.contains(separator) }) {
        throw .unsupportedValue(reason: "element \(index) of \"\(name)\" contains the separator \"\(separator)\"")
      }
      return elements.joined(separator: String(separator))
    }
  }
}
