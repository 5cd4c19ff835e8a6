// Written by .ci/doc-examples from Sources/Linnet/Linnet.docc/ChoosingTheEntryPoint.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum LinnetChoosingTheEntryPointExamples {
  struct User: Decodable, Sendable {
    let id: Int
    let name: String
  }

  struct UploadAvatar: MultipartAPIDefinition {
    typealias APIResponse = User

    let image: Data

    var method: HTTPMethod { .post }
    var path: String { "/me/avatar" }
    var sessionAuthentication: SessionAuthentication { .required }
    var multipartFormData: MultipartFormData {
      MultipartFormData {
        TextField("name", value: "avatar")
        FileField("file", data: image, fileName: "photo.jpg")
      }
    }
  }

  static func example1(client: DefaultNetworkClient, name: String) async throws {
    let found = try await client.request(
      EndpointBuilder<[User]>.get("/users")
        .query(["name": name])
        .header("X-Trace", value: "search")
        .authentication(.optional))
    print(found.count)
    _ = found
  }

  static func example2(client: DefaultNetworkClient, image: Data) async throws {
    let user = try await client.upload(UploadAvatar(image: image))
    print(user.name)
    _ = user
  }

  static func example3(client: DefaultNetworkClient) async throws {
    let response = try await client.perform(.get("https://api.example.com/v1/health"), acceptableStatusCodes: [200, 503])
    print(response.statusCode, response.headers["X-Version"] ?? "-", response.data.count)
    _ = response
  }

  static func example4(client: DefaultNetworkClient) async throws {
    let handle = client.request(EndpointBuilder<User>.get("/me").authentication(.required)) { result in
      switch result {
      case .success(let user): print(user.name)
      case .failure(let error): print(error)
      }
    }
    handle.cancel()
    _ = handle
  }
}
