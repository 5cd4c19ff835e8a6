internal import LinnetBytes

/// The Unicode data that ``IDNA`` needs: the mapping of UTS 46, canonical composition and the properties of its rules.
///
/// It is decoded from one string constant when the first host with a non-ASCII character comes along. It carries its
/// own copy of properties that the standard library knows too, so that all of it is of one Unicode version.
struct IDNATable: Sendable {
  static let shared = IDNATable()

  /// What UTS 46 §5 says about a code point.
  enum Mapping: Equatable {
    case valid
    case disallowed
    case ignored
    case mapped(ArraySlice<UInt32>)
  }

  /// The bidirectional classes that RFC 5893 tells apart; the numbers are those of the generated data.
  enum BidiClass: UInt8 {
    case other, l, r, al, an, en, es, cs, et, on, bn, nsm
  }

  /// The joining types of RFC 5892 appendix A; the numbers are those of the generated data.
  enum JoiningType: UInt8 {
    case nonJoining, left, right, dual, transparent, causing
  }

  struct Properties: Equatable {
    var bidiClass = BidiClass.other
    var joiningType = JoiningType.nonJoining
    var isMark = false
    var combiningClass: UInt8 = 0
  }

  private var mappingStarts: [UInt32] = []
  private var mappings: [RangeMapping] = []
  private var replacements: [UInt32] = []
  private var decompositionPoints: [UInt32] = []
  private var decompositions: [(first: UInt32, second: UInt32?)] = []
  private var compositions: [UInt64: UInt32] = [:]
  private var propertyStarts: [UInt32] = []
  private var properties: [Properties] = []

  private enum RangeMapping {
    case valid
    case disallowed
    case ignored
    case offset(UInt32)
    case alternating
    case list(Range<Int>)
  }

  private init() {
    var reader = VariableLengthReader(bytes: Base64.decode(Self.coded.utf8) ?? [])
    readMappings(&reader)
    readDecompositions(&reader)
    readProperties(&reader)
  }

  private mutating func readMappings(_ reader: inout VariableLengthReader) {
    var start: UInt32 = 0
    for _ in 0..<reader.next() {
      let head = reader.next()
      start &+= head >> 3
      let mapping: RangeMapping
      switch head & 7 {
      case 0: mapping = .valid
      case 2: mapping = .ignored
      case 3: mapping = .offset(reader.nextDistance())
      case 4: mapping = .alternating
      case 5:
        let lower = replacements.count
        var scalar = start
        for _ in 0..<reader.next() {
          scalar &+= reader.nextDistance()
          replacements.append(scalar)
        }
        mapping = .list(lower..<replacements.count)
      default: mapping = .disallowed
      }
      mappingStarts.append(start)
      mappings.append(mapping)
    }
  }

  private mutating func readDecompositions(_ reader: inout VariableLengthReader) {
    var point: UInt32 = 0
    for _ in 0..<reader.next() {
      let head = reader.next()
      point &+= head >> 2
      let first = point &+ reader.nextDistance()
      let second = head & 1 == 0 ? nil : reader.next()
      decompositionPoints.append(point)
      decompositions.append((first, second))
      if head & 2 != 0, let second { compositions[Self.pair(first, second)] = point }
    }
  }

  private mutating func readProperties(_ reader: inout VariableLengthReader) {
    var start: UInt32 = 0
    for _ in 0..<reader.next() {
      let head = reader.next()
      start &+= head >> 1
      let bits = UInt8(truncatingIfNeeded: reader.next())
      let combiningClass = head & 1 == 0 ? 0 : UInt8(truncatingIfNeeded: reader.next())
      propertyStarts.append(start)
      properties.append(
        Properties(
          bidiClass: BidiClass(rawValue: bits & 15) ?? .other,
          joiningType: JoiningType(rawValue: bits >> 4 & 7) ?? .nonJoining,
          isMark: bits & 128 != 0, combiningClass: combiningClass))
    }
  }
}

extension IDNATable {
  func mapping(of scalar: UInt32) -> Mapping {
    guard let index = Self.lastIndex(in: mappingStarts, notAbove: scalar) else { return .disallowed }
    switch mappings[index] {
    case .valid: return .valid
    case .disallowed: return .disallowed
    case .ignored: return .ignored
    case .offset(let offset): return .mapped([scalar &+ offset])
    case .alternating: return (scalar &- mappingStarts[index]) & 1 == 0 ? .mapped([scalar &+ 1]) : .valid
    case .list(let range): return .mapped(replacements[range])
    }
  }

  func properties(of scalar: UInt32) -> Properties {
    Self.lastIndex(in: propertyStarts, notAbove: scalar).map { properties[$0] } ?? Properties()
  }

  /// The canonical decomposition by one step; of Hangul syllables too.
  func decomposition(of scalar: UInt32) -> (first: UInt32, second: UInt32?)? {
    if let hangul = Hangul.decomposition(of: scalar) { return hangul }
    guard let index = Self.lastIndex(in: decompositionPoints, notAbove: scalar), decompositionPoints[index] == scalar
    else { return nil }
    return decompositions[index]
  }

  /// The primary composite of the two, if there is one.
  func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
    Hangul.composition(first, second) ?? compositions[Self.pair(first, second)]
  }

  private static func pair(_ first: UInt32, _ second: UInt32) -> UInt64 { UInt64(first) << 32 | UInt64(second) }

  private static func lastIndex(in starts: [UInt32], notAbove scalar: UInt32) -> Int? {
    var lower = 0
    var upper = starts.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if starts[middle] <= scalar { lower = middle + 1 } else { upper = middle }
    }
    return lower == 0 ? nil : lower - 1
  }
}

/// Hangul syllables, whose (de)composition is arithmetic (The Unicode Standard §3.12).
private enum Hangul {
  private static var syllables: Range<UInt32> { 0xAC00..<0xD7A4 }
  private static var leading: Range<UInt32> { 0x1100..<0x1113 }
  private static var vowels: Range<UInt32> { 0x1161..<0x1176 }
  /// The first stands for "no trailing consonant" and is never one itself.
  private static var trailing: Range<UInt32> { 0x11A7..<0x11C3 }

  static func decomposition(of scalar: UInt32) -> (first: UInt32, second: UInt32?)? {
    guard syllables.contains(scalar) else { return nil }
    let index = scalar - syllables.lowerBound
    let tail = index % 28
    if tail != 0 { return (scalar - tail, trailing.lowerBound + tail) }
    return (leading.lowerBound + index / 588, vowels.lowerBound + index % 588 / 28)
  }

  static func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
    if leading.contains(first), vowels.contains(second) {
      return syllables.lowerBound + (first - leading.lowerBound) * 588 + (second - vowels.lowerBound) * 28
    }
    if syllables.contains(first), (first - syllables.lowerBound) % 28 == 0, trailing.dropFirst().contains(second) {
      return first + second - trailing.lowerBound
    }
    return nil
  }
}

/// Reads the integers of the generated data; zeros after its end.
private struct VariableLengthReader {
  private let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> UInt32 {
    var value: UInt32 = 0
    var shift: UInt32 = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      value |= UInt32(byte & 0x7F) << shift
      if byte & 0x80 == 0 { break }
      shift += 7
    }
    return value
  }

  /// A signed integer (0, -1, 1, -2, … as 0, 1, 2, 3, …) in two's complement, to be added with `&+`.
  mutating func nextDistance() -> UInt32 {
    let coded = next()
    return coded & 1 == 0 ? coded >> 1 : ~(coded >> 1)
  }
}
