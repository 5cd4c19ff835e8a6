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

  // MARK: Pipes

  private func pipe(in directory: TemporaryDirectory, _ name: String = "pipe") throws -> String {
    let path = directory.path(of: name)
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  @Test("a pipe, as of a command's output, is read once, for all requests that come meanwhile and later")
  func pipes() async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let client = client(.file(path))
      let requests = (0..<4).map { _ in Task { try await client.send(.get(server.url())).text() } }
      let writer = try await openWriter(path)
      let text = Array("machine 127.0.0.1 login u password p\n".utf8)
      #expect(write(writer, text, 20) == 20)
      #expect(write(writer, Array(text[20...]), text.count - 20) > 0)
      close(writer)
      for request in requests { #expect(try await request.value == "ok") }
      #expect(try await send(client, to: server) == "Basic dTpw")
      #expect(server.snapshot.requests.allSatisfy { $0.headers["Authorization"] == "Basic dTpw" })
    }
  }

  @Test("a pipe whose first request was given up in the middle is read on for the next one, from its beginning")
  func givenUp() async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    // It reads too, so that a pipe that nobody reads any more keeps its bytes.
    let writer = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let client = client(.file(path))
      let first = Task { await client.failure(of: .get(server.url())) }
      let text = "machine 127.0.0.1 login real password r\n"
      #expect(write(writer, text, text.utf8.count) == text.utf8.count)
      try await read(from: writer)
      first.cancel()
      #expect(await first.value?.code == .cancelled)
      let second = Task { try await send(client, to: server) }
      let rest = "default login guest password g\n"
      #expect(write(writer, rest, rest.utf8.count) == rest.utf8.count)
      try await read(from: writer)
      close(writer)
      #expect(try await second.value == "Basic cmVhbDpy")
      #expect(try await send(client, to: server) == "Basic cmVhbDpy")
    }
  }

  /// Waits until a pipe is empty.
  private func read(from pipe: CInt) async throws {
    var count: CInt = 1
    while count > 0 {
      try #require(ioctl(pipe, UInt(FIONREAD), &count) == 0)
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test("a pipe that is read for nobody is closed when the client is shut down")
  func shutdown() async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    let client = client(.file(path))
    let waiting = (0..<2).map { _ in Task { await client.failure(of: .get("http://127.0.0.1:1/")) } }
    let writer = try await openWriter(path)
    waiting[0].cancel()
    #expect(await waiting[0].value?.code == .cancelled)
    await client.shutdown()
    #expect(await waiting[1].value?.code == .clientShutDown)
    try await closed(writer)
    close(writer)
  }

  @Test("what a pipe said is not forgotten for files that can be read again")
  func manyFiles() async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let client = client(.file(path))
      let first = Task { try await send(client, to: server) }
      let writer = try await openWriter(path)
      let text = "machine 127.0.0.1 login u password p\n"
      #expect(write(writer, text, text.utf8.count) == text.utf8.count)
      close(writer)
      #expect(try await first.value == "Basic dTpw")
      for number in 0..<20 {
        var request = HTTPRequest.get(server.url())
        request.options.netrc = .file(try directory.write("machine 127.0.0.1 login a", to: "file\(number)"))
        _ = try await client.send(request).collect()
      }
      #expect(try await send(client, to: server) == "Basic dTpw")
    }
  }

  @Test("an open descriptor is a file, too", arguments: ["", "machine 127.0.0.1 login u password p"])
  func descriptor(text: String) async throws {
    var ends: [CInt] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    defer { close(ends[0]) }
    #expect(write(ends[1], Array(text.utf8), text.utf8.count) == text.utf8.count)
    close(ends[1])
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      let client = client(.file("/dev/fd/\(ends[0])"))
      for _ in 0..<2 { #expect(try await send(client, to: server) == (text.isEmpty ? nil : "Basic dTpw")) }
    }
  }

  @Test("the time in which credentials were found for a client above counts for the total timeout")
  func timeSpent() async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    let clock = ManualClock()
    var configuration = HTTPClientConfiguration()
    configuration.netrc = .file(path)
    let client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: clock.makeGroup(), clock: clock))
    let finding = Task { () async throws -> HTTPRequest in
      var request = HTTPRequest.get("http://127.0.0.1:1/")
      try await client.resolveCredentials(of: &request, try request.parsedURL())
      return request
    }
    let writer = try await openWriter(path)
    clock.advance(by: .seconds(6))
    let text = Array("machine 127.0.0.1 login u password p\n".utf8)
    #expect(write(writer, text, text.count) == text.count)
    close(writer)
    var request = try await finding.value
    #expect(request.options.credentials != nil)
    #expect(request.options.timeSpent == .seconds(6))

    let gate = Gate()
    defer { gate.open() }
    try await ScriptedServer.with(.handler { _ in .text("ok").waiting(for: gate) }) { server async throws in
      request.url = server.url()
      request.options.timeouts.total = .after(.seconds(5))
      let error = await HTTPClient().failure(of: request)
      #expect(error?.code == .totalTimeout)
      // And not 5 s after the request was sent.
      #expect((error?.elapsed ?? .zero) >= .seconds(6))
      gate.open()
    }
  }

  @Test("a pipe into which nobody writes is waited for until the total timeout")
  func silentPipe() async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    let clock = ManualClock()
    let shards = clock.makeGroup()
    var configuration = HTTPClientConfiguration()
    configuration.netrc = .file(path)
    configuration.timeouts.total = .seconds(5)
    let client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: shards, clock: clock))
    let failures = EventRecorder<TransportError?>()
    let task = Task { failures.record(await client.failure(of: .get("http://127.0.0.1:1/"))) }
    await clock.advance(by: .seconds(1), until: failures)
    await task.value
    let error = try #require(failures.events.first ?? nil)
    #expect(error.code == .totalTimeout && error.phase == .request && error.sent == .nothing)
    #expect(error.reason.contains(path))
    await shards.shutDown()
  }

  @Test("requests that are cancelled while they wait for pipes leave no thread and no descriptor behind")
  func abandonedPipes() async throws {
    let directory = try TemporaryDirectory()
    let good = try directory.write("machine 127.0.0.1 login u password p", to: "good")
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      // More than the blocking pool has threads.
      for number in 0..<20 {
        let path = try pipe(in: directory, "pipe\(number)")
        let task = Task { await client(.file(path)).failure(of: .get(server.url())) }
        // It is open for reading now.
        let writer = try await openWriter(path)
        #expect(writer >= 0)
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        try await closed(writer)
        close(writer)
      }
      #expect(try await send(client(.file(good)), to: server) == "Basic dTpw")
    }
  }

  /// Waits until nobody has the reading end of a pipe.
  private func closed(_ writer: CInt) async throws {
    var event = pollfd(fd: writer, events: 0, revents: 0)
    while event.revents & Int16(POLLERR) == 0 {
      poll(&event, 1, 0)
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test("what is no file, or has no end, is an error", arguments: [("/dev/zero", "too large"), ("/tmp", "directory")])
  func devices(path: String, reason: String) async throws {
    let error = await client(.file(path)).failure(of: .get("http://127.0.0.1:1/"))
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test("an empty device is an empty file")
  func emptyDevice() async throws {
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { server async throws in
      #expect(try await send(client(.file("/dev/null")), to: server) == nil)
    }
  }

  // MARK: Redirections

  @Test("the entry for all others is not for a host to which a policy's own request follows a server")
  func followInstead() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("default login d password e", to: "netrc")
    try await ScriptedServer.with(.handler { $0.path == "/1" ? .redirect(to: "/2") : .text("there") }) {
      other async throws in
      let target = other.url("/1")
      try await ScriptedServer.with(.handler { _ in .redirect(to: target) }) { server async throws in
        var configuration = HTTPClientConfiguration()
        configuration.netrc = .file(file)
        configuration.defaultHeaders.add("X-Key", "s3cret")
        let client = HTTPClient(configuration: configuration)
        var request = HTTPRequest.get(server.url("/"))
        request.options.redirects = .following { .followInstead(.get($0.request.url)) }
        _ = try await client.send(request).collect()
        #expect(server.snapshot.requests.last?.headers["Authorization"] == "Basic ZDpl")
        #expect(other.snapshot.requests.count == 2)
        #expect(other.snapshot.requests.allSatisfy { $0.headers["Authorization"] == nil && $0.headers["X-Key"] == nil })
        // What the policy gives for that host is for that host.
        let port = other.port
        for own in 0..<2 {
          request.options.redirects = .following { redirect in
            var next = HTTPRequest.get(own == 0 ? redirect.request.url : "http://u:p@127.0.0.1:\(port)/3")
            if own == 0 { next.options.credentials = .basic(user: "u", password: "p") }
            return redirect.history.isEmpty ? .followInstead(next) : .follow
          }
          _ = try await client.send(request).collect()
          #expect(other.snapshot.requests.last?.headers["Authorization"] == "Basic dTpw")
        }
      }
    }
  }
}

/// Opens a pipe for writing once somebody reads it. Without waiting in a thread: the pool that runs tasks has few.
func openWriter(_ path: String) async throws -> CInt {
  while true {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor >= 0 || errno != ENXIO { return descriptor }
    try await Task.sleep(for: .milliseconds(1))
  }
}
