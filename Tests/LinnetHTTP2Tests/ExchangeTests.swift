import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import Testing

@Suite("HTTP/2 exchanges of two sessions")
struct ExchangeTests {
  static let cuts: [SessionPair.Cuts] = [.whole, .bytes, .random(1), .random(2)]

  @Test("a GET and its response arrive whatever the cuts", arguments: cuts)
  func get(_ cuts: SessionPair.Cuts) throws {
    var pair = try SessionPair(cuts: cuts)
    let id = try pair.request(.get, "/a?b", headers: ["Accept": "text/plain", "X-Two": "  2 "])
    pair.exchange()
    try pair.respond(id, 200, headers: ["Content-Length": "5", "Set-Cookie": "a=1"], body: Array("hello".utf8))
    pair.exchange()
    #expect(
      summary(pair.serverEvents) == [
        "settings 0", "request 1 GET https example.test /a?b - [accept: text/plain, x-two: 2]", "end 1 -", "closed 1",
      ])
    #expect(
      summary(pair.clientEvents) == [
        "settings 100", "head 1 200 [content-length: 5, set-cookie: a=1] 5", "data 1: 5 bytes, sum 99162322",
        "end 1 -", "closed 1",
      ])
    #expect(pair.client.openStreams == 0)
    #expect(pair.server.openStreams == 0)
  }

  @Test("large bodies go both ways, longer than every window", arguments: [SessionPair.Cuts.whole, .random(3)])
  func bodies(_ cuts: SessionPair.Cuts) throws {
    var pair = try SessionPair(cuts: cuts)
    let id = try pair.request(.post, headers: ["Content-Length": "3000000"], bodyLength: 3_000_000, endsStream: false)
    let body = [UInt8](repeating: 7, count: 1_500_000)
    try pair.client.sendBody(ByteChunk(body), on: id)
    try pair.client.sendBody(ByteChunk(body), on: id)
    #expect(pair.client.unsentBytes(on: id) == 3_000_000)
    try pair.client.sendEnd(trailers: nil, on: id)
    pair.exchange()
    #expect(pair.client.unsentBytes(on: id) == 0)
    try pair.respond(id, 200, body: body, trailers: ["X-Sum": "1"])
    pair.exchange()
    let server = pair.serverEvents.reduce(0) { if case .data(_, let chunk) = $1 { $0 + chunk.count } else { $0 } }
    let client = pair.clientEvents.reduce(0) { if case .data(_, let chunk) = $1 { $0 + chunk.count } else { $0 } }
    #expect(server == 3_000_000)
    #expect(client == 1_500_000)
    #expect(summary(pair.clientEvents).suffix(2) == ["end 1 [x-sum: 1]", "closed 1"])
    #expect(summary(pair.clientEvents).contains("writable 1"))
  }

  @Test("a reset of the peer is a reset with its code; REFUSED_STREAM is a refusal")
  func resets() throws {
    var pair = try SessionPair()
    let first = try pair.request()
    let second = try pair.request()
    pair.exchange()
    pair.server.reset(first, .internalError)
    pair.server.reset(second, .refusedStream)
    pair.exchange()
    #expect(
      summary(pair.clientEvents) == [
        "settings 100", "reset 1 remote INTERNAL_ERROR reset", "closed 1", "reset 3 remote REFUSED_STREAM refused",
        "closed 3",
      ])
  }

  @Test("GOAWAY refuses what the server did not see and lets the rest go on")
  func goAway() throws {
    var pair = try SessionPair()
    let first = try pair.request()
    pair.exchange()
    pair.server.goAway(.noError)
    let second = try pair.request()
    pair.exchange()
    try pair.respond(first, 204)
    pair.exchange()
    #expect(second.rawValue == 3)
    #expect(
      summary(pair.clientEvents) == [
        "settings 100", "goAway 1 NO_ERROR ", "reset 3 remote REFUSED_STREAM refused", "closed 3",
        "head 1 204 [] 0", "end 1 -", "closed 1",
      ])
    #expect(throws: HTTP2Error(.connection, .local, .internalError, .sessionEnded)) { _ = try pair.request() }
  }
}
