internal import SwiftDiagnostics
internal import SwiftSyntax

/// The rules of the struct itself: its place, its conformances and the members that it must and must not have.
struct DeclarationRules {
  /// Whether a generated conformance would compile.
  private(set) var canConform = true

  private static let protocolNames = ["APIDefinition", "Linnet.APIDefinition"]

  static func check(
    _ structure: StructDeclSyntax, endpoint: EndpointDeclaration, attribute: AttributeSyntax, addsConformance: Bool,
    lexicalContext: [Syntax], findings: inout Findings
  ) -> DeclarationRules {
    var rules = DeclarationRules()
    rules.checkNesting([Syntax(structure)] + lexicalContext, findings: &findings)
    rules.checkConformance(structure, attribute: attribute, addsConformance: addsConformance, findings: &findings)
    rules.checkResponse(structure, endpoint: endpoint, findings: &findings)
    checkConflicts(endpoint, findings: &findings)
    return rules
  }

  /// An extension stands at the top of the file, from where the private members of a type cannot be seen.
  private mutating func checkNesting(_ chain: [Syntax], findings: inout Findings) {
    for (index, node) in chain.enumerated() where index + 1 < chain.count {
      guard let modifiers = node.asProtocol((any DeclGroupSyntax).self)?.modifiers,
        let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.private) && $0.detail == nil })
      else { continue }
      let fixIt = FixIt.edit(
        "use-fileprivate", "write 'fileprivate'", [.replace(modifier, with: "fileprivate")])
      findings.report(
        .privateNesting, at: modifier, fixIts: index == 0 ? [fixIt] : [],
        "a conformance cannot be added to a type that is private inside another one; write 'fileprivate'")
      canConform = false
    }
  }

  private mutating func checkConformance(
    _ structure: StructDeclSyntax, attribute: AttributeSyntax, addsConformance: Bool, findings: inout Findings
  ) {
    let clause = structure.inheritanceClause
    let inherited = clause?.inheritedTypes.first { $0.type.composition.contains(where: isProtocol) }
    if let clause, let inherited {
      findings.report(
        .duplicateConformance, at: inherited.type, fixIts: [removal(of: inherited, from: clause)],
        "the macro adds the conformance to APIDefinition; remove it from the declaration")
      canConform = false
    } else if !addsConformance {
      findings.report(
        .duplicateConformance, at: attribute,
        "an extension already declares the conformance to APIDefinition; remove it there, or remove the macro")
      canConform = false
    }
  }

  private func isProtocol(_ type: TypeSyntax) -> Bool { Self.protocolNames.contains(type.trimmedDescription) }

  private func removal(of inherited: InheritedTypeSyntax, from clause: InheritanceClauseSyntax) -> FixIt {
    let rest = clause.inheritedTypes.compactMap { element -> String? in
      guard element.id == inherited.id else { return element.type.trimmedDescription }
      let others = element.type.composition.filter { !isProtocol($0) }.map(\.trimmedDescription)
      return others.isEmpty ? nil : others.joined(separator: " & ")
    }
    let text = rest.isEmpty ? "" : ": \(rest.joined(separator: ", "))"
    // The clause begins right after the name, so nothing is left of it when it is removed whole.
    let range = clause.positionAfterSkippingLeadingTrivia..<clause.endPositionBeforeTrailingTrivia
    return .edit("remove-conformance", "remove the conformance", [.replace(range, in: clause, with: text)])
  }

  private mutating func checkResponse(
    _ structure: StructDeclSyntax, endpoint: EndpointDeclaration, findings: inout Findings
  ) {
    if let type = endpoint.aliases["APIResponse"]?.declaration.initializer.value, type.isVoid {
      let fixIt = FixIt.edit("use-empty-response", "write 'EmptyResponse'", [.replace(type, with: "EmptyResponse")])
      findings.report(
        .voidResponse, at: type, fixIts: [fixIt],
        "Void cannot be decoded; write EmptyResponse for a response without a body")
      canConform = false
      return
    }
    if endpoint.declaresType(named: "APIResponse") { return }
    let alias = "\(endpoint.access.witnessModifier)typealias APIResponse = <#Response#>"
    let fixIt = FixIt.edit(
      "add-response", "add 'typealias APIResponse'", [.insertMember(alias, after: nil, into: endpoint.memberBlock)])
    findings.report(
      .missingResponse, at: structure.name, fixIts: [fixIt],
      "the endpoint does not say what it returns; add 'typealias APIResponse = …', with EmptyResponse for nothing")
    canConform = false
  }

  private static func checkConflicts(_ endpoint: EndpointDeclaration, findings: inout Findings) {
    let generated: [(String, DiagnosticID, String)] = [
      ("method", .explicitMethodConflict, "method:"),
      ("path", .explicitPathConflict, "path:"),
      ("sessionAuthentication", .explicitSessionAuthenticationConflict, "auth:"),
    ]
    for (name, id, argument) in generated {
      guard let member = endpoint.instanceMember(named: name) else { continue }
      let change: FixIt.Change =
        endpoint.property(named: name).map { .removeProperty($0) } ?? .removeMember(member.member)
      findings.report(
        id, at: member.name, fixIts: [.edit("remove-member", "remove '\(name)'", [change])],
        "the macro writes '\(name)' from its argument '\(argument)'; remove this one, or give it another name")
    }
  }
}

extension TypeSyntax {
  /// Whether it is `Void` or `()`.
  fileprivate var isVoid: Bool { ["Void", "Swift.Void", "()"].contains(trimmedDescription) }

  /// The parts of `A & B`, or the type alone.
  fileprivate var composition: [TypeSyntax] {
    self.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [self]
  }
}
