internal import SwiftDiagnostics
internal import SwiftSyntax

/// What the method of an endpoint means for its payload.
enum PayloadPlace: Equatable {
  /// GET and HEAD: the query of the URL.
  case query
  /// POST, PUT, PATCH and DELETE: the body.
  case body
  /// Any other method, or one that is known at run time only.
  case unknown
}

/// The arguments `method:`, `path:` and `auth:` of the attribute; nil where one is absent or not usable.
struct EndpointArguments {
  private(set) var method: ExprSyntax?
  private(set) var path: ExprSyntax?
  private(set) var authentication: String?

  static let authentications = ["anonymous", "optional", "required"]
  private static let methods = ["get", "head", "post", "put", "patch", "delete", "connect", "options", "trace"]

  init(_ attribute: AttributeSyntax, declaration: EndpointDeclaration, findings: inout Findings) {
    let likelyMethod = declaration.property(named: "body") == nil ? ".get" : ".post"
    guard case .argumentList(let arguments)? = attribute.arguments, !arguments.isEmpty else {
      let text = ##"(method: \##(likelyMethod), path: <#"/path"#>, auth: <#.anonymous#>)"##
      let range = attribute.attributeName.endPositionBeforeTrailingTrivia..<attribute.endPositionBeforeTrailingTrivia
      let fixIt = FixIt.edit("add-arguments", "add the arguments", [.replace(range, in: attribute, with: text)])
      findings.report(
        .missingArguments, at: attribute, fixIts: [fixIt],
        "@APIDefinition needs its three arguments: method, path and auth")
      return
    }
    func argument(_ label: String) -> LabeledExprSyntax? { arguments.first { $0.label?.text == label } }

    method = argument("method")?.expression
    if method == nil, let first = arguments.first {
      let fixIts = [".get", ".post"].sorted { first, _ in first == likelyMethod }.map { method in
        FixIt.edit(
          "add-method", "add 'method: \(method)'",
          [.insert("method: \(method), ", at: first.positionAfterSkippingLeadingTrivia, in: first)])
      }
      findings.report(
        .missingMethod, at: attribute, fixIts: fixIts,
        "the endpoint has no HTTP method; add the argument 'method:', for example 'method: \(likelyMethod)'")
    }

    path = argument("path")?.expression
    if path == nil {
      findings.report(
        .missingPath, at: attribute, fixIts: [Self.addPath(to: arguments)],
        "the endpoint has no path; add the argument 'path:' with a string literal, for example 'path: \"/users/{id}\"'"
      )
    }

    if let expression = argument("auth")?.expression {
      authentication = Self.case(of: expression, in: "SessionAuthentication", among: Self.authentications)
      if authentication == nil { Self.reportInvalid(expression, findings: &findings) }
    } else if let last = arguments.last {
      let fixIts = Self.authentications.map { name in
        FixIt.edit(
          "add-auth", "add 'auth: .\(name)'",
          [.insert(last.trailingComma == nil ? ", auth: .\(name)" : " auth: .\(name)", after: last)])
      }
      findings.report(
        .missingAuth, at: attribute, fixIts: fixIts,
        "the endpoint does not say who may call it; add 'auth: .anonymous', 'auth: .optional' or 'auth: .required'")
    }
  }

  /// The method as the expansion writes it: the short spelling of a known one, anything else as it stands.
  var methodSource: String? {
    guard let method else { return nil }
    return Self.case(of: method, in: "HTTPMethod", among: Self.methods).map { ".\($0)" } ?? method.trimmedDescription
  }

  /// The name of the method when it is one of the constants of `HTTPMethod`.
  var methodName: String? {
    method.flatMap { Self.case(of: $0, in: "HTTPMethod", among: Self.methods) }
  }

  var payloadPlace: PayloadPlace {
    switch methodName {
    case "get", "head": .query
    case "post", "put", "patch", "delete": .body
    default: .unknown
    }
  }

  /// The name of a constant that is written `.name`, `Type.name` or `Linnet.Type.name`, and nothing else.
  private static func `case`(of expression: ExprSyntax, in type: String, among names: [String]) -> String? {
    guard let member = expression.as(MemberAccessExprSyntax.self), member.declName.argumentNames == nil,
      names.contains(member.declName.baseName.bareName)
    else { return nil }
    let base = member.base?.trimmedDescription
    let isCanonical = base == nil || base == type || base == "Linnet.\(type)"
    return isCanonical ? member.declName.baseName.bareName : nil
  }

  private static func addPath(to arguments: LabeledExprListSyntax) -> FixIt {
    let placeholder = ##"path: <#"/path"#>"##
    let method = arguments.first { $0.label?.text == "method" }
    let change: FixIt.Change? =
      if let method {
        .insert(method.trailingComma == nil ? ", \(placeholder)" : " \(placeholder),", after: method)
      } else {
        arguments.first.map { .insert("\(placeholder), ", at: $0.positionAfterSkippingLeadingTrivia, in: $0) }
      }
    return .edit("add-path", "add the path", change.map { [$0] } ?? [])
  }

  private static func reportInvalid(_ expression: ExprSyntax, findings: inout Findings) {
    let written = expression.as(MemberAccessExprSyntax.self)?.declName.baseName.bareName
    let meant = written.flatMap { $0.closest(among: authentications) }
    let fixIts = (meant.map { [$0] } ?? authentications).map { name in
      FixIt.edit("use-canonical-auth", "write '.\(name)'", [.replace(expression, with: ".\(name)")])
    }
    findings.report(
      .invalidAuth, at: expression, fixIts: fixIts,
      "'\(expression.trimmedDescription)' is not one of the three cases; write .anonymous, .optional or .required, so "
        + "that the choice can be read here")
  }
}
