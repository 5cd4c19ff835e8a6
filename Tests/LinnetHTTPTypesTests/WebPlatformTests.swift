import FoundationEssentials
import Testing

/// Access to the URL test vectors of web-platform-tests, which lie in a data folder next to the project.
enum WebPlatformTests {
  static let isPresent = file("urltestdata") != nil
  static let comment: Comment = "the folder ../shared/conformance/data is missing"

  static func load<Case: Decodable>(_ name: String, as type: Case.Type) throws -> [Case] {
    let path = try #require(file(name))
    let data = try Data(contentsOf: URL(filePath: path))
    return try JSONDecoder().decode([Entry<Case>].self, from: scalarValues(data)).compactMap(\.value)
  }

  private static func file(_ name: String) -> String? {
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return ["../shared", "../../shared"].map { "/\(package)/\($0)/conformance/data/wpt-url-\(name).json" }
      .first { FileManager.default.fileExists(atPath: $0) }
  }

  /// The suite's inputs are converted to scalar value strings first, which replaces lone surrogates.
  private static func scalarValues(_ json: Data) -> Data {
    var output: [UInt8] = []
    let bytes = Array(json)
    func unit(at index: Int) -> UInt16? {
      guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
        return nil
      }
      return UInt16(String(decoding: bytes[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    }
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\") else {
        output.append(bytes[index])
        index += 1
        continue
      }
      switch unit(at: index) {
      case .some(0xD800...0xDBFF) where unit(at: index + 6).map { (0xDC00...0xDFFF).contains($0) } == true:
        output += bytes[index..<(index + 12)]
        index += 12
      case .some(0xD800...0xDFFF):
        output += "\\uFFFD".utf8
        index += 6
      default:
        output += bytes[index..<(index + 2)]
        index += 2
      }
    }
    return Data(output)
  }

  /// Strings between the cases are comments.
  private struct Entry<Case: Decodable>: Decodable {
    let value: Case?

    init(from decoder: any Decoder) throws {
      if (try? decoder.singleValueContainer().decode(String.self)) != nil {
        value = nil
      } else {
        value = try Case(from: decoder)
      }
    }
  }
}
