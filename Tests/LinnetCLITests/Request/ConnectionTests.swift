import LinnetTestSupport
import Testing

/// Where and how the command connects.
@Suite("Connections of the command", .timeLimit(.minutes(2)))
struct ConnectionTests {
  private static let script = ServerScript.handler { .text($0.headers["Host"] ?? "-") }

  private func run(_ words: [String]) async throws -> CommandRun.Result {
    try await CommandRun(([CommandRun.path, "-sS"] + words).map { Array($0.utf8) }).result()
  }

  @Test("--connect-to connects elsewhere and keeps the name, for the hosts and ports that it names")
  func connectTo() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let port = "\(server.port)"
      for entry in ["name.test:80:127.0.0.1:\(port)", "::127.0.0.1:\(port)", "NAME.test::127.0.0.1:\(port)"] {
        let result = try await run(["--connect-to", entry, "http://name.test/"])
        #expect(result.output == "name.test", "\(entry) \(result.error)")
      }
      let other = try await run(["--connect-to", "name.test:81:127.0.0.1:\(port)", server.url()])
      #expect(other.output == server.authority)
    }
  }

  @Test("--interface takes an address or a name; what does not exist is refused")
  func interface() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let result = try await run(["--interface", "127.0.0.2", "-w", " %{local_ip}", server.url()])
      #expect(result.output == "\(server.authority) 127.0.0.2", "\(result.error)")
      let count = server.snapshot.connectionCount
      #expect(try await run(["--interface", "if!nowhere0", server.url()]).status == 2)
      #expect(server.snapshot.connectionCount == count)
    }
  }

  @Test("--keepalive-time and --no-keepalive are accepted by the system")
  func keepAlive() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      #expect(try await run(["--keepalive-time", "5", server.url()]).status == 0)
      #expect(try await run(["--no-keepalive", server.url()]).status == 0)
    }
  }

  // MARK: TLS

  private func withTLS(_ body: (ScriptedServer, [String]) async throws -> Void) async throws {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    try await ScriptedServer.with(Self.script, options: options) { server async throws in
      try await body(server, ["--cacert", certificates.authorityFile, server.url()])
    }
  }

  @Test("--pinnedpubkey takes several pins; none that fits is status 90, and one that is none is refused")
  func pins() async throws {
    try await withTLS { server, words async throws in
      let wrong = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
      let refused = try await run(["--pinnedpubkey", wrong] + words)
      #expect(refused.status == 90, "\(refused.error)")
      // The error names the pin that was seen.
      let pin = refused.error.split { " \n,;()'\"".contains($0) }.first { $0.hasPrefix("sha256//") && $0 != wrong }
      let seen = try #require(pin, "\(refused.error)")
      #expect(try await run(["--pinnedpubkey", "\(wrong);\(seen)"] + words).status == 0)
      let count = server.snapshot.connectionCount
      let malformed = try await run(["--pinnedpubkey", "sha256//x"] + words)
      #expect(malformed.status == 2 && malformed.error.contains("--pinnedpubkey"))
      #expect(server.snapshot.connectionCount == count)
    }
  }

  @Test("--tlsv1.x, --tls-max and the lists of ciphers reach the handshake; a wrong list is refused")
  func versions() async throws {
    try await withTLS { _, words async throws in
      #expect(try await run(["-v", "--tls-max", "1.2"] + words).error.contains("TLSv1.2"))
      #expect(try await run(["-v", "--tlsv1.3"] + words).error.contains("TLSv1.3"))
      let suite = try await run(["-v", "--tls13-ciphers", "TLS_CHACHA20_POLY1305_SHA256"] + words)
      #expect(suite.error.contains("TLS_CHACHA20_POLY1305_SHA256"), "\(suite.error)")
      let cipher = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
      #expect(
        try await run(["-v", "--tls-max", "1.2", "--ciphers", cipher] + words).error.contains("AES128-GCM-SHA256"))
      #expect(try await run(["--ciphers", "NONSENSE"] + words).status == 2)
    }
  }
}
