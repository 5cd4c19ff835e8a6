import LinnetCLI
import Testing

@Suite("Format of --trace")
struct TraceFormatTests {
  private func text(_ style: TraceFormat.Style, _ bytes: [UInt8], stamp: String = "") -> String {
    String(decoding: TraceFormat(style: style).block(.receivedData, bytes, stamp: stamp), as: UTF8.self)
  }

  @Test("--trace shows sixteen bytes a line with offset, digits and text")
  func hexadecimal() {
    #expect(
      text(.hexadecimal, Array("0123456789abcdefGH\u{0}\n".utf8)) == """
        <= Recv data, 20 bytes (0x14)
        0000: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66 0123456789abcdef
        0010: 47 48 00 0a                                     GH..

        """)
  }

  @Test("--trace-ascii breaks lines where the data does, and after 64 bytes")
  func ascii() {
    #expect(
      text(.text, Array("GET / HTTP/1.1\r\nA: \u{1}\r\n\r\n".utf8), stamp: "10:00:00.000001 ") == """
        10:00:00.000001 <= Recv data, 24 bytes (0x18)
        0000: GET / HTTP/1.1
        0010: A: .
        0016: \n
        """)
    #expect(
      text(.text, [UInt8](repeating: 0x61, count: 65)).hasSuffix(
        "0000: \(String(repeating: "a", count: 64))\n0040: a\n"))
  }

  @Test("an empty block has a title only", arguments: [TraceFormat.Style.text, .hexadecimal])
  func empty(_ style: TraceFormat.Style) {
    #expect(text(style, []) == "<= Recv data, 0 bytes (0x0)\n")
  }

  @Test("all bytes come, in order", arguments: [1, 15, 16, 17, 255, 1000])
  func complete(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let lines = text(.hexadecimal, bytes).split(separator: "\n").dropFirst()
    let digits = lines.flatMap { $0.dropFirst(6).prefix(48).split(separator: " ") }
    #expect(digits.compactMap { UInt8($0, radix: 16) } == bytes)
    #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test("information is one line, whatever it has in it")
  func information() {
    let line = TraceFormat(style: .text).information("a\nb\u{1B}[2J", stamp: "")
    #expect(String(decoding: line, as: UTF8.self) == "== Info: a b [2J\n")
  }

  @Test(
    "--trace-time shows the time of day with microseconds",
    arguments: [
      (0, 0, 0, "00:00:00.000000 "), (86_399, 999_999, 0, "23:59:59.999999 "), (86_399, 5, 3600, "00:59:59.000005 "),
      (0, 0, -3600, "23:00:00.000000 "), (3_723, 40, 19_800, "06:32:03.000040 "),
    ] as [(Int64, Int64, Int64, String)])
  func stamp(_ seconds: Int64, _ microseconds: Int64, _ offset: Int64, _ text: String) {
    #expect(TraceFormat.stamp(seconds: seconds, microseconds: microseconds, offset: offset) == text)
  }
}
