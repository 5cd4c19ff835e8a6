import LinnetMacroExpansion
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// One expansion of the first `@APIDefinition` in a source text.
struct MacroRun {
  /// What the macro reported, in the order of the report.
  let findings: [Finding]
  /// The generated text: the extension, then the members of the struct; empty when nothing was generated.
  let expansion: String

  struct Finding {
    let id: DiagnosticID?
    let messageID: MessageID
    let severity: DiagnosticSeverity
    let message: String
    /// The offset in UTF-8 where the report points.
    let offset: Int
    let fixIts: [Fix]
  }

  struct Fix {
    let title: String
    /// The source text after the Fix-It.
    let source: String
  }

  /// - Parameter conformsElsewhere: Whether the compiler knows a conformance that the text of the struct does not show.
  init(_ source: String, conformsElsewhere: Bool = false) throws {
    let tree = Parser.parse(source: source)
    let finder = AttributeFinder(viewMode: .sourceAccurate)
    finder.walk(tree)
    guard let attribute = finder.attribute, let declaration = finder.declaration else { throw NoAttribute() }
    let lexicalContext = Syntax(declaration).parent?.allMacroLexicalContexts() ?? []
    let context = BasicMacroExpansionContext(lexicalContext: lexicalContext)
    let names = ([Syntax(declaration)] + lexicalContext).compactMap { node in
      node.asProtocol((any NamedDeclSyntax).self)?.name.text
        ?? node.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
    }
    let extensions = try APIDefinitionMacro.expansion(
      of: attribute, attachedTo: declaration,
      providingExtensionsOf: TypeSyntax(stringLiteral: names.reversed().joined(separator: ".")),
      conformingTo: conformsElsewhere ? [] : [TypeSyntax(stringLiteral: "APIDefinition")], in: context)
    let members = try APIDefinitionMacro.expansion(
      of: attribute, providingMembersOf: declaration, conformingTo: [], in: context)
    expansion = (extensions.map(\.description) + members.map(\.description)).joined(separator: "\n")
    findings = context.diagnostics.map { diagnostic in
      Finding(
        id: (diagnostic.diagMessage as? MacroDiagnostic)?.id, messageID: diagnostic.diagnosticID,
        severity: diagnostic.diagMessage.severity,
        message: diagnostic.message, offset: diagnostic.position.utf8Offset,
        fixIts: diagnostic.fixIts.map { Fix(title: $0.message.message, source: $0.applied(to: source)) })
    }
  }

  private struct NoAttribute: Error {}
}

extension FixIt {
  fileprivate func applied(to source: String) -> String {
    var bytes = Array(source.utf8)
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(
        edit.range.lowerBound.utf8Offset..<edit.range.upperBound.utf8Offset, with: edit.replacement.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

private final class AttributeFinder: SyntaxVisitor {
  private(set) var attribute: AttributeSyntax?
  private(set) var declaration: (any DeclGroupSyntax)?

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
    if attribute == nil, node.attributeName.trimmedDescription == "APIDefinition" {
      attribute = node
      declaration = node.parent?.parent?.asProtocol((any DeclGroupSyntax).self)
    }
    return .visitChildren
  }
}
