internal import SwiftSyntax

/// How far a declaration is visible, narrowest first.
enum AccessLevel: Int, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`

  /// The narrowest of a type's own level and those of the types around it, as far as its file shows them.
  init(of declaration: some DeclGroupSyntax, in lexicalContext: [Syntax]) {
    let chain = [Syntax(declaration)] + lexicalContext
    var narrowest = AccessLevel.public
    for (index, node) in chain.enumerated() where !node.is(ExtensionDeclSyntax.self) {
      guard let group = node.asProtocol((any DeclGroupSyntax).self) else { continue }
      // A modifier of an extension is the default of its members, not a limit.
      let inherited = index + 1 < chain.count ? chain[index + 1].as(ExtensionDeclSyntax.self)?.modifiers : nil
      narrowest = min(narrowest, AccessLevel(group.modifiers) ?? inherited.flatMap(AccessLevel.init) ?? .internal)
    }
    self = narrowest
  }

  private init?(_ modifiers: DeclModifierListSyntax) {
    for modifier in modifiers where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.private): self = .private
      case .keyword(.fileprivate): self = .fileprivate
      case .keyword(.internal): self = .internal
      case .keyword(.package): self = .package
      case .keyword(.public), .keyword(.open): self = .public
      default: continue
      }
      return
    }
    return nil
  }

  /// The modifier of a witness with a space after it. The witnesses stand in an extension, where `private` would hide
  /// them from the conformance.
  var witnessModifier: String {
    switch self {
    case .private, .fileprivate: "fileprivate "
    case .internal: ""
    case .package: "package "
    case .public: "public "
    }
  }

  static func < (left: AccessLevel, right: AccessLevel) -> Bool { left.rawValue < right.rawValue }
}
