// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import FoundationEssentials
public import Linnet

public struct User: Codable, Sendable, Equatable {
  public var id: Int
  public var name: String

  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

public struct Filter: Encodable, Sendable, Equatable {
  public var page: Int

  public init(page: Int) { self.page = page }
}

/// An alias that the macro cannot see through.
public typealias MaybeUser = User?

@APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
public struct GetUser {
  public typealias APIResponse = User

  let id: Int

  public init(id: Int) { self.id = id }
}

public enum API {
  @APIDefinition(method: HTTPMethod.get, path: "users", auth: SessionAuthentication.optional)
  public struct ListUsers {
    public typealias APIResponse = [User]

    public let query: Filter?

    public init(query: Filter?) { self.query = query }
  }

  public struct V2 {}

  /// A payload whose type is nested beside the endpoint.
  public struct Draft: Encodable, Sendable, Equatable {
    public var title: String

    public init(title: String) { self.title = title }
  }

  @APIDefinition(method: .post, path: "/drafts", auth: .required)
  public struct SaveDraft {
    public typealias APIResponse = EmptyResponse

    public let body: Draft?

    public init(body: Draft?) { self.body = body }
  }
}

extension API.V2 {
  @APIDefinition(method: Linnet.HTTPMethod.post, path: "/users", auth: Linnet.SessionAuthentication.required)
  public struct CreateUser {
    public typealias APIResponse = User

    public let body: User

    public init(body: User) { self.body = body }
  }
}

@APIDefinition(method: .put, path: "/users", auth: .required)
public struct ReplaceUser {
  public typealias APIResponse = EmptyResponse

  let body: MaybeUser

  public init(body: MaybeUser) { self.body = body }
}

@APIDefinition(method: .patch, path: "/me", auth: .anonymous)
public struct UpdateUser {
  public typealias Parameter = User
  public typealias APIResponse = User

  let patch: User
  let verbose: Bool

  public init(patch: User, verbose: Bool) {
    self.patch = patch
    self.verbose = verbose
  }

  public var parameters: Parameter? { patch }

  public var headers: HTTPHeaders { ["X-Verbose": verbose ? "1" : "0"] }
}
