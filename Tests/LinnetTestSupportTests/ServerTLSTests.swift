import LinnetTestSupport
import Testing

/// The TLS side of the server, checked with Python's client (which uses another OpenSSL interface).
@Suite("ScriptedServer over TLS", .timeLimit(.minutes(2)), .enabled(if: Tool.exists("python3"), "needs python3"))
struct ServerTLSTests {
  /// Arguments: CA file, host, port, and optionally the files of a client certificate.
  private static let get = """
    import http.client, ssl, sys
    context = ssl.create_default_context(cafile=sys.argv[1])
    context.set_alpn_protocols(["http/1.1"])
    if len(sys.argv) > 4: context.load_cert_chain(sys.argv[4], sys.argv[5])
    connection = http.client.HTTPSConnection(sys.argv[2], int(sys.argv[3]), context=context, timeout=20)
    connection.request("GET", "/x")
    print(connection.getresponse().read().decode())
    """

  private func start(
    _ tls: ServerTLS, _ script: ServerScript = .handler { _ in .text("secret") }
  ) throws -> ScriptedServer {
    var options = ScriptedServer.Options()
    options.tls = tls
    return try ScriptedServer.start(script, options: options)
  }

  @Test("a trusted server answers, and records SNI, ALPN and version", arguments: [ServerTLS.Version.v1_2, .v1_3])
  func records(version: ServerTLS.Version) async throws {
    let certificates = try TestCertificates()
    var tls = ServerTLS(try certificates.loopback())
    tls.applicationProtocols = ["h2", "http/1.1"]
    tls.maximumVersion = version
    let server = try start(tls)
    defer { server.stop() }
    let output = Tool.python(Self.get, certificates.authorityFile, "localhost", "\(server.port)")
    #expect(output.text == "secret\n")
    let request = try #require(try await server.waitForRequests(1).first)
    #expect(request.tls?.serverName == "localhost")
    #expect(request.tls?.applicationProtocol == "http/1.1")
    #expect(request.tls?.version == (version == .v1_2 ? "TLSv1.2" : "TLSv1.3"))
    #expect(request.tls?.isResumed == false && request.tls?.clientCertificateSubject == nil)
    #expect(server.url("/x") == "https://127.0.0.1:\(server.port)/x")
  }

  @Test("a client that names an address sends no SNI")
  func noServerName() async throws {
    let certificates = try TestCertificates()
    let server = try start(ServerTLS(try certificates.loopback()))
    defer { server.stop() }
    #expect(Tool.python(Self.get, certificates.authorityFile, "127.0.0.1", "\(server.port)").text == "secret\n")
    #expect(try await server.waitForRequests(1).first?.tls?.serverName == nil)
  }

  @Test("a chain with an intermediate authority is presented whole")
  func intermediate() throws {
    let certificates = try TestCertificates()
    let issuer = try certificates.intermediate()
    let server = try start(ServerTLS(try certificates.server(dnsNames: ["localhost"], issuer: issuer)))
    defer { server.stop() }
    #expect(Tool.python(Self.get, certificates.authorityFile, "localhost", "\(server.port)").text == "secret\n")
  }

  @Test(
    "a bad certificate is refused by the client, which the server records",
    arguments: [
      ("certificate has expired", 0), ("certificate is not yet valid", 1), ("Hostname mismatch", 2),
      ("self-signed certificate", 3), ("unable to get local issuer certificate", 4),
    ])
  func refused(_ reason: String, _ kind: Int) async throws {
    let certificates = try TestCertificates()
    let certificate =
      switch kind {
      case 0: try certificates.loopback(validity: .expired)
      case 1: try certificates.loopback(validity: .notYetValid)
      case 2: try certificates.wrongHost()
      case 3: try certificates.selfSigned()
      default: try TestCertificates(commonName: "Another CA").loopback()
      }
    let server = try start(ServerTLS(certificate))
    defer { server.stop() }
    let output = Tool.python(Self.get, certificates.authorityFile, "localhost", "\(server.port)")
    #expect(output.text.contains(reason), "\(output.text)")
    let ending = try await server.waitForConnectionsClosed(1).first?.ending
    guard case .handshakeFailed(let text) = ending else {
      Issue.record("the connection ended as \(ending.map { "\($0)" } ?? "nothing")")
      return
    }
    #expect(text.contains("alert"))
  }

  @Test("a demanded client certificate is recorded", arguments: [nil, "pass phrase"])
  func clientCertificate(passphrase: String?) async throws {
    let certificates = try TestCertificates()
    let client = try certificates.client(commonName: "somebody")
    var tls = ServerTLS(try certificates.loopback())
    tls.clientAuthority = certificates.authority
    let server = try start(tls)
    defer { server.stop() }
    let files = try certificates.write(client, as: "client", passphrase: passphrase)
    // Python would ask for the pass phrase on the terminal, so it is put into the program.
    let program = passphrase.map { word in
      Self.get.replacing("sys.argv[5])", with: "sys.argv[5], '\(word)')")
    }
    let output = Tool.python(
      program ?? Self.get, certificates.authorityFile, "localhost", "\(server.port)", files.chain, files.privateKey)
    #expect(output.text == "secret\n")
    #expect(try await server.waitForRequests(1).first?.tls?.clientCertificateSubject?.contains("somebody") == true)
  }

