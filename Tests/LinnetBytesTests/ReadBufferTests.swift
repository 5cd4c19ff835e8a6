import LinnetBytes
import LinnetTestRandom
import Testing

/// All unread bytes, through the public view.
private func contents(_ buffer: borrowing ReadBuffer) -> [UInt8] {
  ByteChunk(copying: buffer.span).array
}

@Suite("ReadBuffer")
struct ReadBufferTests {
  @Test("it behaves like an array under random operations, and chunks keep their bytes", arguments: 0..<150)
  func model(seed: Int) {
    var generator = SeededGenerator(seed: seed)
    var buffer = ReadBuffer(minimumCapacity: Int.random(in: 0...64, using: &generator))
    var model: [UInt8] = []
    var taken: [(ByteChunk, [UInt8])] = []
    let scale = seed % 10 == 0 ? 9000 : 60
    for _ in 0..<120 {
      let length = Int.random(in: -2...scale, using: &generator)
      switch Int.random(in: 0..<7, using: &generator) {
      case 0:
        let bytes = generator.bytes(max(0, length))
        buffer.append(bytes.span)
        model += bytes
      case 1:
        let bytes = generator.bytes(max(0, length))
        buffer.append(bytes.dropFirst(3))
        model += bytes.dropFirst(3)
      case 2, 3:
        let bytes = generator.bytes(max(0, length))
        let extra = Int.random(in: 0...scale, using: &generator)
        let written = unsafe buffer.withSpareCapacity(minimum: bytes.count + extra) { room in
          let isLargeEnough = room.count >= bytes.count + extra
          #expect(isLargeEnough)
          unsafe room.copyBytes(from: bytes)
          return bytes.count
        }
        #expect(written == bytes.count)
        model += bytes
      case 4, 5:
        let chunk = buffer.takeChunk(length)
        let expected = Array(model.prefix(max(0, length)))
        model.removeFirst(expected.count)
        #expect(chunk.array == expected)
        taken.append((chunk, expected))
      default:
        buffer.consume(length)
        model.removeFirst(min(max(0, length), model.count))
      }
      let (count, isEmpty, all) = (buffer.count, buffer.isEmpty, contents(buffer))
      #expect(count == model.count && isEmpty == model.isEmpty)
      #expect(all == model)
    }
    for (chunk, expected) in taken { #expect(chunk.array == expected) }
  }

  @Test("reading by offset is total", arguments: [(Int.min, nil), (-1, nil), (0, 2), (1, 3), (2, nil), (Int.max, nil)])
  func offsets(offset: Int, expected: UInt8?) {
    var buffer = ReadBuffer()
    buffer.append([1, 2, 3])
    buffer.consume(1)
    #expect(buffer[offset] == expected)
  }

  @Test("a search finds the first occurrence at or after the offset, like a simple loop", arguments: 0..<200)
  func search(seed: Int) {
    var generator = SeededGenerator(seed: seed)
    let bytes = (0..<Int.random(in: 0...70, using: &generator)).map { _ in
      [0x00, 0x01, 0x0A, 0x0B, 0x80, 0x8A, 0xFF].randomElement(using: &generator) ?? UInt8(0)
    }
    var buffer = ReadBuffer()
    buffer.append(bytes)
    let dropped = Int.random(in: 0...5, using: &generator)
    buffer.consume(dropped)
    let rest = Array(bytes.dropFirst(dropped))
    for byte: UInt8 in [0x00, 0x01, 0x0A, 0x80, 0xFF, 0x7F] {
      for offset in -1...(rest.count + 1) {
        let expected = rest.indices.first { $0 >= offset && rest[$0] == byte }
        let found = buffer.firstOffset(of: byte, from: offset)
        #expect(found == (offset < 0 ? nil : expected))
      }
    }
  }

  @Test("a large chunk shares the memory that was read into, a small one does not keep it alive")
  func sharing() {
    var buffer = ReadBuffer()
    var address: UnsafeRawPointer?
    func read(_ count: Int) {
      _ = unsafe buffer.withSpareCapacity(minimum: 16_384) { room in
        unsafe room.initializeMemory(as: UInt8.self, repeating: 7)
        address = UnsafeRawPointer(room.baseAddress)
        return count
      }
    }
    read(16_384)
    let large = buffer.takeChunk(10_000)
    let isShared = unsafe large.withUnsafeBytes { unsafe $0.baseAddress == address }
    #expect(isShared)
    buffer.removeAll(keepingCapacity: false)
    read(100)
    let small = buffer.takeChunk(100)
    let isCopied = unsafe small.withUnsafeBytes { unsafe $0.baseAddress != address }
    #expect(isCopied)
  }

  @Test("small messages reuse one block of memory")
  func reuse() {
    var buffer = ReadBuffer()
    var addresses: Set<Int> = []
    for _ in 0..<50 {
      _ = unsafe buffer.withSpareCapacity(minimum: 16_384) { room in
        unsafe room.initializeMemory(as: UInt8.self, repeating: 7)
        addresses.insert(Int(bitPattern: room.baseAddress))
        return 200
      }
      _ = buffer.takeChunk(150)
      buffer.consume(50)
    }
    #expect(addresses.count == 1)
  }

  @Test("what a body claims to have written is clamped", arguments: [Int.min, -1, Int.max])
  func clamping(claim: Int) {
    var buffer = ReadBuffer()
    buffer.append([1, 2])
    let written = unsafe buffer.withSpareCapacity(minimum: 8) { room in
      unsafe room.initializeMemory(as: UInt8.self, repeating: 0)
      return claim
    }
    let count = buffer.count
    #expect(count == 2 + written && (claim < 0 ? written == 0 : written >= 8))
  }

  @Test("an error appends nothing", arguments: [0, 3])
  func throwing(before: Int) {
    struct Refused: Error, Equatable {}
    var buffer = ReadBuffer()
    buffer.append([UInt8](repeating: 1, count: before))
    do throws(Refused) {
      _ = try unsafe buffer.withSpareCapacity(minimum: 4096) { _ throws(Refused) in throw Refused() }
      Issue.record("no error")
    } catch {
      let count = buffer.count
      #expect(count == before)
    }
  }

  @Test("appending byte by byte takes linear memory and time")
  func growth() {
    var buffer = ReadBuffer()
    for step in 0..<200_000 {
      buffer.append([UInt8(truncatingIfNeeded: step)].span)
      if step % 3 == 0 { buffer.consume(1) }
    }
    let (count, capacity) = (buffer.count, buffer.capacity)
    #expect(count == 200_000 - 66_667)
    #expect(capacity < 1_000_000)
  }

  @Test("removing all keeps or frees the memory")
  func removing() {
    var buffer = ReadBuffer(minimumCapacity: 1000)
    buffer.append([1, 2, 3])
    buffer.removeAll()
    let kept = (buffer.isEmpty, buffer.capacity)
    buffer.removeAll(keepingCapacity: false)
    let freed = buffer.capacity
    #expect(kept.0 && kept.1 >= 1000 && freed == 0)
  }
}
