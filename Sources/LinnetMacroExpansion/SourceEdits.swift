internal import SwiftDiagnostics
internal import SwiftSyntax

extension FixIt {
  /// A Fix-It made of text edits: unlike replaced nodes they keep the author's comments and layout around them.
  static func edit(_ kind: String, _ title: String, _ changes: [FixIt.Change]) -> FixIt {
    FixIt(message: MacroFixIt(message: title, kind: kind), changes: changes)
  }
}

extension FixIt.Change {
  /// Replaces the text of a node, without the white space and comments around it.
  static func replace(_ node: some SyntaxProtocol, with text: String) -> FixIt.Change {
    .replaceText(
      range: node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia, with: text,
      in: Syntax(node))
  }

  static func replace(_ range: Range<AbsolutePosition>, in node: some SyntaxProtocol, with text: String) -> FixIt.Change
  {
    .replaceText(range: range, with: text, in: Syntax(node))
  }

  static func insert(_ text: String, at position: AbsolutePosition, in node: some SyntaxProtocol) -> FixIt.Change {
    .replaceText(range: position..<position, with: text, in: Syntax(node))
  }

  static func insert(_ text: String, after node: some SyntaxProtocol) -> FixIt.Change {
    insert(text, at: node.endPositionBeforeTrailingTrivia, in: node)
  }

  /// Removes a node and the white space that separated it from what follows.
  static func remove(_ node: some SyntaxProtocol) -> FixIt.Change {
    replace(node.positionAfterSkippingLeadingTrivia..<node.endPosition, in: node, with: "")
  }

  /// Removes a member with its line and the comments above it.
  static func removeMember(_ member: MemberBlockItemSyntax) -> FixIt.Change {
    replace(member.position..<member.endPosition, in: member, with: "")
  }

  /// Removes a stored property; where a declaration has several, only its part of the list.
  static func removeProperty(_ property: EndpointProperty) -> FixIt.Change {
    let bindings = property.declaration.bindings
    guard bindings.count > 1 else { return removeMember(property.member) }
    if property.binding.trailingComma == nil, let index = bindings.index(of: property.binding),
      index > bindings.startIndex
    {
      let previous = bindings[bindings.index(before: index)]
      let start = previous.trailingComma?.positionAfterSkippingLeadingTrivia ?? property.binding.position
      return replace(start..<property.binding.endPositionBeforeTrailingTrivia, in: property.declaration, with: "")
    }
    return remove(property.binding)
  }

  /// Adds a member after another one, or at the top of the type, in the layout that its braces already have.
  static func insertMember(_ text: String, after sibling: MemberBlockItemSyntax?, into block: MemberBlockSyntax)
    -> FixIt.Change
  {
    let first = block.members.first
    let next = first?.firstToken(viewMode: .sourceAccurate) ?? block.rightBrace
    let isMultiline = [next, block.rightBrace].contains { $0.leadingTrivia.contains(where: \.isNewline) }
    if isMultiline {
      let line = "\n\(first.map { indentationOfLine(startingWith: $0) } ?? "  ")\(text)"
      return sibling.map { insert(line, after: $0) } ?? insert(line, after: block.leftBrace)
    }
    guard let sibling else { return insert(first == nil ? " \(text) " : " \(text);", after: block.leftBrace) }
    return insert(sibling.semicolon == nil ? "; \(text)" : " \(text);", after: sibling)
  }

  /// Adds a type alias after those that are there, or at the top.
  static func insertAlias(_ text: String, into block: MemberBlockSyntax) -> FixIt.Change {
    let last = block.members.last { $0.decl.is(TypeAliasDeclSyntax.self) }
    return insertMember(text, after: last, into: block)
  }

  /// Adds a property after all members.
  static func insertProperty(_ text: String, into block: MemberBlockSyntax) -> FixIt.Change {
    insertMember(text, after: block.members.last, into: block)
  }

  /// Adds both, as one edit where they come to stand at the same place.
  static func insert(alias: String, property: String, into block: MemberBlockSyntax) -> [FixIt.Change] {
    guard let last = block.members.last, last.decl.is(TypeAliasDeclSyntax.self) else {
      return [insertAlias(alias, into: block), insertProperty(property, into: block)]
    }
    let indentation = indentationOfLine(startingWith: last)
    let separator = last.leadingTrivia.contains(where: \.isNewline) ? "\n\(indentation)" : "; "
    return [insertMember(alias + separator + property, after: last, into: block)]
  }

  private static func indentationOfLine(startingWith node: some SyntaxProtocol) -> String {
    var indentation = ""
    for piece in node.leadingTrivia.reversed() {
      switch piece {
      case .spaces(let count): indentation = String(repeating: " ", count: count)
      case .tabs(let count): indentation = String(repeating: "\t", count: count)
      default: return indentation
      }
    }
    return indentation
  }
}

extension String {
  /// The number of single-character insertions, removals and replacements that turn this text into `other`.
  func editDistance(to other: String) -> Int {
    let target = Array(other)
    var row = Array(0...target.count)
    for (line, character) in enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in target.indices {
        let substitution = diagonal + (character == target[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(substitution, diagonal + 1, row[column] + 1)
      }
    }
    return row[target.count]
  }

  /// The candidate that was probably meant: at most two characters away, and not a different word altogether.
  func closest(among candidates: [String]) -> String? {
    candidates.map { (name: $0, distance: editDistance(to: $0)) }
      .filter { $0.distance <= 2 && $0.distance < $0.name.count }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
  }
}
