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

  @Test("--capath trusts the authorities under hashed names in a directory, with --cacert both count")
  func directory() async throws {
    try await withTLS { server, words async throws in
      let directory = try TemporaryDirectory()
      try directory.write(TemporaryDirectory.contents(of: words[1]) ?? [], to: "ca.pem")
      let plain = try await run(["--capath", directory.path, server.url()])
      #expect(plain.status != 0 && plain.error.contains("hashed names"), "\(plain.error)")
      guard try await CommandRun.shell("openssl rehash '\(directory.path)'").status == 0 else { return }
      let result = try await run(["--capath", directory.path, server.url()])
      #expect(result.output == server.authority, "\(result.error)")
      let other = try directory.write(try TestCertificates().selfSigned().certificatePEM, to: "other.txt")
      #expect(try await run(["--capath", directory.path, "--cacert", other, server.url()]).status == 0)
      #expect(try await run(["--cacert", other, server.url()]).status == 60)
      for missing in [directory.path(of: "none"), directory.path(of: "ca.pem")] {
        #expect(try await run(["--capath", missing, server.url()]).status == 77)
      }
    }
  }

  @Test("--cert-type and --key-type hold the files to what they say, and DER works")
  func formats() async throws {
    let certificates = try TestCertificates()
    let client = try certificates.client(commonName: "me")
    let files = try TemporaryDirectory()
    let cert = try files.write(client.certificatePEM, to: "cert.pem")
    let key = try files.write(client.privateKeyPEM, to: "key.pem")
    let conversion = try await CommandRun.shell(
      "cd '\(files.path)' && openssl x509 -in cert.pem -outform DER -out cert.der && openssl pkey -in key.pem -outform DER -out key.der"
    )
    guard conversion.status == 0 else { return }
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    try await ScriptedServer.with(Self.script, options: options) { server async throws in
      let words = ["--cacert", certificates.authorityFile, server.url()]
      let der = [files.path(of: "cert.der"), files.path(of: "key.der")]
      for (arguments, status) in [
        (["-E", cert, "--key", key], 0), (["-E", cert, "--key", key, "--cert-type", "PEM", "--key-type", "PEM"], 0),
        (["-E", der[0], "--key", der[1], "--cert-type", "DER", "--key-type", "DER"], 0),
        (["-E", cert, "--key", key, "--cert-type", "DER"], 58), (["-E", cert, "--key", key, "--key-type", "DER"], 58),
        (["-E", der[0], "--key", der[1], "--cert-type", "PEM"], 58), (["-E", der[0], "--key", key], 0),
      ] as [([String], Int32)] {
        let result = try await run(arguments + words)
        #expect(result.status == status, "\(arguments) \(result.error)")
        if status == 58 { #expect(result.error.contains("-type: ")) }
      }
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
