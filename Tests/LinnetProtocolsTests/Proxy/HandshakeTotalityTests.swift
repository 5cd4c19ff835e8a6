import Glibc
import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import LinnetTestRandom
import Testing

/// Whether `LINNET_LONG=1` asks for the long form of random tests.
let isLong = getenv("LINNET_LONG").map { String(cString: $0) == "1" } ?? false

/// Properties of the machines that talk with proxies, for every input.
@Suite("Proxy handshakes, random")
struct HandshakeTotalityTests {
  private static let httpAnswers = [
    "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 407 P\r\nContent-Length: 4\r\n\r\ndeny",
    "HTTP/1.1 100 C\r\n\r\nHTTP/1.0 200 OK\r\nA: b\r\n\r\nx",
    "HTTP/1.1 403 F\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "HTTP/1.1 502 B\r\n\r\nuntil close",
    "HTTP/1.1 204 N\r\nContent-Length: 9\r\n\r\n\u{16}",
  ].map { Array($0.utf8) }
  private static let socks5Answers: [[UInt8]] = [
    [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80, 9], [5, 2, 1, 0, 5, 0, 0, 3, 2, 0x61, 0x62, 0, 80],
    [5, 0, 5, 0, 0, 4] + [UInt8](repeating: 0, count: 18), [5, 2, 1, 1], [5, 0xFF], [5, 0, 5, 5],
  ]
  private static let socks4Answers: [[UInt8]] = [[0, 90, 0, 0, 0, 0, 0, 0, 7], [0, 91, 0, 0, 0, 0, 0, 0]]

  private static func mutant(_ seeds: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
    if Int.random(in: 0..<10, using: &generator) == 0 {
      return (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    var bytes = seeds.randomElement(using: &generator) ?? []
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      let position = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
      case 1 where position < bytes.count: bytes.remove(at: position)
      case 2 where position < bytes.count: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 3: bytes.removeSubrange(position...)
      default: break
      }
    }
    return bytes
  }

  private static func check(
    _ input: [UInt8], ends: Bool, seed: UInt64, _ run: (Cut) throws -> HandshakeTranscript
  ) rethrows {
    let whole = try run(.whole)
    for cut in [.every(1), .random(seed)] as [Cut] {
      var other = try run(cut)
      // What lies behind a refusal's body is noticed only when it is there in time.
      if case .refused(let one) = whole.outcome, case .refused(var two) = other.outcome, one.canRetry != two.canRetry {
        two.canRetry = one.canRetry
        other.outcome = .refused(two)
      }
      #expect(other == whole, "input: \(input), cut: \(cut)")
    }
    switch whole.outcome {
    case .needMoreData: #expect(!ends)
    case .established: #expect(input.suffix(whole.leftover.count) == whole.leftover[...])
    case .refused, .failed: #expect(whole.leftover.isEmpty)
    }
  }

  private static var rounds: Int { isLong ? 200_000 : 4000 }

  @Test("CONNECT: random and mutated answers give one verdict, the same whole and in pieces", arguments: 0..<2)
  func connect(seed: UInt64) {
    var generator = SeededGenerator(seed: 0xC0 + seed)
    for _ in 0..<Self.rounds {
      let input = Self.mutant(Self.httpAnswers, &generator)
      let ends = Bool.random(using: &generator)
      Self.check(input, ends: ends, seed: generator.next()) { cut in
        var machine = ConnectTunnelMachine(target: Origin(scheme: .https, normalisedHost: "a", port: 443))
        return HandshakeTranscript(&machine, input, cut, ends: ends)
      }
    }
  }

  @Test("SOCKS 5: random and mutated answers give one verdict, the same whole and in pieces", arguments: 0..<2)
  func socks5(seed: UInt64) throws {
    var generator = SeededGenerator(seed: 0x55 + seed)
    for _ in 0..<Self.rounds {
      let input = Self.mutant(Self.socks5Answers, &generator)
      let ends = Bool.random(using: &generator)
      let credentials = Bool.random(using: &generator) ? SOCKSCredentials(user: "u", password: "p") : nil
      try Self.check(input, ends: ends, seed: generator.next()) { cut in
        var machine = try SOCKS5Machine(target: ProxyTarget(host: "a", port: 1), credentials: credentials)
        return HandshakeTranscript(&machine, input, cut, ends: ends)
      }
    }
  }

  @Test("SOCKS 4: random and mutated answers give one verdict, the same whole and in pieces", arguments: 0..<2)
  func socks4(seed: UInt64) throws {
    var generator = SeededGenerator(seed: 0x44 + seed)
    for _ in 0..<Self.rounds {
      let input = Self.mutant(Self.socks4Answers, &generator)
      let ends = Bool.random(using: &generator)
      try Self.check(input, ends: ends, seed: generator.next()) { cut in
        var machine = try SOCKS4Machine(target: ProxyTarget(host: "a", port: 1))
        return HandshakeTranscript(&machine, input, cut, ends: ends)
      }
    }
  }
}
