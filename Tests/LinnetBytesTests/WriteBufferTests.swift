import LinnetBytes
import LinnetTestRandom
import Testing

@Suite("WriteBuffer")
struct WriteBufferTests {
  @Test("it behaves like an array under random operations", arguments: 0..<80)
  func model(seed: Int) {
    var generator = SeededGenerator(seed: seed)
    var buffer = WriteBuffer()
    var model: [UInt8] = []
    for _ in 0..<150 {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0:
        buffer.append(byte: 7)
        model.append(7)
      case 1:
        buffer.append(ascii: "HTTP/1.1\r\n")
        model += Array("HTTP/1.1\r\n".utf8)
      case 2:
        let bytes = generator.bytes(Int.random(in: 0...300, using: &generator))
        buffer.append(bytes.span)
        model += bytes
      case 3, 4:
        let size = Int.random(in: 0...2, using: &generator) == 0 ? 9000 : 50
        let bytes = generator.bytes(Int.random(in: 0...size, using: &generator))
        buffer.append(ByteChunk(bytes).dropFirst(3))
        model += bytes.dropFirst(3)
      case 5:
        let value = UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64.random(in: 0...63, using: &generator)
        buffer.append(decimal: value)
        buffer.append(hex: value)
        model += Array((String(value) + String(value, radix: 16)).utf8)
      case 6:
        let length = Int.random(in: -2...6000, using: &generator)
        buffer.consume(length)
        model.removeFirst(min(max(0, length), model.count))
      default:
        let wanted = Int.random(in: -1...5000, using: &generator)
        var offered: [UInt8] = []
        let taken = unsafe buffer.withFirstSegment { segment in
          offered = unsafe Array(segment)
          return wanted
        }
        #expect(model.starts(with: offered) && offered.isEmpty == model.isEmpty)
        #expect(taken == min(max(0, wanted), offered.count))
        model.removeFirst(taken)
      }
      let (count, isEmpty) = (buffer.count, buffer.isEmpty)
      #expect(count == model.count && isEmpty == model.isEmpty)
    }
    let rest = buffer.takeAll()
    let isEmpty = buffer.isEmpty
    #expect(rest == model && isEmpty)
  }

  @Test(
    "numbers are written without leading zeros",
    arguments: [
      (0, "0", "0"), (9, "9", "9"), (16, "16", "10"), (UInt64.max, "18446744073709551615", "ffffffffffffffff"),
    ])
  func numbers(value: UInt64, decimal: String, hex: String) {
    var buffer = WriteBuffer()
    buffer.append(decimal: value)
    let first = buffer.takeAll()
    buffer.append(hex: value)
    let second = buffer.takeAll()
    #expect(first == Array(decimal.utf8) && second == Array(hex.utf8))
  }

  @Test("a large chunk is offered from its own memory, after what was written before it")
  func splicing() {
    let chunk = ByteChunk([UInt8](repeating: 5, count: WriteBuffer.spliceThreshold))
    var buffer = WriteBuffer()
    buffer.append(utf8: "head")
    buffer.append(chunk)
    buffer.append(utf8: "tail")
    var segments: [Int] = []
    var isShared = false
    while true {
      let taken = unsafe buffer.withFirstSegment { segment in
        segments.append(segment.count)
        unsafe chunk.withUnsafeBytes { bytes in
          if unsafe bytes.baseAddress == segment.baseAddress { isShared = true }
        }
        return segment.count
      }
      if taken == 0 { break }
    }
    #expect(segments == [4, WriteBuffer.spliceThreshold, 4] && isShared)
  }

  @Test("an error consumes nothing", arguments: [3, 9000])
  func throwing(size: Int) {
    struct Refused: Error, Equatable {}
    var buffer = WriteBuffer()
    buffer.append(ByteChunk([UInt8](repeating: 1, count: size)))
    do throws(Refused) {
      _ = try unsafe buffer.withFirstSegment { _ throws(Refused) in throw Refused() }
      Issue.record("no error")
    } catch {
      let count = buffer.count
      #expect(count == size)
    }
  }

  @Test("an empty buffer does not call its consumer")
  func empty() {
    var buffer = WriteBuffer()
    buffer.append(ByteChunk())
    var calls = 0
    let taken = unsafe buffer.withFirstSegment { _ in
      calls += 1
      return 1
    }
    #expect(taken == 0 && calls == 0)
  }

  @Test("removing all empties it whatever it held")
  func removing() {
    var buffer = WriteBuffer()
    buffer.append(bytes: [1, 2, 3])
    buffer.append(ByteChunk([UInt8](repeating: 1, count: 5000)))
    buffer.removeAll()
    buffer.append(byte: 9)
    let rest = buffer.takeAll()
    #expect(rest == [9])
  }
}
