import Endpoints
import FoundationEssentials
import Linnet
import MainActorByDefault

enum Kind: String { case draft = "a/b", final }

@APIDefinition(method: .delete, path: "/{kind}/{`default`}/{key}.{format}", auth: .required)
struct EveryKindOfSegment {
  typealias APIResponse = EmptyResponse

  let kind: Kind
  let `default`: String, key: UUID
  @Uppercased var format: String
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var body: [Int]!
}

@propertyWrapper
struct Uppercased: Sendable {
  private var value = ""
  var wrappedValue: String {
    get { value }
    set { value = newValue.uppercased() }
  }
  init(wrappedValue: String) { self.wrappedValue = wrappedValue }
}

@APIDefinition(method: .get, path: "/items", auth: .anonymous)
struct Generic<Value: Decodable & Sendable> {
  typealias APIResponse = Value

  let query: Filter
}

@APIDefinition(method: .get, path: "/generic", auth: .anonymous)
private struct GenericResponse<APIResponse: Decodable & Sendable> {}

enum Scope {
  @APIDefinition(method: .get, path: "/scoped/{id}", auth: .anonymous)
  fileprivate struct Scoped {
    typealias APIResponse = User

    let id: Int
  }
}

@MainActor
@APIDefinition(method: .post, path: "/main/{id}", auth: .anonymous)
struct OnMainActor {
  typealias APIResponse = User

  let id: Int
  let body: User
}

@available(*, deprecated)
@APIDefinition(method: .get, path: "/old", auth: .anonymous)
struct Old {
  typealias APIResponse = User
}

@APIDefinition(method: HTTPMethod(rawValue: "PURGE") ?? .delete, path: "/cache", auth: .anonymous)
struct Purge {
  typealias APIResponse = EmptyResponse
}

struct WrongValue: Error {
  let reason: String
}

/// Checks the values that the requests are made of, and fails at the first that is wrong.
@main
struct Consumer {
  static func main() throws {
    let user = User(id: 1, name: "Kim")
    try expect(GetUser(id: 7).path, "/users/7")
    try expect(GetUser(id: 7).method, .get)
    try expect(GetUser(id: 7).sessionAuthentication, .anonymous)
    try expect(GetUser(id: 7).parameters, nil)
    try expect(API.ListUsers(query: Filter(page: 2)).parameters, Filter(page: 2))
    try expect(API.ListUsers(query: nil).parameters, nil)
    try expect(API.ListUsers(query: nil).sessionAuthentication, .optional)
    try expect(API.SaveDraft(body: API.Draft(title: "a")).parameters, API.Draft(title: "a"))
    try expect(API.V2.CreateUser(body: user).method, .post)
    try expect(API.V2.CreateUser(body: user).parameters, user)
    try expect(ReplaceUser(body: user).parameters, user)
    if ReplaceUser(body: nil).parameters != nil { throw WrongValue(reason: "an alias of an optional sends null") }
    try expect(UpdateUser(patch: user, verbose: true).parameters, user)
    try expect(UpdateUser(patch: user, verbose: true).headers.value(for: "x-verbose"), "1")

    let key = UUID()
    let every = EveryKindOfSegment(kind: .draft, default: "é ?#%", key: key, format: "json", body: nil)
    try expect(every.path, "/a%2Fb/%C3%A9%20%3F%23%25/\(key.uuidString).JSON")
    try expect(every.parameters, nil)
    try expect(EveryKindOfSegment(kind: .final, default: "..", key: key, format: "x", body: [1]).parameters, [1])
    try expect(Generic<[User]>(query: Filter(page: 1)).parameters, Filter(page: 1))
    try expect(GenericResponse<User>().path, "/generic")
    try expect(Scope.Scoped(id: 1).path, "/scoped/1")
    try expect(CreateNote(id: 1, body: Note(text: "")).path, "/notes/1")
    try expect(CreateNote(id: 1, body: nil).parameters, nil)
    try expect(Purge().method.rawValue, "PURGE")
    print("macro consumer: every endpoint has the values that it declares")
  }

  /// The types that the typed client infers; never called.
  static func requests(_ client: DefaultNetworkClient) async throws(NetworkError) -> [User] {
    let user: User = try await client.request(GetUser(id: 1))
    let users: [User] = try await client.request(API.ListUsers(query: nil))
    let onMain: User = try await client.request(OnMainActor(id: 1, body: user))
    let generic: User = try await client.request(Generic<User>(query: Filter(page: 1)))
    return users + [onMain, generic]
  }

  static func expect<Value: Equatable>(_ actual: Value, _ expected: Value, line: Int = #line) throws {
    if actual != expected { throw WrongValue(reason: "line \(line): \(actual), not \(expected)") }
  }
}
