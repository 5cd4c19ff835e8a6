import LinnetMacroExpansion
import SwiftDiagnostics
import Testing

struct DiagnosticTests {
  @Test("A mistake is reported once, at the culprit, with its remedies", arguments: try DiagnosticCase.all())
  func report(_ mistake: DiagnosticCase) throws {
    let run = try MacroRun(mistake.source, conformsElsewhere: mistake.conformsElsewhere)
    try #require(run.findings.count == 1)
    let finding = run.findings[0]
    #expect(finding.messageID == MessageID(domain: "LinnetMacros", id: "api-definition-\(mistake.id)"))
    #expect(finding.message == mistake.message)
    #expect(finding.offset == mistake.offset)
    #expect(finding.severity == (mistake.id == "redundant-empty-parameter" ? .warning : .error))
    #expect(finding.fixIts.map(\.title) == mistake.fixes.map(\.title))
    #expect(finding.fixIts.map(\.source) == mistake.fixes.map(\.source))
  }

  @Test("A Fix-It removes its mistake and makes no other", arguments: try DiagnosticCase.all())
  func fixedSource(_ mistake: DiagnosticCase) throws {
    for fix in mistake.fixes {
      let run = try MacroRun(fix.source, conformsElsewhere: mistake.conformsElsewhere)
      #expect(run.findings.compactMap(\.id?.rawValue) == fix.remaining, "\(fix.title)")
    }
  }

  @Test("The table has every diagnostic", arguments: DiagnosticID.allCases)
  func completeness(_ id: DiagnosticID) throws {
    #expect(try DiagnosticCase.all().contains { $0.id == id.rawValue })
  }

  @Test("A message is one sentence in the compiler's own style", arguments: try DiagnosticCase.all())
  func style(_ mistake: DiagnosticCase) {
    #expect(!mistake.message.hasSuffix("."))
    #expect(!mistake.message.split(separator: " ").contains { $0.hasSuffix(".") && $0 != "..'" })
    #expect(mistake.message.count < 200)
  }

  @Test("Independent mistakes of one declaration are reported together")
  func together() throws {
    let run = try MacroRun(
      """
      @APIDefinition(method: .get, path: "/a%/{id}/{other}?x", auth: session)
      struct Get: APIDefinition {
        let id: Int?
        let body: Filter
        let unused: Int
        var method: HTTPMethod { .get }
      }
      """)
    #expect(
      run.findings.compactMap(\.id) == [
        .duplicateConformance, .missingResponse, .explicitMethodConflict, .invalidAuth, .invalidPercentEscape,
        .pathComponent, .optionalPlaceholder, .unknownPlaceholder, .queryMethodBody, .unusedStoredProperty,
      ])
  }

  @Test(
    "Half a pair is reported alone, since what it will send is not known yet",
    arguments: [
      ("typealias Parameter = Patch", DiagnosticID.missingParametersWitness),
      ("var parameters: Patch? { patch }", .missingParameterAlias),
      ("typealias Parameter = Patch; static var parameters: Patch? { nil }", .staticParametersWitness),
    ])
  func halfPair(members: String, id: DiagnosticID) throws {
    let run = try MacroRun(
      """
      @APIDefinition(method: .patch, path: "/me", auth: .anonymous)
      struct UpdateUser {
        typealias APIResponse = User
        let patch: Patch
        \(members)
      }
      """)
    #expect(run.findings.compactMap(\.id) == [id])
  }

  @Test("A mistake in one part leaves a conformance, so that no second error hides the first")
  func bestEffort() throws {
    let run = try MacroRun(
      """
      @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
      struct GetUser {
        typealias APIResponse = User
        let id: Int?
      }
      """)
    #expect(run.findings.compactMap(\.id) == [.optionalPlaceholder])
    #expect(run.expansion.hasPrefix("extension GetUser: Linnet.APIDefinition {"))
  }
}
