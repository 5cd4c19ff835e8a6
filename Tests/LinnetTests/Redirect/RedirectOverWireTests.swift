import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetTestSupport
import Testing

/// Redirections between real servers, through the raw client.
@Suite struct RedirectOverWireTests {
  /// A client that leaves redirections to the stage under test.
  private func notFollowing() -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.redirects = .manual
    return HTTPClient(configuration: configuration)
  }

  private func exchange(_ client: HTTPClient) -> NextStage {
    { request throws(NetworkError) in
      do throws(TransportError) {
        let response = try await client.send(request)
        let body = try await response.collect(upTo: 1 << 20)
        return Response(
          statusCode: response.status.code, data: Data(body), request: request, response: response.head)
      } catch {
        throw NetworkError(error)
      }
    }
  }

  @Test("method, body and headers arrive as each hop's origin may see them")
  func chain() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = foreign.url("/end?x=%2F")
    let home = try ScriptedServer.start(
      .handler { request in
        switch request.path {
        case "/1": .redirect(307, to: "2")
        case "/2": .redirect(303, to: "/3?y")
        default: .redirect(302, to: target)
        }
      })
    defer { home.stop() }
    let request = HTTPRequest.post(
      home.url("/1"), headers: ["Authorization": "Bearer secret", "X-Tenant": "7", "Content-Type": "text/plain"],
      body: .text("hello"))
    let client = notFollowing()
    let response = try await RedirectStage().execute(
      request, call: CallContext(allowsInsecureHTTP: true), next: exchange(client))
    #expect(response.text == "end")
    #expect(response.redirects.map(\.statusCode) == [307, 303, 302])
    let seen = try await home.waitForRequests(3)
    #expect(seen.map(\.method) == ["POST", "POST", "GET"])
    #expect(seen.map(\.body.text) == ["hello", "hello", ""])
    #expect(seen.allSatisfy { $0.headers["Authorization"] == "Bearer secret" })
    #expect(seen[2].headers["Content-Type"] == nil)
    let last = try #require(try await foreign.waitForRequests(1).first)
    #expect(String(decoding: last.targetBytes, as: UTF8.self) == "/end?x=%2F")
    for name in ["Authorization", "X-Tenant", "Content-Type", "Referer"] {
      #expect(last.headers[name] == nil, "\(name)")
    }
    #expect(last.headers["Host"] == foreign.authority)
    await client.shutdown(grace: .zero)
  }

  @Test("a foreign origin is refused an unsafe method, and hears nothing of it")
  func refused() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = foreign.url("/")
    let home = try ScriptedServer.start(.handler { _ in .redirect(308, to: target) })
    defer { home.stop() }
    let client = notFollowing()
    let response = try await RedirectStage().execute(
      .post(home.url("/1"), body: .text("secret")), call: CallContext(allowsInsecureHTTP: true), next: exchange(client))
    #expect(response.statusCode == 308)
    #expect(foreign.snapshot.connections.isEmpty)
    await client.shutdown(grace: .zero)
  }

  @Test("a target that is not admitted is neither resolved nor connected to")
  func notAdmitted() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = "http://user:hunter2@\(foreign.authority)/"
    let home = try ScriptedServer.start(.handler { _ in .redirect(302, to: target) })
    defer { home.stop() }
    let client = notFollowing()
    let error = await #expect(throws: NetworkError.self) {
      try await RedirectStage().execute(
        .get(home.url("/")), call: CallContext(allowsInsecureHTTP: true), next: exchange(client))
    }
    guard case .configuration? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!"\(String(describing: error))".contains("hunter2"))
    #expect(foreign.snapshot.connections.isEmpty)
    await client.shutdown(grace: .zero)
  }
}
