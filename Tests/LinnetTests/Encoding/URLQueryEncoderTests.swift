import FoundationEssentials
import Linnet
import Testing

/// What values become: names and values before percent-encoding.
@Suite("Query encoder: pairs")
struct URLQueryEncoderPairTests {
  @Test("Single values and structure", arguments: Self.values + Self.structure)
  func structureAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("Arrays in every style", arguments: arrays)
  func arraysAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("Keys in every strategy", arguments: keys)
  func keysAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("Dates in every strategy", arguments: dates)
  func datesAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("Numbers that are not finite", arguments: floats)
  func floatsAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("Swift types: enumerations, classes, dictionaries, optionals", arguments: types)
  func typesAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("The tables have at least 150 pairs")
  func size() {
    let tables = [
      Self.values, Self.structure, Self.arrays, Self.keys, Self.dates, Self.floats, Self.types,
      URLQueryServerTests.php, URLQueryServerTests.rails, URLQueryServerTests.openAPI, URLQueryServerTests.spring,
    ]
    let count = tables.map(\.count).reduce(0, +) + URLQueryEscapingTests.table.count * 3
    #expect(count >= 200)
  }

  // MARK: Values

  static let values: [PairCase] = [
    PairCase(["v": "text"], "v=text"), PairCase(["v": ""], "v="), PairCase(["v": " a  b "], "v= a  b "),
    PairCase(["v": "a&b=c#d?e"], "v=a&b=c#d?e"), PairCase(["v": "+1 %20"], "v=+1 %20"), PairCase(["v": "한국어"], "v=한국어"),
    PairCase(["v": "👩‍👩‍👧"], "v=👩‍👩‍👧"), PairCase(["v": "e\u{301}"], "v=e\u{301}"), PairCase(["v": "a\r\nb\0"], "v=a\r\nb\0"),
    PairCase(["v": true], "v=true"), PairCase(["v": false], "v=false"),
    PairCase(["v": true, "w": false], "v=1&w=0", encoder: .init(boolEncoding: .oneZero)),
    PairCase(["v": [true, false]], "v[0]=1&v[1]=0", encoder: .init(boolEncoding: .oneZero)),
    PairCase(["v": 0], "v=0"), PairCase(["v": -7], "v=-7"), PairCase(["v": .int(.max)], "v=9223372036854775807"),
    PairCase(["v": .int(.min)], "v=-9223372036854775808"),
    PairCase(["v": 1.5], "v=1.5"), PairCase(["v": 1.0], "v=1.0"), PairCase(["v": -0.0], "v=-0.0"),
    PairCase(["v": 1e100], "v=1e+100"), PairCase(["v": .double(.leastNonzeroMagnitude)], "v=5e-324"),
    PairCase(["v": 0.1], "v=0.1"),
    PairCase(swift: ["v": Float(0.1)], "v=0.1"), PairCase(swift: ["v": Float(16_777_216)], "v=16777216.0"),
    PairCase(swift: ["v": UInt64.max], "v=18446744073709551615"), PairCase(swift: ["v": Int8.min], "v=-128"),
    PairCase(swift: ["v": UInt8.max], "v=255"), PairCase(swift: ["v": Int16.min], "v=-32768"),
    PairCase(swift: ["v": UInt16.max], "v=65535"),
    PairCase(swift: ["v": Int32.min], "v=-2147483648"), PairCase(swift: ["v": UInt32.max], "v=4294967295"),
    PairCase(swift: ["v": Int64.max], "v=9223372036854775807"),
    PairCase(swift: ["v": Int128.max], "v=170141183460469231731687303715884105727"),
    PairCase(swift: ["v": UInt128.max], "v=340282366920938463463374607431768211455"),
    PairCase(["v": .data([])], "v="), PairCase(["v": .data([0, 1, 254, 255])], "v=AAH+/w=="),
    PairCase(["v": .url("https://h/p?q=1#f")], "v=https://h/p?q=1#f"), PairCase(["v": .decimal("1.50")], "v=1.5"),
    PairCase(["v": .decimal("-12345678901234567890.123")], "v=-12345678901234567890.123"),
    PairCase(["v": .decimal("0.000001")], "v=0.000001"),
    PairCase(
      swift: ["v": UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f")], "v=E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    PairCase(["v": nil], ""), PairCase(["a": nil, "b": 1], "b=1"),
  ]

  static let structure: [PairCase] = [
    PairCase([:], ""), PairCase(nil, ""), PairCase(nil, "", rootKey: "r"), PairCase([:], "", rootKey: "r"),
    PairCase([], "", rootKey: "r"), PairCase("x", "r=x", rootKey: "r"), PairCase(7, "r=7", rootKey: "r"),
    PairCase(true, "r=true", rootKey: "r"), PairCase(["a", "b"], "r[0]=a&r[1]=b", rootKey: "r"),
    PairCase(.date(Date(timeIntervalSince1970: 0)), "r=1970-01-01T00:00:00.000Z", rootKey: "r"),
    PairCase(["b": 2, "a": 1], "r[a]=1&r[b]=2", rootKey: "r"), PairCase("x", "=x", rootKey: ""),
    PairCase(["b": 2, "a": 1, "c": 3], "a=1&b=2&c=3"), PairCase(["B": 2, "a": 1, "A": 3], "A=3&B=2&a=1"),
    PairCase(["a10": 1, "a2": 2], "a10=1&a2=2"), PairCase(["": 1], "=1"), PairCase(["a": 1, "a": 2], "a=2"),
    PairCase(["user": ["name": "kim"]], "user[name]=kim"),
    PairCase(["user": ["name": "kim", "age": 3]], "user[age]=3&user[name]=kim"),
    PairCase(["a": ["b": ["c": ["d": "deep"]]]], "a[b][c][d]=deep"), PairCase(["a": ["b": [:], "c": []]], ""),
    PairCase(["a": ["b": nil]], ""), PairCase(["z": ["y": 1], "a": ["x": 2]], "a[x]=2&z[y]=1"),
    PairCase(["a[b]": 1, "c]": ["[d": 2]], "a[b]=1&c][[d]=2"),
    PairCase(["user": ["name": "kim"]], "user.name=kim", encoder: .nested(.dots)),
    PairCase(["a": ["b": ["c": 1]]], "a.b.c=1", encoder: .nested(.dots)),
    PairCase(["a": [["b": 1], ["b": 2]]], "a[0].b=1&a[1].b=2", encoder: .nested(.dots)),
    PairCase(["name": "kim"], "user.name=kim", rootKey: "user", encoder: .nested(.dots)),
    PairCase(
      ["user": ["name": "kim", "age": 3], "page": 2], "page=2&age=3&name=kim", encoder: .nested(.parentDropped)),
    PairCase(["a": ["b": ["c": 1]]], "c=1", encoder: .nested(.parentDropped)),
    PairCase(["a": ["t": [1, 2]]], "t=1&t=2", encoder: .nested(.parentDropped, .repeated)),
    PairCase(["name": "kim"], "name=kim", rootKey: "user", encoder: .nested(.parentDropped)),
    PairCase(["f": ["a": 1]], "f[a]=1", encoder: .nested(.deepObject)),
  ]

  // MARK: Arrays

  static let arrays: [PairCase] = [
    PairCase(["t": ["a", "b"]], "t[0]=a&t[1]=b"), PairCase(["t": []], ""), PairCase(["t": ["a"]], "t[0]=a"),
    PairCase(["t": ["a", nil, "c"]], "t[0]=a&t[2]=c"),
    PairCase(["t": [[1, 2], [3]]], "t[0][0]=1&t[0][1]=2&t[1][0]=3"),
    PairCase(["t": [["n": "x"], ["n": "y"]]], "t[0][n]=x&t[1][n]=y"),
    PairCase(
      ["t": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
      "t[0]=0&t[1]=1&t[2]=2&t[3]=3&t[4]=4&t[5]=5&t[6]=6&t[7]=7&t[8]=8&t[9]=9&t[10]=10"),
    PairCase(["t": ["a", "b"]], "t[]=a&t[]=b", encoder: .arrays(.bracketed)),
    PairCase(["t": []], "", encoder: .arrays(.bracketed)),
    PairCase(["t": [nil, "b"]], "t[]=b", encoder: .arrays(.bracketed)),
    PairCase(["t": [[1, 2], [3]]], "t[][]=1&t[][]=2&t[][]=3", encoder: .arrays(.bracketed)),
    PairCase(["t": [["n": 1, "m": 2]]], "t[][m]=2&t[][n]=1", encoder: .arrays(.bracketed)),
    PairCase(["u": ["t": [1]]], "u[t][]=1", encoder: .arrays(.bracketed)),
    PairCase(["a", "b"], "r[]=a&r[]=b", rootKey: "r", encoder: .arrays(.bracketed)),
    PairCase(["t": ["a", "b"]], "t=a&t=b", encoder: .arrays(.repeated)),
    PairCase(["t": ["a", nil, ""]], "t=a&t=", encoder: .arrays(.repeated)),
    PairCase(["t": [[1, 2], [3]]], "t=1&t=2&t=3", encoder: .arrays(.repeated)),
    PairCase(["t": [["n": 1], ["n": 2]]], "t[n]=1&t[n]=2", encoder: .arrays(.repeated)),
    PairCase(["a", "b"], "r=a&r=b", rootKey: "r", encoder: .arrays(.repeated)),
    PairCase(["t": ["a", "b", "c"]], "t=a,b,c", encoder: .arrays(.commaSeparated)),
    PairCase(["t": ["a"]], "t=a", encoder: .arrays(.commaSeparated)),
    PairCase(["t": []], "", encoder: .arrays(.commaSeparated)),
    PairCase(["t": [nil]], "", encoder: .arrays(.commaSeparated)),
    PairCase(["t": [1, nil, 2.5, true]], "t=1,2.5,true", encoder: .arrays(.commaSeparated)),
    PairCase(["u": ["t": [1, 2]]], "u[t]=1,2", encoder: .arrays(.commaSeparated)),
    PairCase(["t": ["a b", "c|d"]], "t=a b,c|d", encoder: .arrays(.commaSeparated)),
    PairCase(["t": [1, 2]], "t=1|2", encoder: .arrays(.pipeSeparated)),
    PairCase(["t": ["a,b", "c d"]], "t=a,b|c d", encoder: .arrays(.pipeSeparated)),
    PairCase(["t": [1, 2]], "t=1 2", encoder: .arrays(.spaceSeparated)),
    PairCase(["t": ["a,b", "c|d"]], "t=a,b c|d", encoder: .arrays(.spaceSeparated)),
  ]

  // MARK: Keys

  private static let snake = URLQueryEncoder(keyEncodingStrategy: .convertToSnakeCase)
  private static let jsonSnake = URLQueryEncoder(
    keyEncodingStrategy: .init(JSONEncoder.KeyEncodingStrategy.convertToSnakeCase))
  private static let depth = URLQueryEncoder(
    keyEncodingStrategy: .custom { path in SampleKey(stringValue: "\(path.count)-\(path.last?.stringValue ?? "")") })
  private static let path = URLQueryEncoder(
    keyEncodingStrategy: .custom(
      URLQueryCustomKeyTransform { path in SampleKey(stringValue: path.map(\.stringValue).joined(separator: "/")) }))

  static let keys: [PairCase] = [
    PairCase(["myURLProperty": 1], "my_url_property=1", encoder: snake),
    PairCase(["displayName": 1], "display_name=1", encoder: snake), PairCase(["a": 1], "a=1", encoder: snake),
    PairCase(["already_snake": 1], "already_snake=1", encoder: snake), PairCase(["": 1], "=1", encoder: snake),
    PairCase(["userID": 1], "user_id=1", encoder: snake),
    PairCase(["jsonHTTPBody": 1], "json_http_body=1", encoder: snake),
    PairCase(["item2Name": 1], "item2_name=1", encoder: snake),
    PairCase(["oneTwoThree": 1], "one_two_three=1", encoder: snake),
    PairCase(["_leading": 1], "_leading=1", encoder: snake), PairCase(["éÀb": 1], "é_àb=1", encoder: snake),
    PairCase(["outerKey": ["innerKey": 1]], "outer_key[inner_key]=1", encoder: snake),
    PairCase(["outerKey": [["innerKey": 1]]], "outer_key[0][inner_key]=1", encoder: snake),
    PairCase(["bB": 1, "aA": 2], "a_a=2&b_b=1", encoder: snake),
    PairCase(["displayName": 1], "display_name=1", encoder: jsonSnake),
    PairCase(swift: ["keepMe": 1] as [String: Int], "keepMe=1", encoder: snake),
    PairCase(swift: ["outerKey": ["keepMe": 1]] as [String: [String: Int]], "outerKey[keepMe]=1", encoder: snake),
    PairCase(["a": ["b": 1]], "1-a[2-b]=1", encoder: depth),
    PairCase(["a": [["b": 1]]], "1-a[0][3-b]=1", encoder: depth),
    PairCase(["a": ["b": 1], "c": 2], "a[a/b]=1&c=2", encoder: path),
    PairCase(["displayName": 1], "displayName=1", encoder: .init(keyEncodingStrategy: .init(.useDefaultKeys))),
  ]

  // MARK: Dates

  private static func date(_ seconds: Double) -> Sample { ["d": .date(Date(timeIntervalSince1970: seconds))] }
  private static func dates(_ strategy: URLQueryDateEncodingStrategy) -> URLQueryEncoder {
    URLQueryEncoder(dateEncodingStrategy: strategy)
  }
  private static func json(_ strategy: JSONEncoder.DateEncodingStrategy) -> URLQueryEncoder {
    URLQueryEncoder(dateEncodingStrategy: .init(strategy))
  }

  static let dates: [PairCase] = [
    PairCase(date(0), "d=1970-01-01T00:00:00.000Z"), PairCase(date(1_773_043_503.12), "d=2026-03-09T08:05:03.120Z"),
    PairCase(date(-0.001), "d=1969-12-31T23:59:59.999Z"), PairCase(date(0.9996), "d=1970-01-01T00:00:01.000Z"),
    PairCase(date(951_782_399), "d=2000-02-28T23:59:59.000Z"),
    PairCase(date(951_782_400), "d=2000-02-29T00:00:00.000Z"),
    PairCase(date(-62_167_219_200), "d=0000-01-01T00:00:00.000Z"),
    PairCase(date(-62_167_219_201), "d=-0001-12-31T23:59:59.000Z"),
    PairCase(date(253_402_300_799), "d=9999-12-31T23:59:59.000Z"),
    PairCase(date(253_402_300_800), "d=10000-01-01T00:00:00.000Z"),
    PairCase(["d": [.date(Date(timeIntervalSince1970: 1))]], "d[0]=1970-01-01T00:00:01.000Z"),
    PairCase(date(1.5), "d=1970-01-01T00:00:01Z", encoder: dates(.iso8601)),
    PairCase(date(-0.5), "d=1969-12-31T23:59:59Z", encoder: dates(.iso8601)),
    PairCase(date(1.5), "d=1.5", encoder: dates(.secondsSince1970)),
    PairCase(date(1_700_000_000), "d=1700000000", encoder: dates(.secondsSince1970)),
    PairCase(date(1.5), "d=1500", encoder: dates(.millisecondsSince1970)),
    PairCase(date(978_307_201), "d=1.0", encoder: dates(.deferredToDate)),
    PairCase(
      date(7), "d=at 7.0",
      encoder: dates(
        .custom { date, encoder in
          var container = encoder.singleValueContainer()
          try container.encode("at \(date.timeIntervalSince1970)")
        })),
    PairCase(
      date(7), "d[seconds]=7.0",
      encoder: dates(
        .custom { date, encoder in
          try ["seconds": date.timeIntervalSince1970].encode(to: encoder)
        })),
    PairCase(date(1.5), "d=1970-01-01T00:00:01Z", encoder: json(.iso8601)),
    PairCase(date(2), "d=2", encoder: json(.secondsSince1970)),
    PairCase(date(2), "d=2000", encoder: json(.millisecondsSince1970)),
    PairCase(date(978_307_200), "d=0.0", encoder: json(.deferredToDate)),
    PairCase(date(2), "d=two", encoder: json(.custom { _, encoder in try "two".encode(to: encoder) })),
  ]

  // MARK: Floats

  private static let named = URLQueryEncoder(
    nonConformingFloatEncodingStrategy: .convertToString(positiveInfinity: "INF", negativeInfinity: "-INF", nan: "NaN"))

  static let floats: [PairCase] = [
    PairCase(["v": .double(.infinity)], "v=INF", encoder: named),
    PairCase(["v": .double(-.infinity)], "v=-INF", encoder: named),
    PairCase(["v": .double(.nan)], "v=NaN", encoder: named), PairCase(swift: ["v": Float.nan], "v=NaN", encoder: named),
    PairCase(swift: ["v": Float.infinity], "v=INF", encoder: named),
    PairCase(swift: ["v": Decimal.nan], "v=NaN", encoder: named),
    PairCase(["v": [.double(.nan), 1.5]], "v[0]=NaN&v[1]=1.5", encoder: named),
  ]

  // MARK: Types

  private enum Level: String, Encodable, Sendable { case high = "HIGH" }
  private enum Code: Int, Encodable, Sendable { case teapot = 418 }
  private enum Shape: Encodable, Sendable {
    case circle(radius: Double)
    case pair(Int, Int)
    case empty
  }

  private class Animal: Encodable {
    let name = "cat"
    enum CodingKeys: CodingKey { case name }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
    }
  }

  private class SharedContainer: Animal {
    enum CodingKeys: CodingKey { case lives }
    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(9, forKey: .lives)
    }
  }

  private class OwnContainer: Animal {
    enum CodingKeys: CodingKey { case lives, parent }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(9, forKey: .lives)
      try super.encode(to: container.superEncoder())
      try super.encode(to: container.superEncoder(forKey: .parent))
    }
  }

