internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftSyntax

/// Checks the path argument against the endpoint, and writes the expression that the expansion returns.
struct PathRules {
  /// The string literal of the generated `path`, or nil when the path has a mistake.
  private(set) var source: String?
  /// The properties that the path uses.
  private(set) var usedProperties: Set<String> = []
  /// Whether the path was read, so that a property it does not use is known to be unused.
  private(set) var isReadable = false

  private let declaration: EndpointDeclaration
  private var findings: Findings

  static func check(
    _ expression: ExprSyntax, of declaration: EndpointDeclaration, findings: inout Findings
  ) -> PathRules {
    var rules = PathRules(declaration: declaration, findings: findings)
    rules.check(expression)
    findings = rules.findings
    return rules
  }

  private init(declaration: EndpointDeclaration, findings: Findings) {
    self.declaration = declaration
    self.findings = findings
  }

  private mutating func check(_ expression: ExprSyntax) {
    guard let literal = expression.as(StringLiteralExprSyntax.self) else {
      findings.report(
        .nonliteralPath, at: expression, fixIts: Self.joinedLiterals(expression),
        "the path must be a string literal, so that its placeholders can be checked; write it here, for example "
          + "\"/users/{id}\"")
      return
    }
    guard literal.openingPounds == nil, literal.openingQuote.tokenKind == .stringQuote else {
      findings.report(
        .unsupportedLiteralPath, at: literal, fixIts: Self.plainLiteral(literal),
        "the path is a raw or multi-line literal; write it as a plain one between single double quotes")
      return
    }
    isReadable = true
    let text = PathLiteral(literal)
    let template = PathTemplate(text)
    let before = findings.diagnostics.count
    reportInterpolations(text)
    for fault in template.faults { report(fault, in: literal, hasInterpolations: !text.interpolations.isEmpty) }
    for placeholder in template.placeholders { resolve(placeholder, in: literal) }
    if findings.diagnostics.count == before { source = expressionSource(of: template) }
  }

