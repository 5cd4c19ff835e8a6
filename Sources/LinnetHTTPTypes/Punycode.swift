internal import LinnetBytes

/// Punycode (RFC 3492) with the parameters of IDNA.
///
/// Both directions take quadratic time in the worst case; ``IDNA`` bounds their input.
package enum Punycode {
  private static var base: UInt32 { 36 }
  private static var minimumThreshold: UInt32 { 1 }
  private static var maximumThreshold: UInt32 { 26 }
  private static var skew: UInt32 { 38 }
  private static var damp: UInt32 { 700 }
  private static var initialBias: UInt32 { 72 }
  private static var initialCodePoint: UInt32 { 0x80 }

  /// The code points that `text` (what follows `xn--`) stands for, or nil when it is not Punycode (RFC 3492 §6.2).
  package static func decode(_ text: ArraySlice<UInt32>) -> [UInt32]? {
    var output: [UInt32] = []
    var rest = text
    if let delimiter = text.lastIndex(of: UInt32(UInt8(ascii: "-"))), delimiter > text.startIndex {
      output = Array(text[..<delimiter])
      rest = text[(delimiter + 1)...]
    }
    guard output.allSatisfy({ $0 < initialCodePoint }) else { return nil }
    var codePoint = initialCodePoint
    var bias = initialBias
    var position: UInt32 = 0
    while !rest.isEmpty {
      guard let delta = decodeInteger(&rest, bias: bias) else { return nil }
      let length = UInt32(truncatingIfNeeded: output.count + 1)
      let (sum, overflow) = position.addingReportingOverflow(delta)
      if overflow { return nil }
      bias = adapt(delta, length: length, isFirst: position == 0)
      position = sum
      let (next, carried) = codePoint.addingReportingOverflow(position / length)
      guard !carried, next >= initialCodePoint, Unicode.Scalar(next) != nil else { return nil }
      codePoint = next
      position %= length
      output.insert(codePoint, at: Int(position))
      position += 1
    }
    return output
  }

  /// One variable-length integer of RFC 3492 §3.3; nil on overflow, a foreign digit or the end of the text.
  private static func decodeInteger(_ text: inout ArraySlice<UInt32>, bias: UInt32) -> UInt32? {
    var value: UInt32 = 0
    var weight: UInt32 = 1
    var k = base
    while let digit = text.popFirst().flatMap(digitValue) {
      let (term, termOverflow) = digit.multipliedReportingOverflow(by: weight)
      let (sum, sumOverflow) = value.addingReportingOverflow(term)
      if termOverflow || sumOverflow { return nil }
      value = sum
      let threshold = threshold(k, bias)
      if digit < threshold { return value }
      let (product, overflow) = weight.multipliedReportingOverflow(by: base - threshold)
      if overflow { return nil }
      weight = product
      k += base
    }
    return nil
  }

  /// Appends the Punycode of `label` without the prefix (RFC 3492 §6.3); false when a number overflows.
  package static func encode(_ label: ArraySlice<UInt32>, into output: inout [UInt8]) -> Bool {
    let basic = label.filter { $0 < initialCodePoint }
    output.append(contentsOf: basic.map { UInt8(truncatingIfNeeded: $0) })
    if !basic.isEmpty { output.append(UInt8(ascii: "-")) }
    var codePoint = initialCodePoint
    var delta: UInt32 = 0
    var bias = initialBias
    var handled = UInt32(truncatingIfNeeded: basic.count)
    let total = UInt32(truncatingIfNeeded: label.count)
    while handled < total {
      guard let next = label.lazy.filter({ $0 >= codePoint }).min() else { return false }
      let (product, productOverflow) = (next - codePoint).multipliedReportingOverflow(by: handled + 1)
      let (sum, sumOverflow) = delta.addingReportingOverflow(product)
      if productOverflow || sumOverflow { return false }
      delta = sum
      codePoint = next
      for scalar in label {
        if scalar < codePoint { delta &+= 1 }
        guard scalar == codePoint else { continue }
        encodeInteger(delta, bias: bias, into: &output)
        bias = adapt(delta, length: handled + 1, isFirst: handled == UInt32(truncatingIfNeeded: basic.count))
        delta = 0
        handled += 1
      }
      delta &+= 1
      codePoint &+= 1
    }
    return true
  }

  private static func encodeInteger(_ value: UInt32, bias: UInt32, into output: inout [UInt8]) {
    var rest = value
    var k = base
    while true {
      let threshold = threshold(k, bias)
      if rest < threshold { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      k += base
    }
    output.append(digit(rest))
  }

  private static func threshold(_ k: UInt32, _ bias: UInt32) -> UInt32 {
    k <= bias ? minimumThreshold : min(max(k - bias, minimumThreshold), maximumThreshold)
  }

  /// RFC 3492 §6.1.
  private static func adapt(_ delta: UInt32, length: UInt32, isFirst: Bool) -> UInt32 {
    var rest = isFirst ? delta / damp : delta / 2
    rest += rest / length
    var k: UInt32 = 0
    while rest > (base - minimumThreshold) * maximumThreshold / 2 {
      rest /= base - minimumThreshold
      k += base
    }
    return k + (base - minimumThreshold + 1) * rest / (rest + skew)
  }

  private static func digitValue(_ scalar: UInt32) -> UInt32? {
    guard let byte = UInt8(exactly: scalar) else { return nil }
    if let digit = ASCII.digitValue(byte) { return 26 + UInt32(digit) }
    return ASCII.isAlpha(byte) ? UInt32((byte | 0x20) - UInt8(ascii: "a")) : nil
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    let low = UInt8(truncatingIfNeeded: value)
    return low < 26 ? UInt8(ascii: "a") + low : UInt8(ascii: "0") &+ (low &- 26)
  }
}
