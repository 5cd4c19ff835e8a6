/// The stable identifiers of what `@APIDefinition` reports. The compiler sees them with the prefix `api-definition-`.
package enum DiagnosticID: String, CaseIterable, Sendable {
  // The declaration.
  case nonStruct = "non-struct"
  case privateNesting = "private-nesting"
  case duplicateConformance = "duplicate-conformance"
  case missingResponse = "missing-response"
  case voidResponse = "void-response"
  case explicitMethodConflict = "explicit-method-conflict"
  case explicitPathConflict = "explicit-path-conflict"
  case explicitSessionAuthenticationConflict = "explicit-sessionAuthentication-conflict"

  // The arguments.
  case missingArguments = "missing-arguments"
  case missingMethod = "missing-method"
  case missingPath = "missing-path"
  case missingAuth = "missing-auth"
  case invalidAuth = "invalid-auth"

  // The path.
  case nonliteralPath = "nonliteral-path"
  case unsupportedLiteralPath = "unsupported-literal-path"
  case interpolatedPath = "interpolated-path"
  case absoluteURLPath = "absolute-url-path"
  case pathComponent = "path-component"
  case invalidPercentEscape = "invalid-percent-escape"
  case dotSegment = "dot-segment"
  case unterminatedPlaceholder = "unterminated-placeholder"
  case unmatchedPlaceholder = "unmatched-placeholder"
  case unknownPlaceholder = "unknown-placeholder"
  case optionalPlaceholder = "optional-placeholder"
  case opaquePlaceholder = "opaque-placeholder"
  case genericPlaceholder = "generic-placeholder"

  // The payload.
  case staticParametersWitness = "static-parameters-witness"
  case emptyParameterPayloadConflict = "empty-parameter-payload-conflict"
  case missingParametersWitness = "missing-parameters-witness"
  case missingParameterAlias = "missing-parameter-alias"
  case bodyQueryConflict = "body-query-conflict"
  case queryMethodBody = "query-method-body"
  case nongetQuery = "nonget-query"
  case dynamicPayloadMethod = "dynamic-payload-method"
  case inferredBodyType = "inferred-body-type"
  case inferredQueryType = "inferred-query-type"
  case invalidBodyDeclaration = "invalid-body-declaration"
  case invalidQueryDeclaration = "invalid-query-declaration"
  case nonidentifierStoredProperty = "nonidentifier-stored-property"
  case unusedStoredProperty = "unused-stored-property"
  case redundantEmptyParameter = "redundant-empty-parameter"
}
