internal import SwiftDiagnostics
internal import SwiftSyntax

/// Decides where the parameters of an endpoint come from, and reports what contradicts itself.
struct PayloadRules {
  private let declaration: EndpointDeclaration
  private let arguments: EndpointArguments
  /// The properties that the path uses; one of them is never the payload.
  private let pathProperties: Set<String>
  private let modifiers: String
  private var findings: Findings

  /// Returns the payload, or nil when the declaration has a mistake there.
  static func check(
    _ declaration: EndpointDeclaration, arguments: EndpointArguments, path: PathRules?, findings: inout Findings
  ) -> Payload? {
    var rules = PayloadRules(
      declaration: declaration, arguments: arguments, pathProperties: path?.usedProperties ?? [],
      modifiers: declaration.access.witnessModifier, findings: findings)
    let payload = rules.payload()
    if rules.isSimple, path?.isReadable == true { rules.reportUnused() }
    findings = rules.findings
    return payload
  }

  private var parameters: EndpointProperty? { declaration.property(named: "parameters") }

  private var infersPayload: Bool {
    !(declaration.declaresType(named: "Parameter") && parameters?.isInstance == true)
  }

  /// Whether the author wrote no part of the pair, so that a property which nothing sends is a mistake. One half of the
  /// pair is reported as such, and what it will send is not known yet.
  private var isSimple: Bool {
    let alias = declaration.aliases["Parameter"]
    let declaresParameter = declaration.declaresType(named: "Parameter") && alias?.declaration.isEmptyParameter != true
    return parameters == nil && !declaresParameter
  }

  private mutating func payload() -> Payload? {
    reportDestructuring()
    if let parameters, parameters.storage == .typeLevel || parameters.storage == .lazy {
      reportStaticWitness(parameters)
      return nil
    }
    guard infersPayload else { return .explicit }
    if let parameters {
      reportMissingAlias(parameters)
      return nil
    }
    let body = candidate("body")
    let query = candidate("query")
    if let body, let query {
      reportBoth(body: body, query: query)
      return nil
    }
    if let alias = declaration.aliases["Parameter"], alias.declaration.isEmptyParameter {
      return emptyAlias(alias, payload: body ?? query)
    }
    if declaration.declaresType(named: "Parameter") {
      reportMissingWitness(body ?? query)
      return nil
    }
    guard let property = body ?? query else { return Payload.none(writesAlias: true) }
    guard checkDeclaration(property) else { return nil }
    let before = findings.diagnostics.count
    checkMethod(property)
    return findings.diagnostics.count == before ? .property(property) : nil
  }

  private func candidate(_ name: String) -> EndpointProperty? {
    pathProperties.contains(name) ? nil : declaration.property(named: name)
  }

  // MARK: One payload property

  /// Returns whether the property can be a payload at all.
  private mutating func checkDeclaration(_ property: EndpointProperty) -> Bool {
    let name = property.name
    if property.storage != .stored {
      findings.report(
        name == "body" ? .invalidBodyDeclaration : .invalidQueryDeclaration, at: property.identifier,
        fixIts: conversions(of: property),
        "'\(name)' is the payload and must be a stored property of the instance; for a computed payload write "
          + "'typealias Parameter' and 'var parameters: Parameter?'")
      return false
    }
    let id: DiagnosticID = name == "body" ? .inferredBodyType : .inferredQueryType
    guard let type = property.type else {
      let known = property.binding.initializer?.value.as(FunctionCallExprSyntax.self)?.calledExpression
      let constructed = known.flatMap { $0.trimmedDescription.looksLikeType ? $0.trimmedDescription : nil }
      let text = constructed ?? "<#Type#>"
      findings.report(
        id, at: property.identifier,
        fixIts: [
          .edit(
            "annotate-type", constructed == nil ? "add the type" : "add the type '\(text)'",
            [.insert(": \(text)", after: property.identifier)])
        ],
        "the type of '\(name)' is inferred, which the macro cannot see; write it, as in 'let \(name): Payload'")
      return false
    }
    if type.isOpaque || type.isExistential {
      findings.report(
        id, at: type,
        "the type of '\(name)' is not a concrete one, so it cannot be the endpoint's Parameter; write a type that "
          + "conforms to Encodable and Sendable")
      return false
    }
    return true
  }

  /// Makes a stored property of one that is static or lazy, and the payload pair of a computed one.
  private func conversions(of property: EndpointProperty) -> [FixIt] {
    if let modifier = property.storageModifier {
      return [.edit("remove-modifier", "remove '\(modifier.name.text)'", [.remove(modifier)])]
    }
    guard let type = property.type, property.binding.typeAnnotation != nil, !declaration.isMentioned(property) else {
      return []
    }
    let alias = "\(modifiers)typealias Parameter = \((type.optionalWrapped ?? type).trimmedDescription)"
    return [
      .edit(
        "convert-to-pair", "make it 'parameters'",
        [
          .insertAlias(alias, into: declaration.memberBlock),
          .replace(property.identifier, with: "parameters"),
          .replace(type, with: "Parameter?"),
        ])
    ]
  }