  private struct Instance<T: Encodable>: Encodable, Sendable {
    let make: @Sendable () -> T
    func encode(to encoder: any Encoder) throws { try make().encode(to: encoder) }
  }

  private struct Nested: Encodable, Sendable {
    enum Keys: CodingKey { case object, array }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
      var array = container.nestedUnkeyedContainer(forKey: .array)
      try object.encode(1, forKey: .array)
      try array.encodeNil()
      var inner = array.nestedContainer(keyedBy: Keys.self)
      try inner.encode(array.count, forKey: .object)
      var list = array.nestedUnkeyedContainer()
      try list.encode("x")
      try "super".encode(to: array.superEncoder())
    }
  }

  private struct Optionals: Encodable, Sendable {
    var absent: Int?
    var present: Int? = 1
    var nested: Int?? = .some(nil)
    var date: Date? = Date(timeIntervalSince1970: 0)
    var list: [Int?] = [nil, 2]
  }

  private struct Identifier: Hashable, CodingKeyRepresentable, Encodable, Sendable {
    let id: String
    var codingKey: any CodingKey { SampleKey(stringValue: "id-\(id)") }
    init(_ id: String) { self.id = id }
    init?<T: CodingKey>(codingKey: T) { id = codingKey.stringValue }
  }

  static let types: [PairCase] = [
    PairCase(swift: ["l": Level.high], "l=HIGH"), PairCase(swift: ["c": Code.teapot], "c=418"),
    PairCase(swift: ["s": Shape.circle(radius: 2.5)], "s[circle][radius]=2.5"),
    PairCase(swift: ["s": Shape.pair(1, 2)], "s[pair][_0]=1&s[pair][_1]=2"), PairCase(swift: ["s": Shape.empty], ""),
    PairCase(swift: Shape.circle(radius: 1), "circle[radius]=1.0"), PairCase(swift: Instance { Animal() }, "name=cat"),
    PairCase(swift: Instance { SharedContainer() }, "lives=9&name=cat"),
    PairCase(swift: Instance { OwnContainer() }, "lives=9&parent[name]=cat&super[name]=cat"),
    PairCase(swift: Nested(), "array[1][object]=2&array[2][0]=x&array[3]=super&object[array]=1"),
    PairCase(swift: Optionals(), "date=1970-01-01T00:00:00.000Z&list[1]=2&present=1"),
    PairCase(swift: ["b": 2, "a": 1] as [String: Int], "a=1&b=2"),
    PairCase(swift: [2: "b", 10: "a"] as [Int: String], "10=a&2=b"),
    PairCase(swift: ["m": [1: ["k": true]]] as [String: [Int: [String: Bool]]], "m[1][k]=true"),
    PairCase(swift: [Identifier("7"): 1] as [Identifier: Int], "id-7=1"),
    PairCase(swift: ["s": Set([5])], "s[0]=5"), PairCase(swift: ["r": 1..<3], "r[0]=1&r[1]=3"),
    PairCase(swift: AnyEncodable(["a": Date(timeIntervalSince1970: 0)]), "a=1970-01-01T00:00:00.000Z"),
    PairCase(swift: AnyEncodable(AnyEncodable("x")), "r=x", rootKey: "r"), PairCase(swift: EmptyParameter(), ""),
    PairCase(swift: ["d": Data([1])] as [String: Data], "d=AQ=="),
    PairCase(swift: ["u": URL(string: "https://h/")], "u=https://h/"),
  ]
}

