// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import Linnet

// Every declaration here belongs to the main actor unless it says otherwise. A payload is encoded elsewhere, so it must
// say so; an endpoint need not.

nonisolated public struct Note: Codable, Sendable, Equatable {
  public var text: String

  public init(text: String) { self.text = text }
}

@APIDefinition(method: .post, path: "/notes/{id}", auth: .anonymous)
public struct CreateNote {
  public typealias APIResponse = Note

  let id: Int
  let body: Note?

  public init(id: Int, body: Note?) {
    self.id = id
    self.body = body
  }
}