  private func expressionSource(of template: PathTemplate) -> String {
    let pieces = template.pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .placeholder(let placeholder):
        "\\(Linnet.EndpointPathEncoding.percentEncodedSegment("
          + "\(declaration.storedProperty(named: placeholder.name)?.identifier.text ?? placeholder.name)))"
      }
    }
    return "\"\(pieces.joined())\""
  }

  private mutating func reportInterpolations(_ text: PathLiteral) {
    for interpolation in text.interpolations {
      let name = Self.plainName(of: interpolation)
      if let name { usedProperties.insert(name) }
      let fixIts = name.map {
        [FixIt.edit("replace-interpolation", "write '{\($0)}'", [.replace(interpolation, with: "{\($0)}")])]
      }
      findings.report(
        .interpolatedPath, at: interpolation, fixIts: fixIts ?? [],
        name.map { "an interpolation is not percent-encoded; write the placeholder '{\($0)}' instead of '\\(\($0))'" }
          ?? "a path cannot contain an interpolated expression; store its value in a property and write '{property}'")
    }
  }

  private mutating func report(
    _ fault: PathTemplate.Fault, in literal: StringLiteralExprSyntax, hasInterpolations: Bool
  ) {
    func fixIt(_ kind: String, _ title: String, _ range: Range<AbsolutePosition>, _ text: String) -> FixIt {
      .edit(kind, title, [.replace(range, in: literal, with: text)])
    }
    switch fault {
    case .absoluteURL(let start, let range, let surplus):
      let fixIts = [fixIt("keep-path", "keep only the path", range, "")]
      findings.report(
        .absoluteURLPath, at: literal, position: range.lowerBound,
        fixIts: fixIts + (surplus.map { [fixIt("keep-slash", "write one slash", $0, "")] } ?? []),
        "'\(start)' begins a whole URL, but a path is joined to the base URL; write only the path, or declare "
          + "'absoluteURL' for a whole URL")
    case .component(let scalar, let range):
      let part = scalar == "?" ? "query" : "fragment"
      let remedy =
        scalar == "?"
        ? "declare 'let query: …' for the query, or write '%3F' for a question mark"
        : "a request has no fragment, so leave it out, or write '%23' for a number sign"
      findings.report(
        .pathComponent, at: literal, position: range.lowerBound,
        fixIts: [fixIt("remove-component", "remove the \(part)", range, "")],
        "the '\(scalar)' begins the \(part), which does not belong to the path; \(remedy)")
    case .percentEscape(let escape, let range):
      findings.report(
        .invalidPercentEscape, at: literal, position: range.lowerBound,
        fixIts: [fixIt("encode-percent", "write '%25' for a percent sign", range, "%25")],
        "'\(escape)' is no percent escape, which has two hexadecimal digits; write '%25' for a percent sign")
    case .dotSegment(let segment, let range, let removal):
      let fixIts = removal.map { [fixIt("remove-segment", "remove the segment", $0, "")] }
      findings.report(
        .dotSegment, at: literal, position: range.lowerBound, fixIts: fixIts ?? [],
        "the segment '\(segment)' would move the path to another folder; write the path without '.' and '..'")
    case .unterminated(let name, let range, let closing):
      if hasInterpolations { return }
      let fixIts = name.isEmpty ? [] : [fixIt("close-placeholder", "write '{\(name)}'", closing..<closing, "}")]
      findings.report(
        .unterminatedPlaceholder, at: literal, position: range.lowerBound, fixIts: fixIts,
        "the placeholder '{\(name)' has no closing '}'; write '{\(name.isEmpty ? "property" : name)}', or '%7B' for a brace"
      )
    case .unmatched(let range):
      if hasInterpolations { return }
      findings.report(
        .unmatchedPlaceholder, at: literal, position: range.lowerBound,
        fixIts: [fixIt("remove-brace", "remove the '}'", range, "")],
        "the '}' closes no placeholder; remove it, or write '%7D' for a brace")
    }
  }

  private mutating func resolve(_ placeholder: PathTemplate.Placeholder, in literal: StringLiteralExprSyntax) {
    guard let property = declaration.storedProperty(named: placeholder.name) else {
      reportUnknown(placeholder, in: literal)
      return
    }
    usedProperties.insert(property.name)
    guard let type = property.type else { return }
    let name = property.name
    if let wrapped = type.optionalWrapped {
      var end = type.endPositionBeforeTrailingTrivia
      if let initial = property.binding.initializer, initial.value.is(NilLiteralExprSyntax.self) {
        end = initial.endPositionBeforeTrailingTrivia
      }
      let change = FixIt.Change.replace(
        type.positionAfterSkippingLeadingTrivia..<end, in: property.declaration, with: wrapped.trimmedDescription)
      let fixIt = FixIt.edit("unwrap-optional", "change the type to '\(wrapped.trimmedDescription)'", [change])
      findings.report(
        .optionalPlaceholder, at: type, fixIts: [fixIt],
        "'\(name)' is optional, but a path segment always needs a value; unwrap it before the endpoint is made, and "
          + "decide there what nil means")
    } else if type.isOpaque {
      findings.report(
        .opaquePlaceholder, at: type,
        "the type of '\(name)' is opaque, so how it is written into the path is unknown; write a concrete type such as "
          + "String, Int or UUID")
    } else if let identifier = type.unwrapped.as(IdentifierTypeSyntax.self),
      declaration.genericParameters.contains(identifier.name.bareName)
    {
      findings.report(
        .genericPlaceholder, at: type,
        "the type of '\(name)' is the generic parameter \(identifier.name.bareName), which could be an optional; write "
          + "a concrete type such as String, Int or UUID")
    }
  }

  private mutating func reportUnknown(
    _ placeholder: PathTemplate.Placeholder, in literal: StringLiteralExprSyntax
  ) {
    let written = placeholder.name
    if written.isEmpty, placeholder.range.isBrace { return }
    let stored = declaration.properties.filter { $0.storage == .stored }.map(\.name)
    let trimmed = written.filter { !$0.isWhitespace }
    var fixIts: [FixIt] = []
    if let meant = stored.contains(trimmed) ? trimmed : written.closest(among: stored) {
      let change = FixIt.Change.replace(placeholder.range, in: literal, with: "{\(meant)}")
      usedProperties.insert(meant)
      fixIts.append(.edit("rename-placeholder", "write '{\(meant)}'", [change]))
    }
    let other = declaration.property(named: written)
    if other == nil, let first = written.first, first.isLetter || first == "_",
      written.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
    {
      let change = FixIt.Change.insertProperty("let \(written): <#String#>", into: declaration.memberBlock)
      fixIts.append(.edit("add-property", "declare the property '\(written)'", [change]))
    }
    let problem =
      switch other?.storage {
      case .computed?: "'\(written)' is computed, but a placeholder names a stored property"
      case .typeLevel?: "'\(written)' belongs to the type, but a placeholder names a stored property of the instance"
      case .lazy?: "'\(written)' is lazy, and the path cannot be read without changing the endpoint"
      case .stored?, nil:
        written.isEmpty ? "the placeholder is empty" : "the placeholder '{\(written)}' names no stored property"
      }
    findings.report(
      .unknownPlaceholder, at: literal, position: placeholder.range.lowerBound, fixIts: fixIts,
      "\(problem); declare 'let \(written.isEmpty ? "name" : trimmed): …', or write the name of one that exists")
  }

  /// The name inside `\(name)`, when it is nothing but a name.
  private static func plainName(of interpolation: ExpressionSegmentSyntax) -> String? {
    guard let only = interpolation.expressions.first, interpolation.expressions.count == 1, only.label == nil,
      let reference = only.expression.as(DeclReferenceExprSyntax.self), reference.argumentNames == nil
    else { return nil }
    return reference.baseName.bareName
  }

  /// `"a" + "b"` as one literal.
  private static func joinedLiterals(_ expression: ExprSyntax) -> [FixIt] {
    guard
      let elements = expression.as(SequenceExprSyntax.self)?.elements.map({ $0 })
        ?? expression.as(InfixOperatorExprSyntax.self).map({ [$0.leftOperand, $0.operator, $0.rightOperand] })
    else { return [] }
    var text = ""
    for (index, element) in elements.enumerated() {
      if index % 2 == 1 {
        guard element.trimmedDescription == "+" else { return [] }
      } else {
        guard let literal = element.as(StringLiteralExprSyntax.self), literal.openingPounds == nil,
          literal.openingQuote.tokenKind == .stringQuote
        else { return [] }
        text += literal.segments.description
      }
    }
    return [.edit("join-literals", "write one literal", [.replace(expression, with: "\"\(text)\"")])]
  }

  /// A raw or multi-line literal as a plain one, when its text means the same there.
  private static func plainLiteral(_ literal: StringLiteralExprSyntax) -> [FixIt] {
    guard let text = literal.representedLiteralValue, !text.contains(where: { "\\\"\n\r".contains($0) }) else {
      return []
    }
    return [.edit("use-plain-literal", "write \"\(text)\"", [.replace(literal, with: "\"\(text)\"")])]
  }
}

extension Range<AbsolutePosition> {
  /// A lone `{`, which is reported as such.
  fileprivate var isBrace: Bool { upperBound.utf8Offset - lowerBound.utf8Offset == 1 }
}
