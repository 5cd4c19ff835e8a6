/// How far a number of JSON has been read (RFC 8259 §6).
enum JSONNumberState: Sendable {
  case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent

  /// Nil when no number begins with the byte.
  init?(first byte: UInt8) {
    switch byte {
    case UInt8(ascii: "-"): self = .minus
    case UInt8(ascii: "0"): self = .zero
    case 0x31...0x39: self = .integer
    default: return nil
    }
  }

  /// The number may end here.
  var isComplete: Bool {
    switch self {
    case .zero, .integer, .fraction, .exponent: true
    case .minus, .point, .exponentMark, .exponentSign: false
    }
  }

  /// Nil when the byte does not go on with the number.
  func after(_ byte: UInt8) -> JSONNumberState? {
    let isDigit = 0x30...0x39 ~= byte
    let isMark = byte | 0x20 == UInt8(ascii: "e")
    switch self {
    case .minus: return byte == UInt8(ascii: "0") ? .zero : isDigit ? .integer : nil
    case .zero: return byte == UInt8(ascii: ".") ? .point : isMark ? .exponentMark : nil
    case .integer: return isDigit ? .integer : byte == UInt8(ascii: ".") ? .point : isMark ? .exponentMark : nil
    case .point: return isDigit ? .fraction : nil
    case .fraction: return isDigit ? .fraction : isMark ? .exponentMark : nil
    case .exponentMark:
      let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      return isSign ? .exponentSign : isDigit ? .exponent : nil
    case .exponentSign, .exponent: return isDigit ? .exponent : nil
    }
  }
}
