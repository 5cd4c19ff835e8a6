import FoundationEssentials
import Linnet
import Testing

@Suite("JSON coders")
struct JSONCodingTests {
  private struct Event: Codable, Equatable {
    var startedAt: Date
  }

  private func text(_ seconds: Double) throws -> String {
    String(
      decoding: try JSONCoding.encoder().encode(Event(startedAt: Date(timeIntervalSince1970: seconds))), as: UTF8.self)
  }

  private func seconds(_ text: String) throws -> Double {
    let data = Data(#"{"startedAt":"\#(text)"}"#.utf8)
    return try JSONCoding.decoder().decode(Event.self, from: data).startedAt.timeIntervalSince1970
  }

  @Test("The same value gives the same bytes, however the dictionary that it came from is ordered")
  func sortedKeys() throws {
    let names = (0..<64).map { "k\($0)" }
    let encoded = try (0..<8).map { _ in
      let values = Dictionary(uniqueKeysWithValues: names.shuffled().map { ($0, 1) })
      return try JSONCoding.encoder().encode(values)
    }
    #expect(Set(encoded).count == 1)
  }

  @Test("Dates are written in UTC with milliseconds")
  func encoding() throws {
    #expect(try text(1_773_043_503.12) == #"{"startedAt":"2026-03-09T08:05:03.120Z"}"#)
    #expect(try text(-1) == #"{"startedAt":"1969-12-31T23:59:59.000Z"}"#)
  }

  @Test("A date that has no text is an encoding error", arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func unwritable(_ seconds: Double) {
    #expect(throws: EncodingError.self) { try text(seconds) }
  }

  @Test(
    "Dates are read with or without a fraction, with Z or an offset",
    arguments: [
      ("1970-01-01T00:00:01.000Z", 1), ("1970-01-01T00:00:01Z", 1), ("1970-01-01T00:00:01.5Z", 1.5),
      ("1970-01-01T00:00:01,5Z", 1.5), ("1970-01-01T00:00:01.123456789Z", 1.123456789), ("1970-01-01t00:00:01z", 1),
      ("1970-01-01T09:00:01+09:00", 1), ("1970-01-01T09:00:01+0900", 1), ("1970-01-01T09:00:01+09", 1),
      ("1969-12-31T18:30:01.250-05:30", 1.25), ("2000-02-29T00:00:00Z", 951_782_400),
      ("1969-12-31T23:59:59.999Z", -0.001),
      ("1970-01-01T00:00:60Z", 60), ("0000-01-01T00:00:00.000Z", -62_167_219_200),
      ("10000-01-01T00:00:00Z", 253_402_300_800),
      ("-0001-12-31T23:59:59.000Z", -62_167_219_201), ("1970-01-01T00:00:01-00:00", 1),
    ] as [(String, Double)])
  func decoding(_ text: String, _ expected: Double) throws {
    #expect(abs(try seconds(text) - expected) < 1e-6)
  }

  @Test(
    "Other texts are a decoding error that quotes them",
    arguments: [
      "", "yesterday", "1970-01-01", "1970-01-01T00:00:01", "1970-01-01 00:00:01Z", "1970-1-1T00:00:01Z",
      "70-01-01T00:00:01Z",
      "1970-13-01T00:00:01Z", "1970-00-01T00:00:01Z", "1970-02-29T00:00:01Z", "1970-04-31T00:00:01Z",
      "1970-01-00T00:00:01Z",
      "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "1970-01-01T00:00:01.Z",
      "1970-01-01T00:00:01Zx",
      "1970-01-01T00:00:01+9", "1970-01-01T00:00:01+24:00", "1970-01-01T00:00:01+09:", "1970-01-01T00:00:01+09:60",
      "99999999999-01-01T00:00:01Z", "１970-01-01T00:00:01Z",
    ])
  func undecodable(_ text: String) {
    let error = #expect(throws: DecodingError.self) { try seconds(text) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.hasPrefix("\"\(text)\""))
  }

  @Test("What is written is read back, for dates of ten thousand years")
  func roundTrip() throws {
    var texts = RandomTexts(seed: 3)
    for _ in 0..<2000 {
      let milliseconds = texts.number(below: 315_569_520_000_000) - 62_167_219_200_000
      let event = Event(startedAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
      let data = try JSONCoding.encoder().encode(event)
      let back = try JSONCoding.decoder().decode(Event.self, from: data)
      #expect(abs(back.startedAt.timeIntervalSince(event.startedAt)) < 1e-4)
      #expect(try JSONCoding.encoder().encode(back) == data)
    }
  }

  @Test("Each access gives a coder of its own")
  func fresh() {
    let first = JSONCoding.decoder()
    first.keyDecodingStrategy = .convertFromSnakeCase
    #expect(JSONCoding.decoder() !== first)
    #expect(JSONCoding.encoder() !== JSONCoding.encoder())
  }

  @Test("Snake case coders keep the date rules")
  func snakeCase() throws {
    let event = Event(startedAt: Date(timeIntervalSince1970: 0))
    let data = try JSONCoding.snakeCaseEncoder.encode(event)
    #expect(String(decoding: data, as: UTF8.self) == #"{"started_at":"1970-01-01T00:00:00.000Z"}"#)
    #expect(try JSONCoding.snakeCaseDecoder.decode(Event.self, from: data) == event)
  }
}
