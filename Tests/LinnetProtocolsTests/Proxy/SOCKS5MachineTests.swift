import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("SOCKS 5")
struct SOCKS5MachineTests {
  static let name = ProxyTarget(host: "example.com", port: 443)
  static let secret = SOCKSCredentials(user: "joe", password: "s3cret")
  static let greeting: [UInt8] = [5, 1, 0]
  static let greetingWithPassword: [UInt8] = [5, 2, 0, 2]
  static let login: [UInt8] = [1, 3] + Array("joe".utf8) + [6] + Array("s3cret".utf8)
  static let request: [UInt8] = [5, 1, 0, 3, 11] + Array("example.com".utf8) + [0x01, 0xBB]
  static let granted: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1F, 0x90]

  private func transcript(
    _ answer: [UInt8], target: ProxyTarget = name, credentials: SOCKSCredentials? = nil, _ cut: Cut = .whole,
    ends: Bool = false
  ) throws -> HandshakeTranscript {
    var machine = try SOCKS5Machine(target: target, credentials: credentials)
    return HandshakeTranscript(&machine, answer, cut, ends: ends)
  }

  @Test("without credentials only \"no authentication\" is offered (RFC 1928 §3)")
  func plain() throws {
    let result = try transcript([5, 0] + Self.granted)
    #expect(result.outcome == .established)
    #expect(result.sent == Self.greeting + Self.request)
    #expect(result.leftover.isEmpty)
  }

  @Test("nothing is written ahead of an answer")
  func oneAtATime() throws {
    var machine = try SOCKS5Machine(target: Self.name, credentials: Self.secret)
    var out = WriteBuffer()
    for (answer, question) in [
      ([], Self.greetingWithPassword), ([5, 2], Self.login), ([1, 0], Self.request),
    ] as [([UInt8], [UInt8])] {
      machine.receive(answer.span)
      guard case .needMoreData = try machine.nextEvent(into: &out) else {
        Issue.record("no answer yet")
        return
      }
      #expect(out.takeAll() == question)
      guard case .needMoreData = try machine.nextEvent(into: &out) else { return }
      #expect(out.takeAll() == [])
    }
  }

  @Test("user name and password are sent when the proxy chooses them (RFC 1929)")
  func password() throws {
    let result = try transcript([5, 2, 1, 0] + Self.granted, credentials: Self.secret)
    #expect(result.outcome == .established)
    #expect(result.sent == Self.greetingWithPassword + Self.login + Self.request)
  }

  @Test("credentials are not sent to a proxy that does not want them")
  func passwordNotWanted() throws {
    let result = try transcript([5, 0] + Self.granted, credentials: Self.secret)
    #expect(result.outcome == .established)
    #expect(result.sent == Self.greetingWithPassword + Self.request)
  }

  @Test(
    "the address is sent by its type",
    arguments: [
      ("192.0.2.7", [1, 192, 0, 2, 7]),
      ("2001:db8::1", [4, 0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
      ("a", [3, 1, 0x61]), ("1.2.3.4.example", [3, 15] + Array("1.2.3.4.example".utf8)),
    ] as [(String, [UInt8])])
  func addresses(host: String, encoded: [UInt8]) throws {
    let result = try transcript([5, 0] + Self.granted, target: ProxyTarget(host: host, port: 80))
    #expect(result.sent == Self.greeting + [5, 1, 0] + encoded + [0, 80])
  }

  @Test("a name has 1 to 255 bytes")
  func nameLength() throws {
    let longest = String(repeating: "x", count: 255)
    let result = try transcript([5, 0] + Self.granted, target: ProxyTarget(host: longest, port: 1))
    #expect(result.sent == Self.greeting + [5, 1, 0, 3, 255] + Array(longest.utf8) + [0, 1])
    for host in ["", longest + "x", "a\0b"] {
      #expect(throws: ProxyHandshakeError.unsendableName) {
        try transcript([], target: ProxyTarget(host: host, port: 1))
      }
    }
  }

  @Test("name and password have up to 255 bytes, and may be empty as with curl")
  func credentialLength() throws {
    let long = String(repeating: "p", count: 255)
    for pair in [(long, long), ("", ""), ("u", "")] {
      let credentials = SOCKSCredentials(user: pair.0, password: pair.1)
      let result = try transcript([5, 2, 1, 0] + Self.granted, credentials: credentials)
      let login = [1, UInt8(pair.0.utf8.count)] + Array(pair.0.utf8) + [UInt8(pair.1.utf8.count)] + Array(pair.1.utf8)
      #expect(result.sent == Self.greetingWithPassword + login + Self.request)
    }
    for pair in [(long + "p", ""), ("", long + "p")] {
      #expect(throws: ProxyHandshakeError.unsendableCredentials) {
        try transcript([], credentials: SOCKSCredentials(user: pair.0, password: pair.1))
      }
    }
  }

  @Test(
    "the answer is taken to its exact length: what follows is the target's",
    arguments: [
      [1, 10, 0, 0, 1, 0, 80], [3, 4, 0x68, 0x6F, 0x73, 0x74, 0, 80], [3, 0, 0, 0],
      [3, 255] + [UInt8](repeating: 0x78, count: 255) + [0, 80],
      [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x1F, 0x90],
    ] as [[UInt8]])
  func boundAddresses(bound: [UInt8]) throws {
    let tunnel = Array("SSH-2.0-x\r\n".utf8)
    for reserved in [0, 0xFF] as [UInt8] {
      let answer = [5, 0, 5, 0, reserved] + bound + tunnel
      for cut in Cut.standard {
        let result = try transcript(answer, cut)
        #expect(result.outcome == .established)
        #expect(result.leftover == tunnel)
        #expect(result.sent == Self.greeting + Self.request)
      }
    }
  }

  @Test(
    "each refusal is named, as soon as its code is there",
    arguments: [
      (1, "general failure (1)"), (2, "not allowed by its rules (2)"), (3, "network unreachable (3)"),
      (4, "host unreachable (4)"), (5, "connection refused by the target (5)"), (6, "time to live expired (6)"),
      (7, "command not supported (7)"), (8, "address type not supported (8)"), (9, "unassigned reason (9)"),
      (255, "unassigned reason (255)"),
    ] as [(UInt8, String)])
  func refusals(code: UInt8, text: String) throws {
    let result = try transcript([5, 0, 5, code])
    #expect(result.outcome == .failed(.refused(.socks5(code))))
    #expect(ProxyHandshakeError.refused(.socks5(code)).description == "the proxy refused: \(text)")
  }

  @Test(
    "what is wrong in an answer is found at its byte",
    arguments: [
      ([4], .wrongVersion(.socks5, 4)), ([0x48], .wrongVersion(.socks5, 0x48)), ([0], .wrongVersion(.socks5, 0)),
      ([5, 1], .methodNotOffered(1)), ([5, 2], .methodNotOffered(2)), ([5, 0xFE], .methodNotOffered(0xFE)),
      ([5, 0xFF], .authenticationRequired), ([5, 0, 4], .wrongVersion(.socks5, 4)),
      ([5, 0, 5, 0, 0, 0], .invalidAddressType(0)), ([5, 0, 5, 0, 0, 2], .invalidAddressType(2)),
      ([5, 0, 5, 0, 0, 5], .invalidAddressType(5)),
    ] as [([UInt8], ProxyHandshakeError)])
  func garbage(answer: [UInt8], error: ProxyHandshakeError) throws {
    for cut in Cut.standard { #expect(try transcript(answer, cut).outcome == .failed(error)) }
    // One byte less decides nothing.
    #expect(try transcript(answer.dropLast()).outcome == .needMoreData)
  }

  @Test("refused credentials, and a proxy that does not take any")
  func authenticationErrors() throws {
    let secret = Self.secret
    #expect(try transcript([5, 2, 1, 1], credentials: secret).outcome == .failed(.authenticationFailed))
    #expect(try transcript([5, 2, 5, 0] + Self.granted, credentials: secret).outcome == .established)
    #expect(try transcript([5, 0xFF], credentials: secret).outcome == .failed(.noAcceptableMethod))
    #expect(try transcript([5, 1], credentials: secret).outcome == .failed(.methodNotOffered(1)))
    for error in [.authenticationFailed, .noAcceptableMethod, .authenticationRequired] as [ProxyHandshakeError] {
      #expect(error.concernsAuthentication && !error.isLocal)
    }
  }

  @Test("an early close at any byte is told")
  func earlyClose() throws {
    let answer = [5, 2, 1, 0] + Self.granted
    for length in 0..<answer.count {
      let result = try transcript(Array(answer[..<length]), credentials: Self.secret, ends: true)
      #expect(result.outcome == .failed(length == 0 ? .emptyReply : .truncatedReply))
    }
    #expect(try transcript(answer, credentials: Self.secret, ends: true).outcome == .established)
  }

  @Test("the first error is final")
  func finalError() throws {
    var machine = try SOCKS5Machine(target: Self.name)
    var out = WriteBuffer()
    machine.receive([UInt8(ascii: "H")].span)
    for _ in 0..<2 {
      #expect(throws: ProxyHandshakeError.wrongVersion(.socks5, 0x48)) { try machine.nextEvent(into: &out) }
      machine.receive(([5, 0] + Self.granted).span)
      machine.receiveEOF()
    }
    let leftover = machine.takeLeftover()
    #expect(leftover.isEmpty)
  }

  @Test("credentials show neither in descriptions nor in mirrors")
  func secrecy() {
    #expect("\(Self.secret)" == "<SOCKS credentials>")
    #expect(String(reflecting: Self.secret) == "<SOCKS credentials>")
    #expect(Mirror(reflecting: Self.secret).children.isEmpty)
  }
}
