import LinnetMacroExpansion
import Testing

/// What the macro writes for declarations without a mistake.
struct ExpansionTests {
  /// The expansion of a source that must not be reported.
  private func expansion(of source: String) throws -> String {
    let run = try MacroRun(source)
    #expect(run.findings.map(\.message) == [])
    return run.expansion
  }

  /// The member of an expansion that declares a name, without its indentation.
  private func member(_ name: String, of source: String) throws -> String? {
    try expansion(of: source).split(separator: "\n").map { $0.drop { $0 == " " } }
      .first { $0.contains("var \(name):") || $0.contains("typealias \(name) ") }.map(String.init)
  }

  /// An endpoint with some members.
  private func endpoint(
    method: String = ".get", path: String = "/", auth: String = ".anonymous", _ members: String = ""
  ) -> String {
    """
    @APIDefinition(method: \(method), path: "\(path)", auth: \(auth))
    struct Fetch {
      typealias APIResponse = User
      \(members)
    }
    """
  }

  @Test("An endpoint without a payload has every witness, in one extension")
  func whole() throws {
    let expected = #"""
      extension GetUser: Linnet.APIDefinition {
        var method: Linnet.HTTPMethod { .get }
        var path: Swift.String { "/users/\(Linnet.EndpointPathEncoding.percentEncodedSegment(id))" }
        var sessionAuthentication: Linnet.SessionAuthentication { .anonymous }
        typealias Parameter = Linnet.EmptyParameter
        var parameters: Parameter? { nil }
      }
      """#
    let source = """
      @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
      struct GetUser {
        typealias APIResponse = User

        let id: Int
      }
      """
    #expect(try expansion(of: source) == expected)
  }

  // MARK: Method and authentication

  @Test(
    "A known constant is written back in its short form",
    arguments: ["get", "head", "post", "put", "patch", "delete", "connect", "options", "trace"])
  func methodConstants(_ name: String) throws {
    for spelling in [".\(name)", "HTTPMethod.\(name)", "Linnet.HTTPMethod.\(name)"] {
      let source = endpoint(method: spelling)
      #expect(try member("method", of: source) == "var method: Linnet.HTTPMethod { .\(name) }")
    }
  }

  @Test(
    "Any other method expression is copied",
    arguments: ["Other.get", "Linnet.Other.get", "HTTPMethod(rawValue: \"PURGE\")!", ".purge", "verb"])
  func otherMethods(_ expression: String) throws {
    let source = endpoint(method: expression)
    #expect(try member("method", of: source) == "var method: Linnet.HTTPMethod { \(expression) }")
  }

  @Test(
    "Each spelling of an authentication is written back in its short form",
    arguments: ["anonymous", "optional", "required"])
  func authentications(_ name: String) throws {
    for spelling in [".\(name)", "SessionAuthentication.\(name)", "Linnet.SessionAuthentication.\(name)"] {
      let expected = "var sessionAuthentication: Linnet.SessionAuthentication { .\(name) }"
      #expect(try member("sessionAuthentication", of: endpoint(auth: spelling)) == expected)
    }
  }

  // MARK: Path

  @Test(
    "Placeholders become encoded segments, and the text around them stays as it is written",
    arguments: [
      ("", "", "\"\""),
      ("/", "", #""/""#),
      ("/a%20b/c d/é", "", #""/a%20b/c d/é""#),
      ("{id}", "let id: Int", #""‹id›""#),
      ("/{id}.json", "let id: Int", #""/‹id›.json""#),
      ("/{from}...{to}", "let from, to: Int", #""/‹from›...‹to›""#),
      ("/{id}/{id}", "let id: Int", #""/‹id›/‹id›""#),
      ("/{default}", "let `default`: Int", #""/‹`default`›""#),
      ("/{`default`}", "let `default`: Int", #""/‹`default`›""#),
      ("/{größe}", "let größe: Int", #""/‹größe›""#),
      (#"/\u{e9}\"/{id}"#, "let id: Int", #""/\u{e9}\"/‹id›""#),
      ("/.../..a/a..", "", #""/.../..a/a..""#),
      ("/{id}", "let id = 5", #""/‹id›""#),
      ("/{id}", "var id: Int { didSet {} }", #""/‹id›""#),
      ("/{id}", "@Trimmed var id: String", #""/‹id›""#),
      ("/{id}", "let id: Alias.ID", #""/‹id›""#),
      ("/{id}", "let a: Int, id: Int; var b: Int { a }", #""/‹id›""#),
      ("/{id}", "#if DEBUG\nlet id: Int\n#else\nlet id: Int\n#endif", #""/‹id›""#),
    ])
  func paths(path: String, members: String, expected: String) throws {
    let expected = expected.replacing("‹", with: "\\(Linnet.EndpointPathEncoding.percentEncodedSegment(")
      .replacing("›", with: "))")
    #expect(try member("path", of: endpoint(path: path, members)) == "var path: Swift.String { \(expected) }")
  }

  // MARK: Payload

  @Test(
    "A stored query or body is the payload, and a nil one is no payload",
    arguments: [
      (".get", "let query: Filter", "Filter", "Linnet.EndpointPayload.parameters(query)"),
      (".head", "var query: API.Filter<Int>", "API.Filter<Int>", "Linnet.EndpointPayload.parameters(query)"),
      (".post", "let body: [String: Int]", "[String: Int]", "Linnet.EndpointPayload.parameters(body)"),
      (".put", "let body: Draft?", "Draft", "body"),
      (".patch", "let body: Draft!", "Draft", "body"),
      (".delete", "let body: Optional<Draft>", "Draft", "body"),
      (".delete", "let body: Swift.Optional<Draft>", "Draft", "body"),
      (".post", "let body: Draft??", "Draft", "body.flatMap { $0 }"),
      (".post", "let body: (Draft)?", "Draft", "body"),
      (".post", "let body: Draft = Draft()", "Draft", "Linnet.EndpointPayload.parameters(body)"),
      (".post", "var body: Draft { didSet {} }", "Draft", "Linnet.EndpointPayload.parameters(body)"),
      (".post", "@Wrapped var body: Draft", "Draft", "Linnet.EndpointPayload.parameters(body)"),
      (".post", "let `body`: Draft", "Draft", "Linnet.EndpointPayload.parameters(`body`)"),
      (".options", "", "Linnet.EmptyParameter", "nil"),
      ("verb", "", "Linnet.EmptyParameter", "nil"),
    ])
  func payloads(method: String, members: String, type: String, value: String) throws {
    let source = endpoint(method: method, members)
    #expect(try member("Parameter", of: source) == "typealias Parameter = \(type)")
    #expect(try member("parameters", of: source) == "var parameters: Parameter? { \(value) }")
  }

  @Test("A property that the path uses is not the payload")
  func placeholderIsNotPayload() throws {
    let source = endpoint(path: "/search/{query}", "let query: String")
    #expect(try member("parameters", of: source) == "var parameters: Parameter? { nil }")
    #expect(try MacroRun(endpoint(path: "/{body}", "let body: String")).findings.isEmpty)
  }

  @Test(
    "With the complete pair the author decides, whatever the method and the stored properties",
    arguments: [
      "typealias Parameter = Patch\nlet patch: Patch\nvar parameters: Parameter? { patch }",
      "struct Parameter: Encodable {}\nvar parameters: Parameter? { Parameter() }",
      "typealias Parameter = EmptyParameter\nlet token: String\nvar parameters: Parameter? { nil }",
      "typealias Parameter = Draft\nlet body: Draft\nlet query: Filter\nlet parameters: Draft?",
    ], [".patch", ".get", ".options", "verb"])
  func completePair(members: String, method: String) throws {
    let source = endpoint(method: method, members)
    #expect(try member("Parameter", of: source) == nil)
    #expect(try member("parameters", of: source) == nil)
  }

  @Test(
    "Stored members of an endpoint are its policy and not forgotten input",
    arguments: [
      "headers", "logger", "requestInterceptors", "requestSigners", "responseInterceptors", "acceptableStatusCodes",
      "transport", "timeoutOverride", "cachePolicyOverride", "priorityOverride", "allowsCellularAccessOverride",
      "allowsExpensiveNetworkAccessOverride", "allowsConstrainedNetworkAccessOverride", "retryPolicyOverride",
      "absoluteURL",
    ])
  func endpointMembers(_ name: String) throws {
    #expect(try MacroRun(endpoint("let \(name): Value")).findings.isEmpty)
  }

  @Test(
    "A stored property that another member reads is used",
    arguments: [
      "let token: String\nvar headers: HTTPHeaders { [\"X-Token\": token] }",
      "let token: String\nvar headers: HTTPHeaders { [\"X-Token\": self.token] }",
      "let token: String\nfunc describe() -> String { token }",
    ])
  func readElsewhere(_ members: String) throws {
    #expect(try MacroRun(endpoint(members)).findings.isEmpty)
  }

  @Test("A property that only an initialiser sets is unused")
  func initialiserIsNoUse() throws {
    let run = try MacroRun(endpoint("let token: String\ninit(token: String) { self.token = token }"))
    #expect(run.findings.compactMap(\.id) == [.unusedStoredProperty])
    #expect(run.findings.flatMap(\.fixIts).isEmpty)
  }

  @Test("Members of the type and computed properties need no use")
  func otherMembers() throws {
    let members = "static let shared = 1\nstatic let (a, b) = (1, 2)\nvar note: String { \"\" }\nfunc path(_ x: Int) {}"
    #expect(try MacroRun(endpoint(members)).findings.isEmpty)
  }

  @Test(
    "A nested type or a generic parameter can be the response",
    arguments: [
      "struct Get { struct APIResponse: Decodable {} }", "struct Get { enum APIResponse: Decodable {} }",
      "struct Get<APIResponse: Decodable & Sendable> {}",
    ])
  func responses(_ declaration: String) throws {
    let attribute = "@APIDefinition(method: .get, path: \"/\", auth: .anonymous)\n"
    #expect(try MacroRun(attribute + declaration).findings.isEmpty)
  }

  // MARK: Access, isolation, availability

  @Test(
    "The witnesses are as visible as the narrowest type around them",
    arguments: [
      ("struct Get", ""), ("internal struct Get", ""), ("public struct Get", "public "),
      ("package struct Get", "package "), ("fileprivate struct Get", "fileprivate "),
      ("private struct Get", "fileprivate "),
      ("public enum API { public struct Get", "public "), ("public enum API { struct Get", ""),
      ("enum API { public struct Get", ""), ("package enum API { public struct Get", "package "),
      ("private enum API { public struct Get", "fileprivate "),
      ("public enum A { enum B { public struct Get", ""),
      ("extension API { public struct Get", "public "), ("public extension API { struct Get", "public "),
      ("public extension API { internal struct Get", ""), ("package extension API { struct Get", "package "),
      ("extension API { struct Get", ""), ("public extension API { enum Inner { public struct Get", "public "),
      ("private extension API { struct Get", "fileprivate "),
    ])
  func access(declaration: String, modifier: String) throws {
    let parts = declaration.split(separator: "{", omittingEmptySubsequences: false).map(String.init)
    let outer = parts.dropLast().map { $0 + "{ " }.joined()
    let source =
      outer + "@APIDefinition(method: .get, path: \"/\", auth: .anonymous)\n\(parts.last ?? "")"
      + " { typealias APIResponse = User }" + String(repeating: " }", count: parts.count - 1)
    for name in ["method", "path", "sessionAuthentication", "parameters"] {
      #expect(try member(name, of: source)?.hasPrefix("\(modifier)var") == true, "\(name)")
    }
    #expect(try member("Parameter", of: source)?.hasPrefix("\(modifier)typealias") == true)
  }

  @Test("A nested struct is extended by its full name")
  func nested() throws {
    let source = """
      extension API.V1 {
        enum Users {
          @APIDefinition(method: .get, path: "/", auth: .anonymous)
          struct Get { typealias APIResponse = User }
        }
      }
      """
    #expect(try expansion(of: source).hasPrefix("extension API.V1.Users.Get: Linnet.APIDefinition {"))
  }

  @Test("The payload's type is named inside the struct, where types around it are in sight")
  func nestedPayload() throws {
    let source = """
      enum API {
        struct Draft: Encodable {}
        \(endpoint(method: ".post", "let body: Draft"))
      }
      """
    let lines = try expansion(of: source).split(separator: "\n")
    #expect(lines.last == "typealias Parameter = Draft")
    #expect(lines.dropLast().allSatisfy { !$0.contains("Draft") })
  }

  @Test("A setter's own access level is not that of the struct")
  func setterAccess() throws {
    let source = endpoint(path: "/{id}", "public private(set) var id: Int")
    #expect(try member("path", of: source)?.hasPrefix("var") == true)
  }

  @Test(
    "The witnesses of a struct that belongs to an actor can be read from anywhere",
    arguments: ["MainActor", "DatabaseActor"])
  func isolation(_ actor: String) throws {
    let source = "@\(actor)\n" + endpoint(method: ".post", "let body: Draft")
    for name in ["method", "path", "sessionAuthentication", "parameters"] {
      #expect(try member(name, of: source)?.hasPrefix("nonisolated var") == true, "\(name)")
    }
  }

  @Test("The extension is available where the struct is")
  func availability() throws {
    let source = "@available(*, deprecated)\n" + endpoint()
    #expect(try expansion(of: source).hasPrefix("@available(*, deprecated)\nextension Fetch: Linnet.APIDefinition {"))
  }

  @Test("Comments and layout of the declaration do not matter")
  func trivia() throws {
    let source = """
      /// Fetches.
      @APIDefinition( // verb
        method: /* m */ .get /* get */, path: "/{id}" // path
        , auth: .anonymous
      )
      @frozen /* a */ struct Fetch /* b */ : /* c */ Hashable /* d */ {
        // none
        typealias /* e */ APIResponse = User // f
        let /* g */ id /* h */ : /* i */ Int // j
      }
      """
    #expect(try member("method", of: source) == "var method: Linnet.HTTPMethod { .get }")
    #expect(try member("path", of: source)?.contains("percentEncodedSegment(id)") == true)
  }

  @Test("A redundant alias is used as it stands")
  func redundantAlias() throws {
    let run = try MacroRun(endpoint("typealias Parameter = Linnet.EmptyParameter"))
    #expect(run.findings.compactMap(\.id) == [.redundantEmptyParameter])
    #expect(!run.expansion.contains("typealias"))
    #expect(run.expansion.contains("var parameters: Parameter? { nil }"))
  }
}
