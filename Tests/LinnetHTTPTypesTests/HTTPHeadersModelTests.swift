import LinnetHTTPTypes
import LinnetTestRandom
import Testing

/// The naive meaning of ``HTTPHeaders``: an array of pairs.
private struct NaiveHeaders {
  var fields: [(name: String, value: String)] = []

  private static func same(_ left: String, _ right: String) -> Bool { left.lowercased() == right.lowercased() }

  mutating func update(_ name: String, _ value: String) {
    guard let first = fields.firstIndex(where: { Self.same($0.name, name) }) else {
      fields.append((name, value))
      return
    }
    fields[first] = (name, value)
    var position = 0
    fields.removeAll { field in
      defer { position += 1 }
      return position > first && Self.same(field.name, name)
    }
  }

  mutating func remove(_ name: String) { fields.removeAll { Self.same($0.name, name) } }

  func values(_ name: String) -> [String] { fields.filter { Self.same($0.name, name) }.map(\.value) }
}

@Suite("HTTPHeaders against a naive model")
struct HTTPHeadersModelTests {
  private static let names = ["A", "a", "Content-Type", "content-TYPE", "X-1", "x-1", "X-2", "Set-Cookie", "Cookie"]

  private func check(_ headers: HTTPHeaders, _ model: NaiveHeaders) -> Bool {
    headers.count == model.fields.count
      && zip(headers, model.fields).allSatisfy { $0.name == $1.name && $0.value == $1.value }
      && Self.names.allSatisfy { headers.values(for: $0) == model.values($0) }
      && headers.byteCount == model.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }

  @Test("10,000 random scripts give what the model gives, also in copies", arguments: 0..<10)
  func scripts(_ block: Int) {
    for script in 0..<1000 {
      var generator = SeededGenerator(seed: UInt64(block * 1000 + script))
      var headers = HTTPHeaders()
      var model = NaiveHeaders()
      var snapshots: [(HTTPHeaders, NaiveHeaders)] = []
      for _ in 0..<Int.random(in: 1...25, using: &generator) {
        let name = Self.names.randomElement(using: &generator) ?? "A"
        let value = String(repeating: "v", count: Int.random(in: 0...40, using: &generator))
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1, 2:
          headers.add(name, value)
          model.fields.append((name, value))
        case 3, 4:
          headers.update(name, value)
          model.update(name, value)
        case 5:
          headers.remove(name)
          model.remove(name)
        case 6:
          snapshots.append((headers, model))
        case 7:
          headers.sort()
          let order = model.fields.enumerated().sorted {
            ($0.element.name.lowercased(), $0.offset) < ($1.element.name.lowercased(), $1.offset)
          }
          model.fields = order.map(\.element)
        default:
          if let (other, naive) = snapshots.randomElement(using: &generator), headers.count < 100 {
            headers.add(contentsOf: other)
            model.fields += naive.fields
          }
        }
      }
      #expect(check(headers, model), "script \(block * 1000 + script)")
      for (index, snapshot) in snapshots.enumerated() {
        #expect(check(snapshot.0, snapshot.1), "script \(block * 1000 + script), copy \(index)")
      }
    }
  }
}