  @Test("a client without the demanded certificate is refused")
  func missingClientCertificate() async throws {
    let certificates = try TestCertificates()
    var tls = ServerTLS(try certificates.loopback())
    tls.clientAuthority = certificates.authority
    let server = try start(tls)
    defer { server.stop() }
    let output = Tool.python(Self.get, certificates.authorityFile, "localhost", "\(server.port)")
    #expect(output.text.contains("certificate required"), "\(output.text)")
    let ending = try await server.waitForConnectionsClosed(1).first?.ending
    guard case .handshakeFailed = ending else {
      Issue.record("the connection ended as \(ending.map { "\($0)" } ?? "nothing")")
      return
    }
    #expect(server.snapshot.requestCount == 0)
  }

  @Test("a resumed session is recorded", arguments: [ServerTLS.Version.v1_2, .v1_3])
  func resumption(version: ServerTLS.Version) async throws {
    let certificates = try TestCertificates()
    var tls = ServerTLS(try certificates.loopback())
    tls.maximumVersion = version
    let server = try start(tls)
    defer { server.stop() }
    let program = """
      import socket, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[1])
      session = None
      for _ in range(2):
          raw = socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=20)
          connection = context.wrap_socket(raw, server_hostname="localhost", session=session)
          connection.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
          connection.recv(1000)
          session = connection.session
          connection.close()
      """
    #expect(Tool.python(program, certificates.authorityFile, "\(server.port)").text == "")
    #expect(try await server.waitForRequests(2).map(\.tls?.isResumed) == [false, true])
  }

  @Test("a close_notify of the client is told from a bare close", arguments: [false, true])
  func closeNotify(sends: Bool) async throws {
    let certificates = try TestCertificates()
    let server = try start(ServerTLS(try certificates.loopback()))
    defer { server.stop() }
    let program = """
      import socket, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[1])
      raw = socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=20)
      connection = context.wrap_socket(raw, server_hostname="localhost")
      connection.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
      connection.recv(1000)
      if \(sends ? "True" : "False"): connection.unwrap()
      connection.close()
      """
    #expect(Tool.python(program, certificates.authorityFile, "\(server.port)").text == "")
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    #expect(record.ending == .peerClosed)
    #expect(record.receivedCloseNotify == sends)
  }

  @Test("the server can end a connection with close_notify or cut it", arguments: [false, true])
  func truncation(cuts: Bool) async throws {
    let certificates = try TestCertificates()
    let script = ServerScript.steps([
      .readRequest, .send("HTTP/1.1 200 OK\r\n\r\npart"), cuts ? .closeWithoutCloseNotify : .close,
    ])
    let server = try start(ServerTLS(try certificates.loopback()), script)
    defer { server.stop() }
    let program = """
      import socket, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[1])
      context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
      raw = socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=20)
      connection = context.wrap_socket(raw, server_hostname="localhost", suppress_ragged_eofs=False)
      connection.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
      data = b""
      try:
          while True:
              piece = connection.recv(1000)
              if not piece: break
              data += piece
          print("complete")
      except ssl.SSLError:
          print("cut")
      """
    #expect(Tool.python(program, certificates.authorityFile, "\(server.port)").text == (cuts ? "cut\n" : "complete\n"))
  }

  @Test("a large body goes through TLS in both directions")
  func largeBodies() async throws {
    let certificates = try TestCertificates()
    let server = try start(ServerTLS(try certificates.loopback()), .handler { _ in .pattern(5_000_000).chunked() })
    defer { server.stop() }
    let program = """
      import http.client, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[1])
      connection = http.client.HTTPSConnection("localhost", int(sys.argv[2]), context=context, timeout=60)
      body = bytes(i % 251 for i in range(3000000))
      connection.request("POST", "/x", body)
      answer = connection.getresponse().read()
      print(len(answer), answer == bytes(i % 251 for i in range(64256)) * 77 + bytes(i % 251 for i in range(52288)))
      """
    #expect(Tool.python(program, certificates.authorityFile, "\(server.port)").text == "5000000 True\n")
    let body = try #require(try await server.waitForRequests(1).first?.body)
    #expect(body.count == 3_000_000 && body.matchesTestPattern && body.bytes == nil)
  }

  @Test("clear text to a TLS server fails its handshake")
  func clearText() async throws {
    let certificates = try TestCertificates()
    let server = try start(ServerTLS(try certificates.loopback()))
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    client.halfClose()
    let ending = try await server.waitForConnectionsClosed(1).first?.ending
    guard case .handshakeFailed = ending else {
      Issue.record("the connection ended as \(ending.map { "\($0)" } ?? "nothing")")
      return
    }
  }

  @Test("stop ends a handshake that hangs")
  func stopDuringHandshake() async throws {
    let certificates = try TestCertificates()
    let server = try start(ServerTLS(try certificates.loopback()))
    let client = try RawClient(server)
    try await server.waitForConnections(1)
    server.stop()
    #expect(server.snapshot.closedCount == 1)
    #expect(try client.receiveSome().isEmpty)
  }
}
