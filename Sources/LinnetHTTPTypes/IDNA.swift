/// Domain names with non-ASCII characters: the ToASCII operation of UTS 46.
///
/// The options are those of "domain to ASCII" in the WHATWG URL standard with *beStrict* false: non-transitional,
/// CheckBidi and CheckJoiners on; CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength off. An all-ASCII domain needs no
/// processing but lower-casing and never comes here.
enum IDNA {
  /// Punycode and reordering take quadratic time, so the input is bounded. DNS allows 253 characters; the `idna` crate
  /// of rust-url stops at 2,000 too.
  static var maximumCharacters: Int { 2000 }

  private static let prefix: [UInt32] = "xn--".unicodeScalars.map(\.value)
  private static var fullStop: UInt32 { 0x2E }

  /// The ASCII form of `domain`.
  static func toASCII(_ domain: String) throws(HostProblem) -> [UInt8] {
    let table = IDNATable.shared
    let scalars = domain.unicodeScalars.map(\.value)
    guard scalars.count <= maximumCharacters else { throw .tooLong(characters: scalars.count) }
    let labels = table.normalisedToC(try map(scalars, table)).split(
      separator: fullStop, omittingEmptySubsequences: false)
    var unicodeLabels: [ArraySlice<UInt32>] = []
    for label in labels { unicodeLabels.append(try decodedAndChecked(label, table)) }
    if unicodeLabels.contains(where: { isRightToLeft($0, table) }) {
      for label in unicodeLabels where !satisfiesBidiRule(label, table) {
        throw .bidirectionalRule(label: text(label))
      }
    }
    var output: [UInt8] = []
    for (index, label) in labels.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ".")) }
      if isASCII(label) {
        output.append(contentsOf: label.map { UInt8(truncatingIfNeeded: $0) })
      } else {
        output.append(contentsOf: "xn--".utf8)
        guard Punycode.encode(label, into: &output) else { throw .invalidPunycode(label: text(label)) }
      }
    }
    return output
  }

  /// UTS 46 §4 step 1. A disallowed character ends the processing at once; leaving it to the validity check would only
  /// find it later.
  private static func map(_ scalars: [UInt32], _ table: IDNATable) throws(HostProblem) -> [UInt32] {
    var output: [UInt32] = []
    output.reserveCapacity(scalars.count)
    for scalar in scalars {
      switch table.mapping(of: scalar) {
      case .valid: output.append(scalar)
      case .ignored: continue
      case .mapped(let replacement): output.append(contentsOf: replacement)
      case .disallowed: throw .disallowedCharacter(Unicode.Scalar(scalar) ?? "\u{FFFD}")
      }
    }
    return output
  }

  /// UTS 46 §4 step 4: the Unicode form of a label after the validity criteria of §4.1.
  private static func decodedAndChecked(
    _ label: ArraySlice<UInt32>, _ table: IDNATable
  ) throws(HostProblem) -> ArraySlice<UInt32> {
    guard label.starts(with: prefix) else {
      try checkValidity(label, table)
      return label
    }
    guard isASCII(label), let decoded = Punycode.decode(label.dropFirst(prefix.count)), !isASCII(decoded[...]),
      !decoded.starts(with: prefix), !decoded.contains(fullStop)
    else { throw .invalidPunycode(label: text(label)) }
    for scalar in decoded where table.mapping(of: scalar) != .valid {
      throw .disallowedCharacter(Unicode.Scalar(scalar) ?? "\u{FFFD}")
    }
    guard table.normalisedToC(decoded) == decoded else { throw .invalidPunycode(label: text(label)) }
    try checkValidity(decoded[...], table)
    return decoded[...]
  }

  /// The validity criteria that a mapped label can still violate: 6 (marks) and 8 (joiners).
  private static func checkValidity(_ label: ArraySlice<UInt32>, _ table: IDNATable) throws(HostProblem) {
    if let first = label.first, table.properties(of: first).isMark { throw .leadingMark(label: text(label)) }
    for index in label.indices where !isJoinerAllowed(at: index, of: label, table) {
      throw .misplacedJoiner(label: text(label))
    }
  }

  private static func isASCII(_ label: ArraySlice<UInt32>) -> Bool { label.allSatisfy { $0 < 0x80 } }

  private static func text(_ label: ArraySlice<UInt32>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: label.prefix(64).lazy.compactMap { Unicode.Scalar($0) })
    return String(text)
  }
}

/// The contextual rules: joiners (RFC 5892 appendix A) and writing direction (RFC 5893 §2).
extension IDNA {
  private static var zeroWidthNonJoiner: UInt32 { 0x200C }
  private static var zeroWidthJoiner: UInt32 { 0x200D }
  /// The canonical combining class Virama.
  private static var virama: UInt8 { 9 }

  private static func isJoinerAllowed(at index: Int, of label: ArraySlice<UInt32>, _ table: IDNATable) -> Bool {
    let scalar = label[index]
    guard scalar == zeroWidthNonJoiner || scalar == zeroWidthJoiner else { return true }
    let before = label[..<index]
    if let previous = before.last, table.properties(of: previous).combiningClass == virama { return true }
    guard scalar == zeroWidthNonJoiner else { return false }
    let after = label[(index + 1)...]
    func joiningType(_ scalar: UInt32) -> IDNATable.JoiningType { table.properties(of: scalar).joiningType }
    let left = before.reversed().lazy.map(joiningType).first { $0 != .transparent }
    let right = after.lazy.map(joiningType).first { $0 != .transparent }
    return (left == .left || left == .dual) && (right == .right || right == .dual)
  }

  /// Whether the label makes its domain a "Bidi domain name".
  private static func isRightToLeft(_ label: ArraySlice<UInt32>, _ table: IDNATable) -> Bool {
    label.contains { scalar in
      switch table.properties(of: scalar).bidiClass {
      case .r, .al, .an: true
      default: false
      }
    }
  }

  private static func satisfiesBidiRule(_ label: ArraySlice<UInt32>, _ table: IDNATable) -> Bool {
    let classes = label.map { table.properties(of: $0).bidiClass }
    guard let first = classes.first, let last = classes.last(where: { $0 != .nsm }) else { return classes.isEmpty }
    switch first {
    case .r, .al:
      if classes.contains(where: { $0 == .l || $0 == .other }) { return false }
      if classes.contains(.en) && classes.contains(.an) { return false }
      return last == .r || last == .al || last == .en || last == .an
    case .l:
      let allowed: [IDNATable.BidiClass] = [.l, .en, .es, .cs, .et, .on, .bn, .nsm]
      return classes.allSatisfy(allowed.contains) && (last == .l || last == .en)
    default:
      return false
    }
  }
}
