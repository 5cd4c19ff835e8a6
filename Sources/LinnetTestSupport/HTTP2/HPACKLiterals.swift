/// Field blocks written by hand (RFC 7541 §6): what no encoder would make.
///
/// Nothing is checked, Huffman coding and the table are only used when asked for, so blocks can be joined with `+`, and
/// cut anywhere.
///
/// ```swift
/// let block = HPACKLiterals.status(200) + HPACKLiterals.field("Upper-Case", "is malformed")
/// try connection.send(.headers(1, block))
/// ```
public enum HPACKLiterals {
  /// How a literal field treats the table of the receiver.
  public enum Indexing: Sendable, Hashable {
    /// It is put into the table; the newest entry has the index 62.
    case incremental
    /// It is not.
    case without
    /// It is not, by nobody on its way.
    case never
  }

  /// A field with a literal name and value.
  public static func field(_ name: String, _ value: String, _ indexing: Indexing = .without) -> [UInt8] {
    field(Array(name.utf8), Array(value.utf8), indexing)
  }

  /// A field with a literal name and value of any bytes.
  public static func field(_ name: [UInt8], _ value: [UInt8], _ indexing: Indexing = .without) -> [UInt8] {
    let prefix: UInt8 =
      switch indexing {
      case .incremental: 0x40
      case .without: 0x00
      case .never: 0x10
      }
    return [prefix] + integer(name.count, bits: 7) + name + integer(value.count, bits: 7) + value
  }

  /// Fields with literal names and values, in order.
  public static func fields(_ fields: [HeaderLine]) -> [UInt8] { fields.flatMap { field($0.name, $0.value) } }

  /// `:status`.
  public static func status(_ code: Int) -> [UInt8] { field(":status", String(code)) }

  /// A reference to an entry of the table: one byte for an index below 127. 1 to 61 are static, such as 8 for
  /// `:status: 200`.
  public static func indexed(_ index: Int) -> [UInt8] { integer(index, bits: 7, prefix: 0x80) }

  /// A change of the table's size (§6.3).
  public static func tableSize(_ bytes: Int) -> [UInt8] { integer(bytes, bits: 5, prefix: 0x20) }

  /// One field that goes into the table, then references to it: `count` bytes on the wire expand to `count` times its
  /// size.
  public static func bomb(valueBytes: Int, references count: Int) -> [UInt8] {
    field("x-bomb", String(repeating: "b", count: valueBytes), .incremental)
      + [UInt8](repeating: 0x80 | 62, count: max(0, count))
  }

  /// An integer with a prefix of so many bits (§5.1).
  public static func integer(_ value: Int, bits: Int, prefix: UInt8 = 0) -> [UInt8] {
    let limit = (1 << bits) - 1
    guard value >= limit else { return [prefix | UInt8(truncatingIfNeeded: max(0, value))] }
    var bytes = [prefix | UInt8(truncatingIfNeeded: limit)]
    var rest = value - limit
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest & 127 | 128))
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
    return bytes
  }
}
