internal import SwiftSyntax

extension TypeSyntax {
  /// The type without parentheses and attributes.
  var unwrapped: TypeSyntax {
    if let tuple = self.as(TupleTypeSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1,
      only.firstName == nil
    {
      return only.type.unwrapped
    }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.unwrapped }
    return self
  }

  /// The `T` of `T?`, `T!`, `Optional<T>` and `Swift.Optional<T>`. Aliases cannot be seen through.
  var optionalWrapped: TypeSyntax? {
    let type = unwrapped
    if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType }
    let arguments: GenericArgumentClauseSyntax?
    if let identifier = type.as(IdentifierTypeSyntax.self), identifier.name.bareName == "Optional" {
      arguments = identifier.genericArgumentClause
    } else if let member = type.as(MemberTypeSyntax.self), member.name.bareName == "Optional",
      member.baseType.trimmedDescription == "Swift"
    {
      arguments = member.genericArgumentClause
    } else {
      return nil
    }
    guard case .type(let wrapped)? = arguments?.arguments.first?.argument else { return nil }
    return wrapped
  }

  /// Whether only the compiler knows the type: `some P`, also inside an optional.
  var isOpaque: Bool { isSomeOrAny(.some) }

  /// Whether the type is a box such as `any P`, which has no conformances of its own.
  var isExistential: Bool { isSomeOrAny(.any) }

  private func isSomeOrAny(_ keyword: Keyword) -> Bool {
    let type = optionalWrapped?.unwrapped ?? unwrapped
    return type.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.tokenKind == .keyword(keyword)
  }
}
