import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("SOCKS 4")
struct SOCKS4MachineTests {
  static let granted: [UInt8] = [0, 90, 0x1F, 0x90, 127, 0, 0, 1]

  private func transcript(
    _ answer: [UInt8], host: String = "example.com", port: UInt16 = 443, userID: String = "", _ cut: Cut = .whole,
    ends: Bool = false
  ) throws -> HandshakeTranscript {
    var machine = try SOCKS4Machine(target: ProxyTarget(host: host, port: port), userID: Array(userID.utf8))
    return HandshakeTranscript(&machine, answer, cut, ends: ends)
  }

  @Test(
    "addresses go as such, names and what SOCKS 4 has no place for behind the user id (4a)",
    arguments: [
      ("192.0.2.7", "", [192, 0, 2, 7, 0]), ("192.0.2.7", "joe", [192, 0, 2, 7] + Array("joe\0".utf8)),
      ("example.com", "", [0, 0, 0, 1, 0] + Array("example.com\0".utf8)),
      ("example.com", "joe", [0, 0, 0, 1] + Array("joe\0example.com\0".utf8)),
      ("2001:db8::1", "", [0, 0, 0, 1, 0] + Array("2001:db8::1\0".utf8)),
      ("0.0.0.7", "", [0, 0, 0, 1, 0] + Array("0.0.0.7\0".utf8)),
      ("0.0.1.7", "", [0, 0, 1, 7, 0]),
    ] as [(String, String, [UInt8])])
  func requests(host: String, userID: String, tail: [UInt8]) throws {
    let result = try transcript(Self.granted, host: host, userID: userID)
    #expect(result.outcome == .established)
    #expect(result.sent == [4, 1, 0x01, 0xBB] + tail)
  }

  @Test("the answer has 8 bytes: what follows is the target's")
  func exactLength() throws {
    let tunnel: [UInt8] = [0, 90, 1, 2, 3, 4, 5, 6, 7]
    for cut in Cut.standard {
      let result = try transcript(Self.granted + tunnel, cut)
      #expect(result.outcome == .established)
      #expect(result.leftover == tunnel)
    }
  }

  @Test(
    "each refusal is named, as soon as its code is there",
    arguments: [
      (91, "request rejected or failed (91)", false), (92, "it cannot reach the identd of this machine (92)", true),
      (93, "the identd of this machine reports another user (93)", true), (0, "unassigned reason (0)", false),
      (89, "unassigned reason (89)", false), (255, "unassigned reason (255)", false),
    ] as [(UInt8, String, Bool)])
  func refusals(code: UInt8, text: String, concernsUser: Bool) throws {
    let error = ProxyHandshakeError.refused(.socks4(code))
    #expect(try transcript([0, code]).outcome == .failed(error))
    #expect(error.description == "the proxy refused: \(text)")
    #expect(error.concernsAuthentication == concernsUser)
  }

  @Test("another version is found at its byte", arguments: [4, 5, 0x48, 0x15] as [UInt8])
  func wrongVersion(byte: UInt8) throws {
    #expect(try transcript([byte]).outcome == .failed(.wrongVersion(.socks4, byte)))
  }

  @Test("an early close at any byte is told")
  func earlyClose() throws {
    for length in 0..<8 {
      let result = try transcript(Array(Self.granted[..<length]), ends: true)
      #expect(result.outcome == .failed(length == 0 ? .emptyReply : .truncatedReply))
    }
    #expect(try transcript(Self.granted, ends: true).outcome == .established)
  }

  @Test("what cannot be sent is refused before anything is")
  func unsendable() {
    let long = String(repeating: "x", count: 256)
    for host in ["", long, "a\0b"] {
      #expect(throws: ProxyHandshakeError.unsendableName) { try transcript([], host: host) }
    }
    for userID in [long, "a\0b"] {
      #expect(throws: ProxyHandshakeError.unsendableCredentials) { try transcript([], userID: userID) }
    }
    #expect(ProxyHandshakeError.unsendableName.isLocal && ProxyHandshakeError.unsendableCredentials.isLocal)
  }
}
