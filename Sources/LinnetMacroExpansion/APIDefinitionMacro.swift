internal import SwiftDiagnostics
package import SwiftSyntax
internal import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@APIDefinition`: writes the conformance of a struct to Linnet's protocol `APIDefinition`.
///
/// Everything it writes is public API that a person can type. A declaration with a mistake is still expanded where
/// possible, so that the compiler does not add errors about a missing conformance to the one that matters.
package struct APIDefinitionMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    var findings = Findings()
    defer { findings.diagnostics.forEach(context.diagnose) }

    guard let structure = declaration.as(StructDeclSyntax.self) else {
      reportNonStruct(declaration, attribute: node, findings: &findings)
      return []
    }
    let endpoint = EndpointDeclaration(structure, lexicalContext: context.lexicalContext)
    let shape = DeclarationRules.check(
      structure, endpoint: endpoint, attribute: node, addsConformance: !protocols.isEmpty,
      lexicalContext: context.lexicalContext, findings: &findings)
    let arguments = EndpointArguments(node, declaration: endpoint, findings: &findings)
    let path = arguments.path.map { PathRules.check($0, of: endpoint, findings: &findings) }
    let payload = PayloadRules.check(endpoint, arguments: arguments, path: path, findings: &findings)
    guard shape.canConform else { return [] }

    let modifiers = endpoint.access.witnessModifier
    let isolation = structure.hasGlobalActor ? "nonisolated " : ""
    let witnesses = [
      ("method", "Linnet.HTTPMethod", arguments.methodSource ?? ".get"),
      ("path", "Swift.String", path?.source ?? "\"\""),
      ("sessionAuthentication", "Linnet.SessionAuthentication", ".\(arguments.authentication ?? "anonymous")"),
    ]
    var members = witnesses.filter { endpoint.instanceMember(named: $0.0) == nil }.map { name, type, value in
      "\(modifiers)\(isolation)var \(name): \(type) { \(value) }"
    }
    members += (payload ?? .fallback(for: endpoint)).members(modifiers: modifiers, isolation: isolation)
    let attributes = structure.availabilityAttributes
    let source: DeclSyntax = """
      \(raw: attributes)extension \(raw: type.trimmedDescription): Linnet.APIDefinition {
        \(raw: members.joined(separator: "\n  "))
      }
      """
    return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }

  /// The payload that the extension will use; what is wrong with it is reported there.
  private static func payload(
    of structure: StructDeclSyntax, attribute: AttributeSyntax, in context: some MacroExpansionContext
  ) -> (payload: Payload?, endpoint: EndpointDeclaration) {
    var unreported = Findings()
    let endpoint = EndpointDeclaration(structure, lexicalContext: context.lexicalContext)
    let arguments = EndpointArguments(attribute, declaration: endpoint, findings: &unreported)
    let path = arguments.path.map { PathRules.check($0, of: endpoint, findings: &unreported) }
    let payload = PayloadRules.check(endpoint, arguments: arguments, path: path, findings: &unreported)
    return (payload, endpoint)
  }

  private static func reportNonStruct(
    _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax, findings: inout Findings
  ) {
    let keyword = declaration.introducer
    var fixIts: [FixIt] = []
    if declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) {
      let final = declaration.modifiers.first { $0.name.tokenKind == .keyword(.final) }
      let changes = [.replace(keyword, with: "struct")] + (final.map { [FixIt.Change.remove($0)] } ?? [])
      fixIts = [.edit("use-struct", "make it a struct", changes)]
    }
    findings.report(
      .nonStruct, at: keyword, fixIts: fixIts,
      "@APIDefinition describes a value that is sent; attach it to a struct, not to \(keyword.text.withArticle)")
  }
}

extension APIDefinitionMacro: MemberMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let structure = declaration.as(StructDeclSyntax.self) else { return [] }
    let (payload, endpoint) = payload(of: structure, attribute: node, in: context)
    return (payload?.innerMembers(modifiers: endpoint.access.witnessModifier) ?? []).map { "\(raw: $0)" }
  }
}

extension StructDeclSyntax {
  /// Whether an attribute isolates the struct, whose witnesses must not be isolated. Actors other than the main one are
  /// known by the customary end of their name.
  fileprivate var hasGlobalActor: Bool {
    attributes.contains { element in
      element.as(AttributeSyntax.self)?.attributeName.trimmedDescription.hasSuffix("Actor") == true
    }
  }

  /// The `@available` attributes, a line each, which an extension does not inherit.
  fileprivate var availabilityAttributes: String {
    attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { $0.attributeName.trimmedDescription == "available" }
      .map { "\($0.trimmedDescription)\n" }.joined()
  }
}

extension String {
  fileprivate var withArticle: String { "aeiou".contains(first ?? " ") ? "an \(self)" : "a \(self)" }
}

extension Payload {
  /// What lets a declaration with a mistaken payload conform, so that no second error follows.
  fileprivate static func fallback(for endpoint: EndpointDeclaration) -> Payload {
    if endpoint.instanceMember(named: "parameters") != nil { return .explicit }
    return Payload.none(writesAlias: !endpoint.declaresType(named: "Parameter"))
  }
}
