import FoundationEssentials
import Linnet

// Mistakes that only the type checker can see. The text after `expect:` must be part of an error, once for each line
// that has it.

struct User: Codable, Sendable {}
typealias MaybeID = Int?

@APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
struct AliasOfOptional {
  typealias APIResponse = User

  let id: MaybeID  // expect: unwrap
}

struct WithoutMacro: Sendable {
  typealias APIResponse = User
}

func request(_ client: DefaultNetworkClient) async throws(NetworkError) {
  _ = try await client.request(WithoutMacro())  // expect: @APIDefinition
}

@APIDefinition(method: .get, path: "/users", auth: .nobody)  // expect: has no member 'nobody'
struct UnknownCase {
  typealias APIResponse = User
}
