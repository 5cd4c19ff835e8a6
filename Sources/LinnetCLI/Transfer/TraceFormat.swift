/// How `--trace` and `--trace-ascii` write what is sent and received. Pure.
package struct TraceFormat: Sendable, Equatable {
  package enum Style: Sendable, Equatable {
    /// Sixteen bytes a line, in hexadecimal digits and as text.
    case hexadecimal
    /// Lines of text, at most 64 bytes each.
    case text
  }

  /// What a block is about.
  package enum Direction: String, Sendable {
    case sentHead = "=> Send header"
    case sentData = "=> Send data"
    case receivedHead = "<= Recv header"
    case receivedData = "<= Recv data"
  }

  package var style: Style

  package init(style: Style) { self.style = style }

  /// A line about what happens.
  package func information(_ text: String, stamp: String) -> [UInt8] {
    Array("\(stamp)== Info: \(Console.singleLine(text))\n".utf8)
  }

  /// A block of bytes under its title.
  package func block(_ direction: Direction, _ bytes: some RandomAccessCollection<UInt8>, stamp: String) -> [UInt8] {
    let count = bytes.count
    var out = Array("\(stamp)\(direction.rawValue), \(count) bytes (0x\(String(count, radix: 16)))\n".utf8)
    out.reserveCapacity(out.count + count * (style == .hexadecimal ? 5 : 2))
    switch style {
    case .hexadecimal: appendHexadecimal(bytes, to: &out)
    case .text: appendText(bytes, to: &out)
    }
    return out
  }

  private func appendHexadecimal(_ bytes: some RandomAccessCollection<UInt8>, to out: inout [UInt8]) {
    var rest = bytes[...]
    var offset = 0
    while !rest.isEmpty {
      let line = rest.prefix(16)
      Self.append(offset: offset, to: &out)
      for byte in line {
        out.append(Self.digit(byte >> 4))
        out.append(Self.digit(byte & 0xF))
        out.append(0x20)
      }
      out.append(contentsOf: repeatElement(0x20, count: (16 - line.count) * 3))
      for byte in line { out.append(Self.printable(byte)) }
      out.append(0x0A)
      offset += line.count
      rest = rest.dropFirst(16)
    }
  }

  /// A line ends where one of the data ends (CR LF), and after 64 bytes.
  private func appendText(_ bytes: some RandomAccessCollection<UInt8>, to out: inout [UInt8]) {
    var rest = bytes[...]
    var offset = 0
    while !rest.isEmpty {
      Self.append(offset: offset, to: &out)
      var taken = 0
      while let byte = rest.first, taken < 64 {
        rest = rest.dropFirst()
        if byte == 0x0D, rest.first == 0x0A {
          rest = rest.dropFirst()
          offset += 2
          break
        }
        out.append(Self.printable(byte))
        taken += 1
        offset += 1
      }
      out.append(0x0A)
    }
  }

  private static func append(offset: Int, to out: inout [UInt8]) {
    let digits = String(offset, radix: 16)
    out.append(contentsOf: repeatElement(0x30, count: max(0, 4 - digits.utf8.count)))
    out.append(contentsOf: digits.utf8)
    out.append(contentsOf: ": ".utf8)
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  private static func printable(_ byte: UInt8) -> UInt8 { 0x20...0x7E ~= byte ? byte : UInt8(ascii: ".") }

  /// The time of day in front of each entry of `--trace-time`.
  ///
  /// - Parameter offset: Seconds that local time is ahead of UTC.
  package static func stamp(seconds: Int64, microseconds: Int64, offset: Int64) -> String {
    let local = (seconds % 86_400 + offset % 86_400 + 2 * 86_400) % 86_400
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let fraction = String(microseconds)
    let zeros = String(repeating: "0", count: max(0, 6 - fraction.utf8.count))
    return "\(two(local / 3600)):\(two(local / 60 % 60)):\(two(local % 60)).\(zeros)\(fraction) "
  }
}
