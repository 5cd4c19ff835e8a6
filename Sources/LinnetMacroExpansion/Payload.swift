internal import SwiftSyntax

/// What the generated `Parameter` and `parameters` are.
enum Payload {
  /// The author wrote both; nothing is generated.
  case explicit
  /// The endpoint sends no parameters. The alias is generated only where the author did not write it.
  case none(writesAlias: Bool)
  /// A stored `body` or `query` is the payload.
  case property(EndpointProperty)

  /// The members of the generated extension, one a line.
  func members(modifiers: String, isolation: String) -> [String] {
    switch self {
    case .explicit:
      return []
    case .none(let writesAlias):
      let alias = "\(modifiers)typealias Parameter = Linnet.EmptyParameter"
      return (writesAlias ? [alias] : []) + ["\(modifiers)\(isolation)var parameters: Parameter? { nil }"]
    case .property(let property):
      let (_, layers) = Self.payloadType(of: property)
      let name = property.identifier.text
      let value =
        switch layers {
        // An alias may hide an optional, whose nil must not be sent as a payload.
        case 0: "Linnet.EndpointPayload.parameters(\(name))"
        case 1: name
        default: name + String(repeating: ".flatMap { $0 }", count: layers - 1)
        }
      return ["\(modifiers)\(isolation)var parameters: Parameter? { \(value) }"]
    }
  }

  /// The alias of a payload whose type the author wrote. It belongs into the struct itself: from an extension, the names
  /// of the types around a nested struct are out of sight.
  func innerMembers(modifiers: String) -> [String] {
    guard case .property(let property) = self else { return [] }
    let (type, _) = Self.payloadType(of: property)
    return ["\(modifiers)typealias Parameter = \(type?.trimmedDescription ?? "Never")"]
  }

  /// The type without its optional layers, and their number.
  private static func payloadType(of property: EndpointProperty) -> (type: TypeSyntax?, layers: Int) {
    var type = property.type?.unwrapped
    var layers = 0
    while let wrapped = type?.optionalWrapped {
      type = wrapped.unwrapped
      layers += 1
    }
    return (type, layers)
  }
}
