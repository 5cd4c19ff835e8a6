import FoundationEssentials
import Linnet
import Testing

/// Values that nobody would choose, in every place of an endpoint: none may leave its place.
@Suite("Random endpoints", .timeLimit(.minutes(5)))
struct RandomEndpointTests {
  private static let count = 10_000

  private func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(Substring(rest.prefix(2)), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  private func depth(_ path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: "/") } }

  @Test("A value in a segment never changes origin or depth, and the server reads it back")
  func segments() throws {
    let base = try HTTPURL("https://api.example.com:8443/v1")
    let admission = URLAdmission(allowsInsecure: false)
    var texts = RandomTexts(seed: 1)
    var refused = 0
    for _ in 0..<Self.count {
      let value = texts.text()
      let path = "/users/\(EndpointPathEncoding.percentEncodedSegment(value))/posts"
      do throws(NetworkError) {
        let url = try EndpointPath.url(base: base, path: path, query: nil)
        #expect(try admission.admit(url.description) == url)
        #expect(url.origin == base.origin)
        #expect(depth(url.path) == 4)
        #expect(url.query == nil && url.fragment == nil && !url.hasUserinfo)
        let parts = url.path.split(separator: "/", omittingEmptySubsequences: false)
        #expect(parts.count == 5 && same(decoded(parts[3]), value), "\(value.debugDescription)")
      } catch {
        refused += 1
        guard case .configuration(reason: .invalidRequest) = error else {
          Issue.record("\(error)")
          continue
        }
        // Only values that climb somewhere, once decoded often enough, are refused.
        #expect(value.isEmpty || value.utf8.contains(UInt8(ascii: ".")) || value.utf8.contains(UInt8(ascii: "%")))
      }
    }
    #expect(refused < Self.count / 2)
  }

  @Test("A literal path never leaves the base, whatever stands in it")
  func literals() throws {
    let base = try HTTPURL("https://api.example.com/v1")
    var texts = RandomTexts(seed: 2)
    for _ in 0..<Self.count {
      let path = texts.text()
      guard let url = try? EndpointPath.url(base: base, path: path, query: nil) else { continue }
      #expect(url.origin == base.origin)
      #expect(url.path == "/v1" || url.path.hasPrefix("/v1/"), "\(path.debugDescription)")
      #expect(url.query == nil && url.fragment == nil)
    }
  }

  @Test("A value in the query never leaves it, and the server reads it back")
  func queries() throws {
    let base = try HTTPURL("https://api.example.com/v1")
    var texts = RandomTexts(seed: 3)
    for _ in 0..<Self.count {
      let name = texts.text(upTo: 3)
      let value = texts.text()
      let query = try URLQueryEncoder().encodeQuery([name: value])
      let url = try EndpointPath.url(base: base, path: "search", query: query)
      #expect(url.origin == base.origin && url.path == "/v1/search" && url.fragment == nil)
      let pair = try #require(url.query).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      #expect(pair.count == 2)
      #expect(same(decoded(pair[0], plusIsSpace: true), name), "\(name.debugDescription)")
      #expect(same(decoded(pair[1], plusIsSpace: true), value), "\(value.debugDescription)")
    }
  }

  @Test("A value in a form never leaves its pair, and the server reads it back")
  func forms() throws {
    var texts = RandomTexts(seed: 4)
    for _ in 0..<Self.count {
      let name = texts.text(upTo: 3)
      let value = texts.text()
      let body = String(decoding: try URLQueryEncoder().encodeForm([name: value]), as: UTF8.self)
      let pair = body.split(separator: "=", omittingEmptySubsequences: false)
      #expect(pair.count == 2 && !body.utf8.contains(UInt8(ascii: "&")))
      #expect(same(decoded(pair[0], plusIsSpace: true), name) && same(decoded(pair[1], plusIsSpace: true), value))
    }
  }

  @Test("A value in a header never begins another one")
  func headers() {
    var texts = RandomTexts(seed: 5)
    for _ in 0..<Self.count {
      var headers = HTTPHeaders()
      let value = texts.text()
      guard (try? headers.add(name: "X-Value", value: value)) != nil else {
        #expect(value.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "\(value.debugDescription)")
        continue
      }
      #expect(headers.count == 1)
      #expect(!value.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 })
    }
  }

  @Test("A random text is admitted only with a meaning that survives a second reading")
  func admission() throws {
    let admission = URLAdmission(allowsInsecure: true)
    var texts = RandomTexts(seed: 6)
    for _ in 0..<Self.count {
      let text =
        ["https://", "http://", "https:", ""][texts.number(below: 4)] + texts.text() + "example.com" + texts.text()
      guard let url = try? admission.admit(text) else { continue }
      #expect(!url.hasUserinfo && url.fragment == nil && !url.host.isEmpty)
      #expect(try admission.admit(url.description) == url, "\(text.debugDescription)")
    }
  }

  @Test("A JSON body is read back")
  func json() throws {
    var texts = RandomTexts(seed: 7)
    for _ in 0..<2000 {
      let value = [texts.text(): texts.text()]
      guard case .body(let data, _) = try RequestEncodingPolicy.json(JSONCoding.encoder()).encode(value) else {
        Issue.record("no body")
        continue
      }
      #expect(try JSONCoding.decoder().decode([String: String].self, from: data) == value)
    }
  }
}
