// Written by .ci/doc-examples from Sources/Linnet/Linnet.docc/FirstRequest.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum LinnetFirstRequestExamples {
  struct User: Decodable, Sendable {
    let id: Int
    let name: String
  }

  @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  struct GetUser {
    typealias APIResponse = User

    let id: Int
  }

  struct NewPost: Encodable, Sendable {
    let title: String
    let text: String
  }

  struct Post: Decodable, Sendable {
    let id: Int
    let title: String
  }

  @APIDefinition(method: .post, path: "/posts", auth: .anonymous)
  struct CreatePost {
    typealias APIResponse = Post

    let body: NewPost
  }

  struct PostFilter: Encodable, Sendable {
    let tags: [String]
    let page: Int
  }

  @APIDefinition(method: .get, path: "/posts", auth: .anonymous)
  struct ListPosts {
    typealias APIResponse = [Post]

    let query: PostFilter
  }

  static func example1() async throws {
    let client = DefaultNetworkClient(baseURL: URL(string: "https://api.example.com/v1")!)
    let user = try await client.request(GetUser(id: 1))
    print(user.name)
    _ = client
    _ = user
  }

  static func example2(client: DefaultNetworkClient) async throws {
    let created = try await client.request(CreatePost(body: NewPost(title: "Hello", text: "World")))
    let posts = try await client.request(ListPosts(query: PostFilter(tags: ["swift", "linux"], page: 2)))
    print(created.id, posts.count)
    _ = created
    _ = posts
  }

  static func example3(client: DefaultNetworkClient) async throws {
    let user = Task {
      do throws(NetworkError) {
        print(try await client.request(GetUser(id: 1), tag: "profile").name)
      } catch {
        print(error.code == .cancelled ? "never mind" : "\(error)")
      }
    }
    await client.cancelAll(matching: "profile")  // what has begun
    user.cancel()  // this one, also when it has not begun yet
    await user.value
    await client.shutdown()
    _ = user
  }
}
