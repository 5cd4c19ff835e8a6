internal import SwiftSyntax

/// A variable of the endpoint that has a name.
struct EndpointProperty {
  enum Storage { case stored, computed, typeLevel, lazy }

  /// The name without backticks, as a placeholder writes it.
  let name: String
  let identifier: TokenSyntax
  /// The written type; a binding without one takes that of the bindings after it, as in `let a, b: Int`.
  let type: TypeSyntax?
  let storage: Storage
  let binding: PatternBindingSyntax
  let declaration: VariableDeclSyntax
  let member: MemberBlockItemSyntax
}

/// What the macro needs to know of the struct that it is attached to.
struct EndpointDeclaration {
  private(set) var properties: [EndpointProperty] = []
  /// The patterns of stored properties that have no single name.
  private(set) var destructurings: [(pattern: PatternSyntax, binding: PatternBindingSyntax)] = []
  private(set) var aliases: [String: (declaration: TypeAliasDeclSyntax, member: MemberBlockItemSyntax)] = [:]
  /// Nested types and generic parameters, which witness an associated type just like an alias.
  private(set) var typeNames: Set<String> = []
  /// Functions without parameters, which would collide with a generated property.
  private(set) var bareFunctions: [String: (name: TokenSyntax, member: MemberBlockItemSyntax)] = [:]
  /// Names that stand for a type chosen by the caller, of the struct and of the types around it.
  let genericParameters: Set<String>
  let name: TokenSyntax
  let memberBlock: MemberBlockSyntax
  let access: AccessLevel

  init(_ declaration: StructDeclSyntax, lexicalContext: [Syntax]) {
    name = declaration.name
    memberBlock = declaration.memberBlock
    access = AccessLevel(of: declaration, in: lexicalContext)
    let own = Self.genericParameters(of: Syntax(declaration))
    genericParameters = own.union(lexicalContext.flatMap(Self.genericParameters(of:)))
    typeNames = own
    collect(declaration.memberBlock.members)
  }

  func property(named name: String) -> EndpointProperty? { properties.first { $0.name == name } }

  func storedProperty(named name: String) -> EndpointProperty? {
    properties.first { $0.name == name && $0.storage == .stored }
  }

  /// The instance-level variable or function that would collide with a generated property of this name.
  func instanceMember(named name: String) -> (name: TokenSyntax, member: MemberBlockItemSyntax)? {
    if let property = properties.first(where: { $0.name == name && $0.storage != .typeLevel }) {
      return (property.identifier, property.member)
    }
    return bareFunctions[name]
  }

  func declaresType(named name: String) -> Bool { aliases[name] != nil || typeNames.contains(name) }

  /// Whether other members of the struct, its initialisers aside, read this property.
  func isRead(_ property: EndpointProperty) -> Bool {
    memberBlock.members.contains { member in
      member.id != property.member.id && !member.decl.is(InitializerDeclSyntax.self)
        && member.tokens(viewMode: .sourceAccurate).contains {
          $0.identifier?.name == property.name && $0.parent?.is(DeclReferenceExprSyntax.self) == true
        }
    }
  }

  /// Whether the name of this property occurs in another member, which renaming the declaration alone would break.
  func isMentioned(_ property: EndpointProperty) -> Bool {
    memberBlock.members.contains { member in
      member.id != property.member.id
        && member.tokens(viewMode: .sourceAccurate).contains { $0.identifier?.name == property.name }
    }
  }

  /// Every branch of `#if` counts: which one is compiled is not the author's mistake to make twice.
  private mutating func collect(_ members: MemberBlockItemListSyntax) {
    for member in members {
      if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
        for clause in conditional.clauses {
          if case .decls(let inner) = clause.elements { collect(inner) }
        }
      } else if let variable = member.decl.as(VariableDeclSyntax.self) {
        collect(variable, member)
      } else if let alias = member.decl.as(TypeAliasDeclSyntax.self) {
        aliases[alias.name.bareName] = (alias, member)
      } else if let function = member.decl.as(FunctionDeclSyntax.self) {
        let isInstance = !function.modifiers.contains { ["static", "class"].contains($0.name.text) }
        if isInstance, function.signature.parameterClause.parameters.isEmpty {
          bareFunctions[function.name.bareName] = (function.name, member)
        }
      } else if let type = member.decl.asProtocol((any NamedDeclSyntax).self),
        member.decl.isProtocol((any DeclGroupSyntax).self)
      {
        typeNames.insert(type.name.bareName)
      }
    }
  }

  private mutating func collect(_ variable: VariableDeclSyntax, _ member: MemberBlockItemSyntax) {
    let modifiers = Set(variable.modifiers.map(\.name.text))
    var type: TypeSyntax?
    var found: [EndpointProperty] = []
    for binding in variable.bindings.reversed() {
      type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
      let storage: EndpointProperty.Storage =
        !modifiers.isDisjoint(with: ["static", "class"])
        ? .typeLevel : modifiers.contains("lazy") ? .lazy : binding.isComputed ? .computed : .stored
      if let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier {
        found.append(
          EndpointProperty(
            name: identifier.bareName, identifier: identifier, type: type, storage: storage, binding: binding,
            declaration: variable, member: member))
      } else if storage != .typeLevel {
        destructurings.append((binding.pattern, binding))
      }
    }
    properties += found.reversed()
  }

  private static func genericParameters(of node: Syntax) -> Set<String> {
    let clause = node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
    return Set(clause?.parameters.map(\.name.bareName) ?? [])
  }
}

extension TokenSyntax {
  /// The name without backticks.
  var bareName: String { identifier?.name ?? text }
}

extension PatternBindingSyntax {
  /// Whether reading runs code of the author's; observers alone leave a property stored.
  var isComputed: Bool {
    guard let accessorBlock else { return false }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return true }
    return accessors.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }
}
