import FoundationEssentials
import Linnet

struct User: Codable, Sendable {
  let id: Int
}

struct GetUser: APIDefinition {
  typealias APIResponse = User

  let id: Int

  var method: HTTPMethod { .get }
  var path: String { "/users/\(EndpointPathEncoding.percentEncodedSegment(id))" }
  var sessionAuthentication: SessionAuthentication { .anonymous }
}

struct CreateUser: APIDefinition {
  typealias APIResponse = User
  typealias Parameter = User

  let body: User?

  var method: HTTPMethod { .post }
  var path: String { "/users" }
  var sessionAuthentication: SessionAuthentication { .required }
  var parameters: User? { body }
}

struct WrongValue: Error {}

@main
struct Manual {
  static func main() throws {
    let isRight =
      GetUser(id: 7).path == "/users/7" && GetUser(id: 7).parameters == nil
      && CreateUser(body: User(id: 1)).parameters?.id == 1 && CreateUser(body: nil).parameters == nil
    if !isRight { throw WrongValue() }
    print("manual consumer: both endpoints have the values that they declare")
  }

  /// The types that the typed client infers; never called.
  static func requests(_ client: DefaultNetworkClient) async throws(NetworkError) -> [User] {
    try await [client.request(GetUser(id: 1)), client.request(CreateUser(body: nil))]
  }
}
