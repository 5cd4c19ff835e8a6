// Written by .ci/doc-examples from Sources/Linnet/Linnet.docc/WritingEndpoints.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum LinnetWritingEndpointsExamples {
  struct User: Decodable, Sendable {
    let id: Int
    let name: String
  }

  struct GetUser: APIDefinition {
    typealias APIResponse = User

    let id: Int

    var method: HTTPMethod { .get }
    var path: String { "/users/\(EndpointPathEncoding.percentEncodedSegment(id))" }
    var sessionAuthentication: SessionAuthentication { .anonymous }
  }

  struct UserPatch: Encodable, Sendable {
    let displayName: String
  }

  @APIDefinition(method: .patch, path: "/me", auth: .required)
  struct UpdateUser {
    typealias Parameter = UserPatch
    typealias APIResponse = User

    let patch: UserPatch

    var parameters: UserPatch? { patch }
    var transport: TransportPolicy<User> {
      .json(encoder: JSONCoding.snakeCaseEncoder, decoder: JSONCoding.snakeCaseDecoder)
    }
  }

  @APIDefinition(method: .post, path: "/login", auth: .anonymous)
  struct LogIn {
    struct Form: Encodable, Sendable {
      let name: String
      let password: String
    }

    typealias APIResponse = User

    let body: Form

    var transport: TransportPolicy<User> { .formURLEncoded() }
  }

  @APIDefinition(method: .get, path: "/users", auth: .optional)
  struct FindUsers {
    struct Filter: Encodable, Sendable {
      let tags: [String]
      let createdSince: Date?
    }

    typealias APIResponse = [User]

    let query: Filter

    var transport: TransportPolicy<[User]> {
      .query(
        encoder: URLQueryEncoder(keyEncodingStrategy: .convertToSnakeCase, arrayEncodingStrategy: .repeated),
        decoder: JSONCoding.snakeCaseDecoder)
    }
  }

  @APIDefinition(method: .delete, path: "/users/{id}", auth: .required)
  struct DeleteUser {
    typealias APIResponse = EmptyResponse

    let id: UUID
  }

  @APIDefinition(method: .get, path: "/report", auth: .optional)
  struct GetReport {
    typealias APIResponse = [User]

    var headers: HTTPHeaders { ["Accept-Language": "ko"] }
    var timeoutOverride: TimeInterval? { 120 }
    var acceptableStatusCodes: Set<Int>? { [200, 203] }
    var cachePolicyOverride: RequestCachePolicy? { .reloadIgnoringLocalCacheData }
    var priorityOverride: RequestPriority? { .background }
  }

  struct NextPage: APIDefinition {
    typealias APIResponse = [User]

    let link: URL

    var method: HTTPMethod { .get }
    var path: String { "" }
    var absoluteURL: URL? { link }
    var sessionAuthentication: SessionAuthentication { .optional }
  }

  nonisolated struct Profile: Codable, Sendable {
    let displayName: String
  }

  @APIDefinition(method: .get, path: "/me", auth: .required)
  struct GetProfile {
    typealias APIResponse = Profile
  }
}
