import LinnetBytes
import LinnetCompression
import LinnetTestRandom

/// Text that compresses roughly as JSON does.
func jsonLike(count: Int, seed: UInt64 = 1) -> [UInt8] {
  var generator = SeededGenerator(seed: seed)
  var bytes: [UInt8] = []
  while bytes.count < count {
    let id = UInt64.random(in: 0..<1000, using: &generator)
    bytes.append(contentsOf: "{\"id\":\(id),\"name\":\"user\",\"active\":true},".utf8)
  }
  return Array(bytes.prefix(count))
}

func noise(count: Int, seed: UInt64 = 2) -> [UInt8] {
  var generator = SeededGenerator(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}

/// Ways to cut the same bytes into chunks; every parser has to give the same answer for all of them.
enum Cut: CaseIterable, CustomStringConvertible {
  case whole
  case bytewise
  case random

  var description: String {
    switch self {
    case .whole: "whole"
    case .bytewise: "byte by byte"
    case .random: "at random cuts"
    }
  }

  func chunks(of bytes: [UInt8]) -> [ByteChunk] {
    switch self {
    case .whole:
      return [ByteChunk(bytes)]
    case .bytewise:
      return bytes.map { ByteChunk([$0]) }
    case .random:
      var generator = SeededGenerator(seed: UInt64(bytes.count))
      var rest = ByteChunk(bytes)
      var chunks: [ByteChunk] = []
      while !rest.isEmpty {
        let length = Int.random(in: 1...max(1, min(rest.count, 700)), using: &generator)
        chunks.append(rest.prefix(length))
        rest = rest.dropFirst(length)
      }
      return chunks
    }
  }
}

/// What a decoder gave: all bytes before the error, and the error.
struct Outcome: Equatable {
  var bytes: [UInt8] = []
  var error: CompressionError?
}

func inflate(_ coded: [UInt8], _ format: Inflater.Format, _ cut: Cut = .whole, upTo limit: Int = 65_536) -> Outcome {
  var inflater = Inflater(format)
  var outcome = Outcome()
  do throws(CompressionError) {
    for chunk in cut.chunks(of: coded) {
      inflater.feed(chunk)
      while let output = try inflater.next(upTo: limit) { outcome.bytes += output.array }
    }
    if !inflater.isComplete { outcome.error = .truncated(coding: "incomplete") }
  } catch {
    outcome.error = error
  }
  return outcome
}

func decode(
  _ coded: [UInt8], _ codings: [ContentCoding], _ cut: Cut = .whole,
  limits: DecompressionLimits = DecompressionLimits()
) -> Outcome {
  var decoder = ContentDecoder(codings: codings, limits: limits)
  var outcome = Outcome()
  do throws(CompressionError) {
    for chunk in cut.chunks(of: coded) {
      decoder.feed(chunk)
      while let output = try decoder.next() { outcome.bytes += output.array }
    }
    try decoder.finish()
  } catch {
    outcome.error = error
  }
  return outcome
}
