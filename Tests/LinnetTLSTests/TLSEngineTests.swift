import LinnetBytes
import LinnetTLS
import LinnetTestRandom
import Testing

@Suite("TLS engine")
struct TLSEngineTests {
  @Test(
    "two ends agree and exchange data, however the bytes are cut",
    arguments: TLSVersion.allCases, Cut.allCases)
  func handshake(version: TLSVersion, cut: Cut) throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair(cut: cut) {
      $0.minimumVersion = version
      $0.maximumVersion = version
    }
    let errors = pair.shakeHands()
    #expect(errors.client == nil && errors.server == nil)
    #expect(pair.client.version == version && pair.server.version == version)
    #expect(!pair.client.cipher.isEmpty && pair.client.cipher == pair.server.cipher)
    #expect(pair.client.isResumed == false)

    let question = Array("a question".utf8)
    let answer = [UInt8](repeating: 7, count: 40_000)
    try pair.client.writeAll(question)
    #expect(try pair.serverReads().bytes == question)
    try pair.server.writeAll(answer)
    #expect(try pair.clientReads().bytes == answer)
  }

  @Test("the newest version of both is taken")
  func versionChoice() throws {
    let fixture = try TLSFixture()
    var newest = try fixture.pair()
    #expect(newest.shakeHands().client == nil)
    #expect(newest.client.version == .v1_3)
    var older = try fixture.pair(server: { $0.maximumVersion = .v1_2 })
    #expect(older.shakeHands().client == nil)
    #expect(older.client.version == .v1_2)
    var none = try fixture.pair(client: { $0.minimumVersion = .v1_3 }, server: { $0.maximumVersion = .v1_2 })
    let errors = none.shakeHands()
    #expect(errors.client?.code == .alert("protocol version"))
    #expect(errors.server?.code == .handshakeFailed)
  }

  @Test(
    "ALPN chooses the server's first protocol that the client offers",
    arguments: [
      (["h2", "http/1.1"], ["h2", "http/1.1"], "h2"),
      (["http/1.1", "h2"], ["h2", "http/1.1"], "h2"),
      (["h2", "http/1.1"], ["http/1.1"], "http/1.1"),
      ([], ["http/1.1"], nil),
      (["h2"], [], nil),
    ] as [([String], [String], String?)])
  func alpn(offered: [String], supported: [String], chosen: String?) throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair(client: { $0.alpn = offered }, server: { $0.alpn = supported })
    let errors = pair.shakeHands()
    #expect(errors.client == nil && errors.server == nil)
    #expect(pair.client.negotiatedProtocol == chosen)
    #expect(pair.server.negotiatedProtocol == chosen)
  }

  @Test("without a common protocol the server refuses with an alert (RFC 7301 section 3.2)")
  func alpnMismatch() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair(client: { $0.alpn = ["h2"] }, server: { $0.alpn = ["http/1.1"] })
    #expect(pair.shakeHands().client?.code == .alert("no application protocol"))
  }

  @Test("a DNS name is sent as SNI without its root dot; an address never is (RFC 6066 section 3)")
  func serverNameIndication() throws {
    let fixture = try TLSFixture(dnsNames: ["example.test"], ipAddresses: ["127.0.0.1", "::1"])
    for (name, expected) in [
      (TLSServerName.dns("example.test"), "example.test"), (.dns("example.test."), "example.test"),
      (.ip("127.0.0.1"), nil), (.ip("::1"), nil),
    ] as [(TLSServerName, String?)] {
      var pair = try fixture.pair(name: name)
      #expect(pair.shakeHands().client == nil)
      #expect(pair.server.requestedServerName == expected)
    }
  }

  @Test("large data goes both ways at once with reads of any size", arguments: [1, 100, 1000, 16384, 300_000])
  func largeData(step: Int) throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair(cut: .random)
    #expect(pair.shakeHands().client == nil)
    let size = step == 1 ? 20_000 : 1_000_000
    let up = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let down = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ 3) }
    try pair.client.writeAll(up)
    try pair.server.writeAll(down)
    #expect(try pair.serverReads(step: step).bytes == up)
    #expect(try pair.clientReads(step: step).bytes == down)
  }

  @Test("a write takes no more than its limit")
  func writeLimit() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(pair.shakeHands().client == nil)
    var buffer = WriteBuffer()
    buffer.append(ByteChunk([UInt8](repeating: 1, count: 100_000)))
    #expect(try pair.client.write(from: &buffer, upTo: 20_000) == 20_000)
    #expect(buffer.count == 80_000)
    #expect(pair.client.pendingCiphertextCount > 20_000 && pair.client.pendingCiphertextCount < 21_000)
    #expect(try pair.client.write(from: &buffer, upTo: 0) == 0)
  }

  @Test("nothing is read or written before the handshake is complete")
  func beforeHandshake() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(try pair.client.readAvailable().bytes == [])
    var buffer = WriteBuffer()
    buffer.append(utf8: "early")
    #expect(try pair.client.write(from: &buffer, upTo: 100) == 0)
    #expect(pair.client.pendingCiphertextCount == 0)
  }

  @Test("ciphertext may be written straight into the engine")
  func directInput() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(pair.shakeHands().client == nil)
    try pair.server.writeAll([UInt8](repeating: 9, count: 50_000))
    let wire = pair.server.drain()
    var sent = 0
    var received = 0
    while sent < wire.count {
      sent += pair.client.withCiphertextCapacity(minimum: 5000) { room in
        let count = min(room.count, wire.count - sent)
        wire[sent..<(sent + count)].withUnsafeBytes { room.copyMemory(from: $0) }
        return count
      }
      received += try pair.client.readAvailable().bytes.count
    }
    #expect(received == 50_000)
    #expect(pair.client.hasUnreadInput == false)
  }

  @Test("an owner that stops reading is told that there is more")
  func unreadInput() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(pair.shakeHands().client == nil)
    _ = try pair.clientReads()
    try pair.server.writeAll([UInt8](repeating: 9, count: 100))
    pair.client.receiveCiphertext(pair.server.drain().span)
    #expect(pair.client.hasUnreadInput == true)
    var room = [UInt8](repeating: 0, count: 60)
    #expect(try room.withUnsafeMutableBytes { try pair.client.read(into: $0) } == .bytes(60))
    #expect(pair.client.hasUnreadInput == true)
    #expect(try pair.client.readAvailable().bytes.count == 40)
    #expect(pair.client.hasUnreadInput == false)

    try pair.server.writeAll([UInt8](repeating: 9, count: 100))
    let record = pair.server.drain()
    pair.client.receiveCiphertext(record.span.extracting(0..<50))
    #expect(try pair.client.readAvailable().bytes.isEmpty)
    #expect(pair.client.hasUnreadInput == false)
  }

  @Test("close_notify ends each direction by itself", arguments: TLSVersion.allCases)
  func closeNotify(version: TLSVersion) throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair(client: { $0.maximumVersion = version })
    #expect(pair.shakeHands().client == nil)
    try pair.client.writeAll([1, 2, 3])
    pair.client.sendCloseNotify()
    pair.client.sendCloseNotify()
    let read = try pair.serverReads()
    #expect(read.bytes == [1, 2, 3] && read.isClosed)
    var rest = WriteBuffer()
    rest.append(utf8: "too late")
    #expect(try pair.client.write(from: &rest, upTo: 100) == 0)

    try pair.server.writeAll([4, 5])
    pair.server.sendCloseNotify()
    let answer = try pair.clientReads()
    #expect(answer.bytes == [4, 5] && answer.isClosed)
    pair.client.receiveEOF()
    #expect(try pair.client.readAvailable().isClosed)
  }

  @Test("an end of the transport without close_notify is a truncation, after the data that came before")
  func truncation() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(pair.shakeHands().client == nil)
    try pair.server.writeAll([1, 2, 3])
    pair.client.receiveCiphertext(pair.server.drain().span)
    pair.client.receiveEOF()
    var room = [UInt8](repeating: 0, count: 100)
    #expect(try room.withUnsafeMutableBytes { try pair.client.read(into: $0) } == .bytes(3))
    for _ in 0..<2 {
      #expect(throws: TLSError(.truncated)) { try pair.client.readAvailable() }
    }
  }

  @Test("an end of the transport inside a record is a truncation")
  func truncatedRecord() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(pair.shakeHands().client == nil)
    _ = try pair.clientReads()
    try pair.server.writeAll([UInt8](repeating: 1, count: 1000))
    pair.client.receiveCiphertext(pair.server.drain().span.extracting(0..<500))
    pair.client.receiveEOF()
    #expect(throws: TLSError(.truncated)) { try pair.client.readAvailable() }
  }

  @Test("a server that closes during the handshake is named so, wherever it does", arguments: [0, 1, 5, 100, 700])
  func closedDuringHandshake(bytes: Int) throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(try pair.client.handshake() == .inProgress)
    pair.server.receiveCiphertext(pair.client.drain().span)
    #expect(try pair.server.handshake() == .inProgress)
    pair.client.receiveCiphertext(Array(pair.server.drain().prefix(bytes)).span)
    #expect(try pair.client.handshake() == .inProgress)
    pair.client.receiveEOF()
    #expect(throws: TLSError(.peerClosedDuringHandshake)) { try pair.client.handshake() }
    #expect(throws: TLSError(.peerClosedDuringHandshake)) { try pair.client.readAvailable() }
  }

  @Test("a server that answers in clear text is recognised, however the bytes are cut", arguments: Cut.allCases)
  func plainHTTP(cut: Cut) throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(try pair.client.handshake() == .inProgress)
    let answer = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    var error: TLSError?
    for piece in cut == .whole ? [answer] : answer.map({ [$0] }) where error == nil {
      pair.client.receiveCiphertext(piece.span)
      do throws(TLSError) { _ = try pair.client.handshake() } catch let failure { error = failure }
    }
    #expect(error?.code == .peerSpokePlainHTTP)
  }

  @Test("a server recognises a client that speaks plain HTTP")
  func plainHTTPClient() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    pair.server.receiveCiphertext(Array("GET / HTTP/1.1\r\n\r\n".utf8).span)
    #expect(throws: TLSError(.peerSpokePlainHTTP)) { try pair.server.handshake() }
  }

  @Test("bytes that are not TLS after the handshake are a protocol violation, after the data that came before")
  func corruptedRecord() throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair()
    #expect(pair.shakeHands().client == nil)
    _ = try pair.clientReads()
    try pair.server.writeAll([1, 2, 3])
    var wire = pair.server.drain()
    try pair.server.writeAll([4, 5, 6])
    wire += pair.server.drain()
    wire[wire.count - 1] ^= 1
    pair.client.receiveCiphertext(wire.span)
    var room = [UInt8](repeating: 0, count: 100)
    #expect(try room.withUnsafeMutableBytes { try pair.client.read(into: $0) } == .bytes(3))
    do throws(TLSError) {
      _ = try pair.client.readAvailable()
      Issue.record("the damaged record was accepted")
    } catch {
      #expect(error.code == .protocolViolation)
    }
    pair.server.receiveCiphertext(pair.client.drain().span)
    #expect(throws: TLSError(.alert("bad record MAC"))) { try pair.server.readAvailable() }
  }

  @Test("random bytes never trap: 10,000 feeds into a client, a server and an established connection")
  func garbage() throws {
    let fixture = try TLSFixture()
    let client = try TLSContext(fixture.clientSettings, role: .client)
    let server = try TLSContext(fixture.serverSettings, role: .server)
    var generator = SeededGenerator(seed: 99)
    var established = try TLSPair(client: client, server: server)
    #expect(established.shakeHands().client == nil)
    for round in 0..<10_000 {
      var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      // Half of them look like records, so that they get further.
      if bytes.count > 5, round % 2 == 0 {
        bytes[0] = UInt8.random(in: 20...23, using: &generator)
        bytes.replaceSubrange(1..<5, with: [3, 3, 0, UInt8(bytes.count - 5)])
      }
      var engine =
        round % 3 == 0
        ? try TLSEngine(serverContext: server)
        : try TLSEngine(context: client, serverName: .dns("example.test"), session: nil)
      if round % 3 == 1 { _ = try engine.handshake() }
      engine.receiveCiphertext(bytes.span)
      _ = try? engine.handshake()
      _ = try? engine.readAvailable()
      engine.receiveEOF()
      #expect(throws: TLSError.self) { try engine.handshake() }
      _ = engine.drain()
      if round == 0 {
        established.client.receiveCiphertext(bytes.span)
        _ = try? established.client.readAvailable()
      }
    }
  }

  @Test("every damaged flight of a handshake ends in an error, a wait or a handshake, never in a trap")
  func damagedFlights() throws {
    let fixture = try TLSFixture()
    let client = try TLSContext(fixture.clientSettings, role: .client)
    let server = try TLSContext(fixture.serverSettings, role: .server)
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      var pair = try TLSPair(client: client, server: server)
      _ = try pair.client.handshake()
      pair.server.receiveCiphertext(pair.client.drain().span)
      _ = try pair.server.handshake()
      var flight = pair.server.drain()
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        flight[Int.random(in: 0..<flight.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
      }
      pair.client.receiveCiphertext(flight.span)
      _ = try? pair.client.handshake()
      pair.client.receiveEOF()
      #expect(throws: TLSError.self) { try pair.client.readAvailable() }
    }
  }

  @Test("key log lines are collected only when asked for", arguments: TLSVersion.allCases)
  func keyLog(version: TLSVersion) throws {
    let fixture = try TLSFixture()
    var pair = try fixture.pair {
      $0.maximumVersion = version
      $0.keyLog = "unused"
    }
    #expect(pair.shakeHands().client == nil)
    let lines = pair.client.takeKeyLogLines()
    switch version {
    case .v1_2: #expect(lines.contains { $0.hasPrefix("CLIENT_RANDOM ") })
    case .v1_3: #expect(lines.contains { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") })
    }
    #expect(pair.client.takeKeyLogLines().isEmpty)
    #expect(pair.server.takeKeyLogLines().isEmpty)
  }
}
