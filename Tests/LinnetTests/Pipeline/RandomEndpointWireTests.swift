import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestRandom
import LinnetTestSupport
import Testing

extension SeededGenerator {
  /// A string of pieces that have a meaning somewhere in a URL, a header or a body.
  fileprivate mutating func text() -> String {
    let pieces = [
      "a", "Z", "0", "-", "_", ".", "..", "~", "/", "//", "\\", "?", "#", "%", "%2e", "%2E%2e", "%252e", "%2F", "%zz",
      "&",
      "=", "+", " ", ";", ",", ":", "@", "[", "]", "{", "}", "\"", "'", "<", ">", "|", "^", "`", "\t", "\r\n", "\n",
      "\0",
      "\u{7F}", "é", "e\u{301}", "한", "🧵", "\u{FEFF}", "\u{202E}", "\u{FFFF}", "http://evil.example/", "\r\nX-Evil: 1",
    ]
    let count = Int.random(in: 0...5, using: &self)
    return (0..<count).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
  }
}

/// One request with strings that somebody may have typed, in every place.
private struct WireEndpoint: Sendable {
  let segments: [String]
  let parameters: [String: String]
  let header: String
  let encoding: Int

  init(_ generator: inout SeededGenerator) {
    segments = (0..<Int.random(in: 1...3, using: &generator)).map { _ in generator.text() }
    var parameters: [String: String] = [:]
    for _ in 0..<Int.random(in: 0...3, using: &generator) { parameters["k" + generator.text()] = generator.text() }
    self.parameters = parameters
    header = generator.text()
    encoding = Int.random(in: 0...2, using: &generator)
  }

  var endpoint: EndpointBuilder<EmptyResponse> {
    let path = "/" + segments.map { EndpointPathEncoding.percentEncodedSegment($0) }.joined(separator: "/")
    let builder: EndpointBuilder<EmptyResponse> =
      switch encoding {
      case 0: .get(path).query(parameters)
      case 1: .post(path).body(parameters)
      default: .post(path).formBody(parameters)
      }
    return builder.header("X-Random", value: header)
  }

  /// Whether the request must be refused: a segment that would climb or vanish, a header value that would end the field.
  var mustFail: Bool {
    segments.contains { $0.isEmpty || $0 == "." || $0 == ".." } || hasInvalidHeader
  }

  /// Whether it may be refused: a segment that is a dot segment after decoding it again or reading a backslash as slash.
  var mayFail: Bool {
    mustFail
      || segments.contains { segment in
        var text = segment
        for _ in 0..<4 { text = percentDecoded(text, plusIsSpace: false) }
        return text.replacingBackslashes.split(separator: "/", omittingEmptySubsequences: false)
          .contains { $0 == "." || $0 == ".." || $0 == "" }
      }
  }

  private var hasInvalidHeader: Bool {
    header.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
  }
}

extension String {
  fileprivate var replacingBackslashes: String { String(map { $0 == "\\" ? "/" : $0 }) }
}

private func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
  let bytes = Array(text.utf8)
  var decoded: [UInt8] = []
  var index = 0
  while index < bytes.count {
    if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = ASCII.hexValue(bytes[index + 1]),
      let low = ASCII.hexValue(bytes[index + 2])
    {
      decoded.append(high << 4 | low)
      index += 3
    } else {
      decoded.append(plusIsSpace && bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
      index += 1
    }
  }
  return String(decoding: decoded, as: UTF8.self)
}

/// What a server makes of a query or a form.
private func pairs(_ text: some StringProtocol, plusIsSpace: Bool) -> [String: String] {
  var pairs: [String: String] = [:]
  for pair in text.split(separator: "&") {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    pairs[percentDecoded(parts[0], plusIsSpace: plusIsSpace)] = percentDecoded(
      parts.last ?? "", plusIsSpace: plusIsSpace)
  }
  return pairs
}

@Suite("Random endpoints over the wire")
struct RandomEndpointWireTests {
  private static let expectedNames: Set<String> = [
    "host", "user-agent", "accept", "accept-encoding", "accept-language", "x-random", "content-type", "content-length",
  ]

  @Test(
    "What the server receives decodes to what was put in, under the same origin and path depth, with no other header",
    arguments: 0..<4)
  func roundTrip(seed: Int) async throws {
    try await ClientFixture.with(.handler { _ in ServerResponse(204) }) { fixture in
      var generator = SeededGenerator(seed: UInt64(seed))
      var sent: [WireEndpoint] = []
      for number in 0..<2500 {
        let random = WireEndpoint(&generator)
        let endpoint = random.endpoint
        let client = fixture.client
        let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
        switch error {
        case nil:
          #expect(!random.mustFail, "\(number): \(random) was sent")
          sent.append(random)
        case .configuration?: #expect(random.mayFail, "\(number): \(random) was refused: \(String(describing: error))")
        default: Issue.record("\(number): \(random): \(String(describing: error))")
        }
      }
      #expect(sent.count > 500)
      let seen = try await fixture.server.waitForRequests(sent.count)
      #expect(seen.count == sent.count)
      for (random, request) in zip(sent, seen) { Self.check(request, random, fixture.server) }
      #expect(fixture.server.snapshot.violations.isEmpty)
    }
  }

  private static func check(_ request: RecordedRequest, _ random: WireEndpoint, _ server: ScriptedServer) {
    #expect(request.headers.values(for: "Host") == [server.authority])
    let path = request.path.split(separator: "/", omittingEmptySubsequences: false)
    #expect(path.count == random.segments.count + 2 && path[1] == "api", "\(request.target)")
    let segments = path.dropFirst(2).map { Array(percentDecoded($0, plusIsSpace: false).utf8) }
    #expect(segments == random.segments.map { Array($0.utf8) }, "\(request.target)")
    let names = Set(request.headers.map(\.name.asciiLowercased))
    #expect(names.isSubset(of: expectedNames), "\(names)")
    let value = request.headers["X-Random"] ?? ""
    let trimmed = random.header.utf8.drop { $0 == 0x20 || $0 == 9 }.reversed().drop { $0 == 0x20 || $0 == 9 }.reversed()
    #expect(Array(value.utf8) == Array(trimmed), "\(random.header)")
    let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    switch random.encoding {
    case 0: #expect(same(pairs(query, plusIsSpace: true), random.parameters), "\(request.target)")
    case 1:
      let body = try? JSONDecoder().decode([String: String].self, from: Data(request.body.bytes ?? []))
      #expect(same(body ?? [:], random.parameters), "\(request.body.text)")
    default: #expect(same(pairs(request.body.text, plusIsSpace: true), random.parameters), "\(request.body.text)")
    }
  }

  /// Equality of bytes, not of what Unicode holds for equal.
  private static func same(_ left: [String: String], _ right: [String: String]) -> Bool {
    func bytes(_ pairs: [String: String]) -> Set<[[UInt8]]> {
      Set(pairs.map { [Array($0.key.utf8), Array($0.value.utf8)] })
    }
    return bytes(left) == bytes(right)
  }
}