  private mutating func checkMethod(_ property: EndpointProperty) {
    guard let method = arguments.method else { return }
    let name = property.name
    switch (arguments.payloadPlace, name) {
    case (.query, "body"):
      findings.report(
        .queryMethodBody, at: property.identifier,
        fixIts: renaming(property, to: "query") + [useMethod(".post", method)],
        "\(arguments.methodName?.uppercased() ?? "the method") sends no body; rename the property to 'query', or use a "
          + "method with a body")
    case (.body, "query"):
      findings.report(
        .nongetQuery, at: property.identifier, fixIts: renaming(property, to: "body") + [useMethod(".get", method)],
        "\(arguments.methodName?.uppercased() ?? "the method") sends its parameters as the body; rename the property to "
          + "'body', or declare the complete pair of Parameter and parameters with a query transport")
    case (.unknown, _):
      let type = property.type.map { ($0.optionalWrapped ?? $0).trimmedDescription } ?? "<#Type#>"
      let alias = "\(modifiers)typealias Parameter = \(type)"
      let witness = "\(modifiers)var parameters: Parameter? { \(property.identifier.text) }"
      findings.report(
        .dynamicPayloadMethod, at: property.identifier,
        fixIts: [
          .edit(
            "add-payload-pair", "declare 'Parameter' and 'parameters'",
            FixIt.Change.insert(alias: alias, property: witness, into: declaration.memberBlock))
        ],
        "where '\(name)' goes depends on the method, and only GET, HEAD, POST, PUT, PATCH and DELETE are known; write "
          + "'typealias Parameter' and 'var parameters: Parameter?'")
    default:
      break
    }
  }

  private func renaming(_ property: EndpointProperty, to name: String) -> [FixIt] {
    if declaration.isMentioned(property) || declaration.property(named: name) != nil { return [] }
    return [.edit("rename-payload", "rename it to '\(name)'", [.replace(property.identifier, with: name)])]
  }

  private func useMethod(_ name: String, _ method: ExprSyntax) -> FixIt {
    .edit("change-method", "change the method to '\(name)'", [.replace(method, with: name)])
  }

  private mutating func reportBoth(body: EndpointProperty, query: EndpointProperty) {
    let superfluous: [EndpointProperty] =
      switch arguments.payloadPlace {
      case .query: [body]
      case .body: [query]
      case .unknown: []
      }
    let fixIts = superfluous.filter { !declaration.isMentioned($0) }.map {
      FixIt.edit("remove-property", "remove '\($0.name)'", [.removeProperty($0)])
    }
    let second = body.identifier.position < query.identifier.position ? query : body
    findings.report(
      .bodyQueryConflict, at: second.identifier, fixIts: fixIts,
      "an endpoint has one payload, but both 'body' and 'query' are declared; keep one, or write 'typealias Parameter' "
        + "and 'var parameters: Parameter?'")
  }

  // MARK: The pair of Parameter and parameters

  private mutating func reportStaticWitness(_ parameters: EndpointProperty) {
    let modifier = parameters.storageModifier
    let word = modifier?.name.text ?? "static"
    findings.report(
      .staticParametersWitness, at: modifier.map { Syntax($0) } ?? Syntax(parameters.identifier),
      fixIts: modifier.map { [.edit("remove-modifier", "remove '\(word)'", [.remove($0)])] } ?? [],
      "'parameters' is \(word), but each value of the endpoint has its own; declare it as a property of the instance")
  }

  private mutating func reportMissingAlias(_ parameters: EndpointProperty) {
    let written = parameters.type.flatMap { $0.optionalWrapped ?? $0 }?.trimmedDescription
    let type = written == "Parameter" ? nil : written
    let alias = "\(modifiers)typealias Parameter = \(type ?? "<#Type#>")"
    findings.report(
      .missingParameterAlias, at: parameters.identifier,
      fixIts: [
        .edit("add-parameter-alias", "add '\(alias)'", [.insertAlias(alias, into: declaration.memberBlock)])
      ],
      "'parameters' is declared without its type; add 'typealias Parameter = \(type ?? "…")'")
  }

  private mutating func reportMissingWitness(_ payload: EndpointProperty?) {
    let value = payload.map(\.identifier.text) ?? "<#value#>"
    let witness = "\(modifiers)var parameters: Parameter? { \(value) }"
    let name = declaration.aliases["Parameter"]?.declaration.name
    var fixIts = [
      FixIt.edit("add-parameters", "add '\(witness)'", [.insertProperty(witness, into: declaration.memberBlock)])
    ]
    if payload != nil, let alias = declaration.aliases["Parameter"] {
      fixIts.append(.edit("remove-alias", "remove the alias", [.removeMember(alias.member)]))
    }
    findings.report(
      .missingParametersWitness, at: name.map { Syntax($0) } ?? Syntax(declaration.name), fixIts: fixIts,
      "'Parameter' is declared without its value; add 'var parameters: Parameter?', or leave both out")
  }

