// swift-format-ignore-file
// The first example of the page that Linnet follows: its text as it stands, only the module has another name. The types
// are members of an enum, because the examples of the page share their names.
import Foundation
import Linnet

enum QuickStart: PageExample {
  struct User: Decodable, Sendable {
      let id: Int
      let name: String
  }

  struct CreatePost: Encodable, Sendable {
      let title: String
      let body: String
  }

  struct Post: Decodable, Sendable {
      let id: Int
      let title: String
  }

  @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  struct GetUser {
      typealias APIResponse = User

      let id: Int
  }

  @APIDefinition(method: .post, path: "/posts", auth: .anonymous)
  struct CreatePostEndpoint {
      typealias APIResponse = Post

      let body: CreatePost
  }

  static func requests() async throws -> (user: User, created: Post) {
    let client = DefaultNetworkClient(
        baseURL: URL(string: "https://api.example.com/v1")!
    )

    let user = try await client.request(GetUser(id: 1))
    let created = try await client.request(
        CreatePostEndpoint(body: CreatePost(title: "Hello", body: "World"))
    )

    print(user)
    return (user, created)
  }

  static func builder(client: DefaultNetworkClient) async throws -> User {
    let previewPath = "/users/preview"
    let preview = try await client.request(
        EndpointBuilder<User>
            .get(previewPath)
            .authentication(.anonymous)
    )
    return preview
  }
}

/// A payload of its own: the complete pair of `Parameter` and `parameters`.
enum CustomPayload {
  typealias User = SnakeCaseUser

  struct UserPatch: Encodable, Sendable {
      let displayName: String
  }

  @APIDefinition(method: .patch, path: "/me", auth: .anonymous)
  struct UpdateUser {
      typealias Parameter = UserPatch
      typealias APIResponse = User

      let patch: UserPatch

      var parameters: Parameter? { patch }

      var transport: TransportPolicy<User> {
          .json(decoder: snakeCaseDecoder)
      }
  }

  static func request(client: DefaultNetworkClient) async throws -> User {
    let patched = try await client.request(
        UpdateUser(patch: UserPatch(displayName: "Taylor"))
    )
    return patched
  }
}

/// What the page takes for granted.
struct SnakeCaseUser: Decodable, Sendable {
  let id: Int
  let displayName: String
}

var snakeCaseDecoder: JSONDecoder {
  let decoder = JSONDecoder()
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  return decoder
}

/// The macro without Foundation.
enum MacroFirst {
  typealias User = QuickStart.User

  @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  struct GetUser {
      typealias APIResponse = User

      let id: Int
  }
}