/// What servers expect to see, written as they document it.
@Suite("Query encoder: servers")
struct URLQueryServerTests {
  @Test("PHP: http_build_query and $_GET", arguments: php)
  func phpAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("Rails and Rack: nested parameters", arguments: rails)
  func railsAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("OpenAPI: the styles of query parameters", arguments: openAPI)
  func openAPIAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  @Test("Spring: data binding", arguments: spring)
  func springAreWritten(_ pair: PairCase) throws { #expect(try pair.pairs() == pair.expected) }

  private static let oneZero = URLQueryEncoder(boolEncoding: .oneZero)

  /// `http_build_query` writes indexes, nests with brackets, skips null and writes Booleans as 1 and 0.
  static let php: [PairCase] = [
    PairCase(["foo": "bar", "baz": "boom", "cow": "milk"], "baz=boom&cow=milk&foo=bar"),
    PairCase(["0": "foo", "1": "bar"], "0=foo&1=bar"),
    PairCase(
      ["user": ["name": "Bob Smith", "age": 47], "pastimes": ["golf", "opera"]],
      "pastimes[0]=golf&pastimes[1]=opera&user[age]=47&user[name]=Bob Smith"),
    PairCase(
      ["children": ["bobby": ["age": 12], "sally": ["age": 8]]], "children[bobby][age]=12&children[sally][age]=8"),
    PairCase(["a": nil, "b": true, "c": false], "b=1&c=0", encoder: oneZero),
    PairCase(["m": [[1, 2], [3, 4]]], "m[0][0]=1&m[0][1]=2&m[1][0]=3&m[1][1]=4"),
  ]

  static let rails: [PairCase] = [
    PairCase(["ids": [1, 2, 3]], "ids[]=1&ids[]=2&ids[]=3", encoder: .arrays(.bracketed)),
    PairCase(
      ["client": ["name": "Acme", "phone": "12345", "address": ["postcode": "12345", "city": "Carrot City"]]],
      "client[address][city]=Carrot City&client[address][postcode]=12345&client[name]=Acme&client[phone]=12345",
      encoder: .arrays(.bracketed)),
    PairCase(
      ["person": ["phones": [["n": "1"], ["n": "2"]]]], "person[phones][][n]=1&person[phones][][n]=2",
      encoder: .arrays(.bracketed)),
    PairCase(["x": ["y": ["z": ["10", "5"]]]], "x[y][z][]=10&x[y][z][]=5", encoder: .arrays(.bracketed)),
  ]

  /// The table of "Style Values" with `color = ["blue","black","brown"]` and `color = { R: 100, G: 200, B: 150 }`.
  static let openAPI: [PairCase] = [
    PairCase(["color": "blue"], "color=blue", encoder: .arrays(.repeated)), PairCase(["color": ""], "color="),
    PairCase(["color": ["blue", "black", "brown"]], "color=blue&color=black&color=brown", encoder: .arrays(.repeated)),
    PairCase(["color": ["blue", "black", "brown"]], "color=blue,black,brown", encoder: .arrays(.commaSeparated)),
    PairCase(["color": ["blue", "black", "brown"]], "color=blue|black|brown", encoder: .arrays(.pipeSeparated)),
    PairCase(["color": ["blue", "black", "brown"]], "color=blue black brown", encoder: .arrays(.spaceSeparated)),
    PairCase(
      ["color": ["R": 100, "G": 200, "B": 150]], "B=150&G=200&R=100", encoder: .nested(.parentDropped, .repeated)),
    PairCase(
      ["color": ["R": 100, "G": 200, "B": 150]], "color[B]=150&color[G]=200&color[R]=100", encoder: .nested(.deepObject)
    ),
  ]

  static let spring: [PairCase] = [
    PairCase(["name": "x", "address": ["city": "Seoul"]], "address.city=Seoul&name=x", encoder: .nested(.dots)),
    PairCase(["items": [["qty": 1], ["qty": 2]]], "items[0].qty=1&items[1].qty=2", encoder: .nested(.dots)),
    PairCase(["ids": [1, 2]], "ids=1&ids=2", encoder: .nested(.dots, .repeated)),
    PairCase(["map": ["key": ["a", "b"]]], "map.key[0]=a&map.key[1]=b", encoder: .nested(.dots)),
  ]
}
