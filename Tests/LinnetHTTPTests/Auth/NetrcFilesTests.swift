import Glibc
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// Where netrc files are found, and when they are read.
@Suite("netrc files", .timeLimit(.minutes(1)))
struct NetrcFilesTests {
  private func environment(_ variables: [String: String]) -> EngineEnvironment {
    EngineEnvironment(variables: variables)
  }

  private func client(_ source: NetrcSource, _ variables: [String: String] = [:]) -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.netrc = source
    return HTTPClient(configuration: configuration, environment: environment(variables))
  }

  private func send(_ client: HTTPClient, to server: ScriptedServer, _ url: String? = nil) async throws -> String? {
    _ = try await client.send(.get(url ?? server.url())).collect()
    return server.snapshot.requests.last?.headers["Authorization"]
  }

  @Test("the standard file is the one of the variable, else the one in the home directory; none is no error")
  func standard() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("machine 127.0.0.1 login home password h", to: ".netrc")
    let named = try directory.write("machine 127.0.0.1 login var password v", to: "other")
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let home = directory.path
      #expect(try await send(client(.standard, ["HOME": home]), to: server) == "Basic aG9tZTpo")
      #expect(try await send(client(.standard, ["HOME": home, "NETRC": ""]), to: server) == "Basic aG9tZTpo")
      #expect(try await send(client(.standard, ["HOME": home, "NETRC": named]), to: server) == "Basic dmFyOnY=")
      #expect(try await send(client(.standard, ["HOME": home, "NETRC": "\(home)/none"]), to: server) == nil)
      #expect(try await send(client(.standard, ["HOME": "\(home)/none"]), to: server) == nil)
      #expect(try await send(client(.standard, [:]), to: server) == nil)
      #expect(try await send(client(.off, ["HOME": home]), to: server) == nil)
    }
  }

  @Test("a changed file is read again, and one that appears is found")
  func changes() async throws {
    let directory = try TemporaryDirectory()
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let client = client(.standard, ["HOME": directory.path])
      #expect(try await send(client, to: server) == nil)
      try directory.write("machine 127.0.0.1 login u password p", to: ".netrc")
      #expect(try await send(client, to: server) == "Basic dTpw")
      #expect(try await send(client, to: server) == "Basic dTpw")
      try directory.write("machine 127.0.0.1 login u password longer", to: ".netrc")
      #expect(try await send(client, to: server) == "Basic dTpsb25nZXI=")
    }
  }

  @Test("a file that cannot be used fails the request before anything is sent, with its line and without its words")
  func unusable() async throws {
    let directory = try TemporaryDirectory()
    let broken = try directory.write("machine a\nlogin u password \"s3cret", to: "broken")
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      for (path, reason) in [
        (broken, "line 2"), ("\(directory.path)/none", "no such file"), (directory.path, "directory"),
      ] {
        let error = await client(.file(path)).failure(of: .get(server.url()))
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.reason.contains(path) == true)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(error.map { "\($0)".contains("s3cret") } == false)
      }
      #expect(server.snapshot.connections.isEmpty)
    }
  }

  @Test("a name in the URL asks for its password; another name finds none")
  func nameInURL() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      "machine 127.0.0.1 login a password 1\nmachine 127.0.0.1 login b password 2", to: "netrc")
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let client = client(.file(file))
      #expect(try await send(client, to: server) == "Basic YTox")
      #expect(try await send(client, to: server, "http://b@127.0.0.1:\(server.port)/") == "Basic Yjoy")
      #expect(try await send(client, to: server, "http://c@127.0.0.1:\(server.port)/") == "Basic Yzo=")
      #expect(try await send(client, to: server, "http://b:x@127.0.0.1:\(server.port)/") == "Basic Yjp4")
    }
  }
}
