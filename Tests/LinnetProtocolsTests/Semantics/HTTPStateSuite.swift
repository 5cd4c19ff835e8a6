import FoundationEssentials
import Testing

/// Access to the cookie vectors of the http-state suite, which lie in a data folder next to the project.
struct HTTPStateSuite: Decodable {
  struct DateCase: Decodable {
    var test: String
    var expected: String?
  }

  struct Pair: Decodable {
    var name: String
    var value: String
  }

  struct Case: Decodable {
    var test: String
    var received: [String]
    var sent: [Pair]
    var sentTo: String?

    enum CodingKeys: String, CodingKey {
      case test, received, sent
      case sentTo = "sent-to"
    }
  }

  var cases: [Case]
  var dates: [DateCase]

  static let isPresent = file != nil
  static let comment: Comment = "the folder ../shared/conformance/data is missing"

  static func load() throws -> HTTPStateSuite {
    try JSONDecoder().decode(HTTPStateSuite.self, from: Data(contentsOf: URL(filePath: try #require(file))))
  }

  enum CodingKeys: String, CodingKey { case cases, dates }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    cases = try fields.decode([Case].self, forKey: .cases)
    let groups = try fields.decode([String: [DateCase]].self, forKey: .dates)
    dates = groups.keys.sorted().flatMap { groups[$0] ?? [] }
  }

  private static let file: String? = {
    let package = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return ["../shared", "../../shared"].map { "/\(package)/\($0)/conformance/data/http-state.json" }
      .first { FileManager.default.fileExists(atPath: $0) }
  }()
}
