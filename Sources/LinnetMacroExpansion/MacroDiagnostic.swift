package import SwiftDiagnostics
internal import SwiftSyntax

/// One finding about an endpoint: what is wrong and what to write instead, in one sentence.
package struct MacroDiagnostic: DiagnosticMessage {
  package static let domain = "LinnetMacros"

  package let id: DiagnosticID
  package let message: String

  package var diagnosticID: MessageID {
    MessageID(domain: Self.domain, id: "api-definition-\(id.rawValue)")
  }

  package var severity: DiagnosticSeverity { id == .redundantEmptyParameter ? .warning : .error }
}

/// The title of a Fix-It. Fix-Its of one kind share an identifier whatever names they mention.
package struct MacroFixIt: FixItMessage {
  package let message: String
  let kind: String

  package var fixItID: MessageID { MessageID(domain: MacroDiagnostic.domain, id: kind) }
}

/// Collects the findings of one expansion, so that all independent mistakes of a declaration are reported together.
struct Findings {
  private(set) var diagnostics: [Diagnostic] = []

  /// Whether the declaration cannot be expanded as written.
  var hasErrors: Bool { diagnostics.contains { $0.diagMessage.severity == .error } }

  mutating func report(
    _ id: DiagnosticID, at node: some SyntaxProtocol, position: AbsolutePosition? = nil, fixIts: [FixIt] = [],
    _ message: String
  ) {
    diagnostics.append(
      Diagnostic(
        node: node, position: position ?? node.positionAfterSkippingLeadingTrivia,
        message: MacroDiagnostic(id: id, message: message), fixIts: fixIts))
  }
}
