import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import LinnetTestRandom
import Testing

/// Properties that hold for every input.
@Suite("HTTP/1 robustness")
struct HTTP1RobustnessTests {
  static let canned: [String] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=\"y z\"\r\n world\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\nuntil close",
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
    "HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 100\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{1}\u{2}",
    "\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 301\r\nLocation: http://example.com/\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nnot chunked",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a, b\"\r\nContent-Length: 4\r\n\r\nnope",
    "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 500 Internal Server Error\r\nRetry-After: 1\r\n\r\nboom",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n1\r\nd\r\n0\r\n\r\n",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/10\r\nContent-Length: 5, 5\r\n\r\n01234",
  ]

  @Test("a response cut at any byte gives one typed error or a legal completion", arguments: canned.indices)
  func cutAnywhere(index: Int) {
    let bytes = Array(Self.canned[index].utf8)
    let whole = Exchange.closing.transcript(bytes, .whole)
    #expect(whole.isComplete, "\(whole)")
    for length in 0..<bytes.count {
      let part = Array(bytes[..<length])
      let transcript = expectSame(part, .closing)
      #expect(transcript.verdictCount == 1, "\(length): \(transcript)")
      guard case .failed(let error) = transcript.items.last else {
        // A complete message: only a body that ends with the connection, or a tunnel, may end early.
        let isOpenEnded = transcript.items.contains {
          if case .head(let code, _, _, let body) = $0 { return body == .unknown || code == 101 }
          return false
        }
        #expect(isOpenEnded || !transcript.items.contains(.needMoreData))
        #expect(whole.bodyText.hasPrefix(transcript.bodyText))
        continue
      }
      #expect(error.side == .remote)
      switch error.reason {
      case .emptyReply, .truncatedHead, .truncatedBody, .truncatedChunked: break
      default: Issue.record("cut at \(length): \(error)")
      }
    }
  }

  @Test("20,000 random and mutated inputs give events or one error, the same whole and in pieces", arguments: 0..<4)
  func mutatedInputs(seed: UInt64) {
    var generator = SeededGenerator(seed: 0x5EED + seed)
    for _ in 0..<5000 {
      let input = Self.mutant(&generator)
      var exchange = Exchange()
      exchange.method = [.get, .head, .connect].randomElement(using: &generator) ?? .get
      exchange.endsAfterInput = Bool.random(using: &generator)
      exchange.limits.acceptsBareLineFeed = Bool.random(using: &generator)
      exchange.limits.acceptsLineFolding = Bool.random(using: &generator)
      if Bool.random(using: &generator) {
        exchange.limits.maximumFieldSectionBytes = 60
        exchange.limits.maximumStatusLineBytes = 24
        exchange.limits.maximumFieldCount = 3
        exchange.limits.maximumChunkExtensionBytes = 5
        exchange.limits.maximumTrailerSectionBytes = 12
        exchange.limits.maximumInterimResponses = 1
      }
      let whole = exchange.transcript(input, .whole)
      #expect(whole.verdictCount <= 1 && (whole.verdictCount == 1 || !exchange.endsAfterInput))
      for cut in [Cut.every(1), .random(generator.next())] {
        let other = exchange.transcript(input, cut)
        #expect(other == whole, "input: \(text(input).debugDescription), cut: \(cut)")
      }
    }
  }

  private static func mutant(_ generator: inout SeededGenerator) -> [UInt8] {
    if Int.random(in: 0..<20, using: &generator) == 0 {
      return (0..<Int.random(in: 0..<80, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    var bytes = Array((canned.randomElement(using: &generator) ?? "").utf8)
    let interesting: [UInt8] = [0x0D, 0x0A, 0x20, 0x09, 0x3A, 0x3B, 0x2C, 0x30, 0x66, 0x00, 0x7F, 0xFF, 0x22, 0x5C]
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let position = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes.insert(interesting.randomElement(using: &generator) ?? 0, at: position)
      case 1 where position < bytes.count: bytes.remove(at: position)
      case 2 where position < bytes.count: bytes[position] = interesting.randomElement(using: &generator) ?? 0
      case 3 where position < bytes.count: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 4:
        let end = min(bytes.count, position + Int.random(in: 0..<20, using: &generator))
        bytes.insert(contentsOf: bytes[position..<end], at: position)
      default: break
      }
    }
    return bytes
  }

  @Test("the size of the reads makes no difference", arguments: [1, 2, 3, 5, 8, 13, 64, 1000, 4096, 16384, 100_000])
  func readSizes(size: Int) {
    var generator = SeededGenerator(seed: 42)
    let body = (0..<120_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var chunked = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    var start = 0
    while start < body.count {
      let limit = [3, 40, 3000, 40_000].randomElement(using: &generator) ?? 3
      let end = min(body.count, start + Int.random(in: 1...limit, using: &generator))
      chunked += Array("\(String(end - start, radix: 16));n=\(start)\r\n".utf8) + body[start..<end] + [0x0D, 0x0A]
      start = end
    }
    chunked += Array("0\r\nX-Sum: 1\r\n\r\n".utf8)
    let length = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    let close = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body
    var exchange = Exchange.closing
    exchange.limits.maximumChunkExtensionBytes = .max
    for (stream, trailers) in [(chunked, ["X-Sum: 1"]), (length, nil), (close, nil)] as [([UInt8], [String]?)] {
      let transcript = exchange.transcript(stream, .every(size))
      #expect(transcript.items.contains(.body(body)))
      #expect(transcript.items.contains(.end(trailers)))
      #expect(transcript.verdictCount == 1)
    }
  }
}
