internal import SwiftSyntax

/// What the generated `Parameter` and `parameters` are.
enum Payload {
  /// The author wrote both; nothing is generated.
  case explicit
  /// The endpoint sends no parameters. The alias is generated only where the author did not write it.
  case none(writesAlias: Bool)
  /// A stored `body` or `query` is the payload.
  case property(EndpointProperty)

  /// The generated members, one a line.
  func members(modifiers: String, isolation: String) -> [String] {
    switch self {
    case .explicit:
      return []
    case .none(let writesAlias):
      let alias = "\(modifiers)typealias Parameter = Linnet.EmptyParameter"
      return (writesAlias ? [alias] : []) + ["\(modifiers)\(isolation)var parameters: Parameter? { nil }"]
    case .property(let property):
      var type = property.type?.unwrapped
      var layers = 0
      while let wrapped = type?.optionalWrapped {
        type = wrapped.unwrapped
        layers += 1
      }
      let name = property.identifier.text
      let value =
        switch layers {
        // An alias may hide an optional, whose nil must not be sent as a payload.
        case 0: "Linnet.EndpointPayload.parameters(\(name))"
        case 1: name
        default: name + String(repeating: ".flatMap { $0 }", count: layers - 1)
        }
      return [
        "\(modifiers)typealias Parameter = \(type?.trimmedDescription ?? "Never")",
        "\(modifiers)\(isolation)var parameters: Parameter? { \(value) }",
      ]
    }
  }
}