  private mutating func emptyAlias(
    _ alias: (declaration: TypeAliasDeclSyntax, member: MemberBlockItemSyntax), payload: EndpointProperty?
  ) -> Payload? {
    let fixIt = FixIt.edit("remove-alias", "remove the alias", [.removeMember(alias.member)])
    if let payload {
      findings.report(
        .emptyParameterPayloadConflict, at: alias.declaration.initializer.value, fixIts: [fixIt],
        "'Parameter' is EmptyParameter, but '\(payload.name)' is a payload; remove the alias, or the property")
      return nil
    }
    findings.report(
      .redundantEmptyParameter, at: alias.declaration, fixIts: [fixIt],
      "an endpoint without a payload has the parameter type EmptyParameter anyway; remove the alias")
    return Payload.none(writesAlias: false)
  }

  // MARK: Properties that nothing uses

  private mutating func reportDestructuring() {
    for (pattern, binding) in declaration.destructurings {
      var fixIts: [FixIt] = []
      if let names = pattern.as(TuplePatternSyntax.self)?.elements, binding.initializer == nil,
        let types = binding.typeAnnotation?.type.as(TupleTypeSyntax.self)?.elements, names.count == types.count,
        names.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) })
      {
        let text = zip(names, types).map { "\($0.pattern.trimmedDescription): \($1.type.trimmedDescription)" }
          .joined(separator: ", ")
        let range = pattern.positionAfterSkippingLeadingTrivia..<binding.endPositionBeforeTrailingTrivia
        fixIts = [.edit("split-tuple", "declare '\(text)'", [.replace(range, in: binding, with: text)])]
      }
      findings.report(
        .nonidentifierStoredProperty, at: pattern, fixIts: fixIts,
        "a stored property of an endpoint needs a name of its own; declare each value of the pattern separately")
    }
  }

  private mutating func reportUnused() {
    let unused = declaration.properties.filter {
      $0.storage == .stored && !pathProperties.contains($0.name) && !Self.knownNames.contains($0.name)
        && !declaration.isRead($0)
    }
    let payloadName: String? =
      switch arguments.payloadPlace {
      case .query: "query"
      case .body: "body"
      case .unknown: nil
      }
    for property in unused {
      var fixIts: [FixIt] = []
      if let payloadName, unused.count == 1, candidate("body") == nil, candidate("query") == nil,
        !declaration.declaresType(named: "Parameter"), parameters == nil, property.type != nil
      {
        fixIts = renaming(property, to: payloadName)
      }
      if !declaration.isMentioned(property) {
        fixIts.append(.edit("remove-property", "remove '\(property.name)'", [.removeProperty(property)]))
      }
      findings.report(
        .unusedStoredProperty, at: property.identifier, fixIts: fixIts,
        "nothing sends '\(property.name)'; use it in the path as '{\(property.name)}', name it 'body' or 'query', or "
          + "write 'typealias Parameter' and 'var parameters: Parameter?'")
    }
  }

  /// Stored properties that have a meaning of their own: the payload, the endpoint's members, and those generated,
  /// whose conflict is reported elsewhere.
  private static let knownNames: Set<String> = [
    "body", "query", "parameters", "method", "path", "sessionAuthentication",
    "headers", "logger", "requestInterceptors", "requestSigners", "responseInterceptors", "acceptableStatusCodes",
    "transport", "timeoutOverride", "cachePolicyOverride", "priorityOverride", "retryPolicyOverride", "absoluteURL",
    "allowsCellularAccessOverride", "allowsExpensiveNetworkAccessOverride", "allowsConstrainedNetworkAccessOverride",
  ]
}

extension EndpointProperty {
  fileprivate var isInstance: Bool { storage == .stored || storage == .computed }

  /// The modifier that keeps the property from being an ordinary one of the instance.
  fileprivate var storageModifier: DeclModifierSyntax? {
    declaration.modifiers.first { ["static", "class", "lazy"].contains($0.name.text) }
  }
}

extension TypeAliasDeclSyntax {
  fileprivate var isEmptyParameter: Bool {
    ["EmptyParameter", "Linnet.EmptyParameter"].contains(initializer.value.trimmedDescription)
  }
}

extension String {
  /// Whether every part of a dotted name begins as types do, as in `API.CreatePost`.
  fileprivate var looksLikeType: Bool {
    split(separator: ".").allSatisfy { $0.first?.isUppercase == true }
  }
}
