import FoundationEssentials
import Linnet
import Testing

@Suite("Query encoder: refusals")
struct URLQueryEncoderErrorTests {
  @Test("A single value or an array at the top needs a root key", arguments: ["x", 1, true, 1.5, [1], []] as [Sample])
  func topLevel(_ value: Sample) {
    #expect(throws: URLQueryEncoder.EncodingError.unsupportedTopLevelValue) { try URLQueryEncoder().encode(value) }
    #expect(throws: URLQueryEncoder.EncodingError.unsupportedTopLevelValue) { try URLQueryEncoder().encodeForm(value) }
    #expect(throws: URLQueryEncoder.EncodingError.unsupportedTopLevelValue) { try URLQueryEncoder().encodeQuery(value) }
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let value: Sample
    let reason: String
    var encoder = URLQueryEncoder()
    var testDescription: String { reason }
  }

  static let refusals: [Refusal] = [
    Refusal(value: ["v": .double(.nan)], reason: "v: nan is not a finite number"),
    Refusal(value: ["v": .double(.infinity)], reason: "v: inf is not a finite number"),
    Refusal(value: ["v": [1, .double(-.infinity)]], reason: "v[1]: -inf is not a finite number"),
    Refusal(value: ["a": ["b": [["c": .double(.nan)]]]], reason: "a.b[0].c: nan is not a finite number"),
    Refusal(value: ["d": .date(Date(timeIntervalSince1970: .nan))], reason: "d: the date is out of range"),
    Refusal(value: ["d": .date(.distantFuture.addingTimeInterval(1e300))], reason: "d: the date is out of range"),
    Refusal(
      value: ["d": .date(Date(timeIntervalSince1970: .infinity))], reason: "d: inf is not a finite number",
      encoder: URLQueryEncoder(dateEncodingStrategy: .secondsSince1970)),
    Refusal(
      value: ["t": [["a": 1]]], reason: "element 0 of \"t\" is not a single value, so it cannot be listed",
      encoder: .arrays(.commaSeparated)),
    Refusal(
      value: ["t": [1, [2]]], reason: "element 1 of \"t\" is not a single value, so it cannot be listed",
      encoder: .arrays(.pipeSeparated)),
    Refusal(
      value: ["t": ["a", "b|c"]], reason: "element 1 of \"t\" contains the separator \"|\"",
      encoder: .arrays(.pipeSeparated)),
    Refusal(
      value: ["t": ["a c"]], reason: "element 0 of \"t\" contains the separator \" \"",
      encoder: .arrays(.spaceSeparated)),
    Refusal(
      value: ["t": ["a,c"]], reason: "element 0 of \"t\" contains the separator \",\"",
      encoder: .arrays(.commaSeparated)),
    Refusal(
      value: ["a": ["x": 1], "b": ["x": 2]], reason: "two properties are named \"x\" once their parents are dropped",
      encoder: .nested(.parentDropped)),
    Refusal(
      value: ["a": ["x": 1], "x": 2], reason: "two properties are named \"x\" once their parents are dropped",
      encoder: .nested(.parentDropped)),
    Refusal(
      value: ["a": [["x": 1]]], reason: "\"a\" is an array of objects, whose names cannot be dropped",
      encoder: .nested(.parentDropped)),
  ]

  @Test("A value that cannot be written is an error that names it", arguments: refusals)
  func namedRefusal(_ refusal: Refusal) {
    #expect(throws: URLQueryEncoder.EncodingError.unsupportedValue(reason: refusal.reason)) {
      try refusal.encoder.encode(refusal.value)
    }
  }

  @Test("A decimal that is not a number is an error")
  func decimal() {
    #expect(throws: URLQueryEncoder.EncodingError.unsupportedValue(reason: "d: the decimal is not a number")) {
      try URLQueryEncoder().encode(["d": Decimal.nan])
    }
  }

  private struct Failure: Error {}
  private struct Failing: Encodable { func encode(to encoder: any Encoder) throws { throw Failure() } }

  @Test("What a value throws passes through")
  func ownError() { #expect(throws: Failure.self) { try URLQueryEncoder().encode(["v": Failing()]) } }

  // MARK: Endless and contradictory values

  private struct ByKey: Encodable {
    func encode(to encoder: any Encoder) throws { try ["k": self].encode(to: encoder) }
  }
  private struct ByElement: Encodable { func encode(to encoder: any Encoder) throws { try [self].encode(to: encoder) } }
  private struct ByItself: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
  }
  private struct BySuper: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: SampleKey.self)
      try container.encode(self, forKey: SampleKey(stringValue: "k"))
    }
  }
  private struct ByContainers: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
      try container.encode(1)
    }
  }

  @Test("A value that contains itself is an error, not an overflow of the stack")
  func endless() {
    for value in [ByKey(), ByElement(), ByItself(), BySuper(), ByContainers()] as [any Encodable] {
      #expect(throws: URLQueryEncoder.EncodingError.self) { try URLQueryEncoder().encode(value, rootKey: "r") }
    }
  }

  @Test("A date strategy that encodes dates again is an error")
  func endlessDate() {
    let encoder = URLQueryEncoder(
      dateEncodingStrategy: .custom { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(date)
      })
    #expect(throws: URLQueryEncoder.EncodingError.self) { try encoder.encode(["d": Date(timeIntervalSince1970: 0)]) }
  }

  @Test("128 levels are encoded, and 129 are an error")
  func depth() throws {
    var value: Sample = 1
    for _ in 0..<128 { value = ["k": value] }
    let name = try #require(try URLQueryEncoder().encode(value).first?.name)
    #expect(name == "k" + String(repeating: "[k]", count: 127))
    let deeper: Sample = ["k": value]
    #expect(throws: URLQueryEncoder.EncodingError.self) { try URLQueryEncoder().encode(deeper) }
  }

  private struct Contradiction: Encodable, Sendable {
    let write: @Sendable (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try write(encoder) }
  }

  @Test("A value that is written in two shapes is an error")
  func contradictions() {
    let values = [
      Contradiction { encoder in
        _ = encoder.unkeyedContainer()
        var container = encoder.container(keyedBy: SampleKey.self)
        try container.encode(1, forKey: SampleKey(stringValue: "k"))
      },
      Contradiction { encoder in
        _ = encoder.container(keyedBy: SampleKey.self)
        var container = encoder.unkeyedContainer()
        try container.encode(1)
      },
      Contradiction { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
      },
    ]
    for value in values {
      #expect(throws: URLQueryEncoder.EncodingError.self) { try URLQueryEncoder().encode(["v": value]) }
      #expect(throws: URLQueryEncoder.EncodingError.self) { try URLQueryEncoder().encode(value) }
    }
  }
}
