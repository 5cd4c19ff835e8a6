internal import LinnetBytes

/// The value of a `traceparent` header (W3C Trace Context §3.2): which trace a request belongs to, and which step of it
/// made the request.
public struct W3CTraceContext: Sendable, Hashable {
  /// The version of the format, two hexadecimal digits; `00` for contexts made here.
  public let version: String
  /// The trace: 32 hexadecimal digits in lower case, not all of them zero.
  public let traceID: String
  /// The step that makes the request: 16 hexadecimal digits in lower case, not all of them zero.
  public let parentID: String
  /// The flags; bit 0 tells that the caller may have recorded the trace.
  public let traceFlags: UInt8

  /// Whether bit 0 of ``traceFlags`` is set.
  public var isSampled: Bool { traceFlags & 1 == 1 }

  /// A context of its parts.
  ///
  /// - Returns: Nil unless both identifiers are hexadecimal in lower case, of the right length and not all zeros.
  public init?(traceID: String, parentID: String, sampled: Bool) {
    self.init(version: "00", traceID: traceID, parentID: parentID, traceFlags: sampled ? 1 : 0)
  }

  /// Parses the value of a `traceparent` header.
  ///
  /// A version above 00 may have more fields, which are ignored (§3.2.1, §4.2.3). Version ff, identifiers of zeros and
  /// upper-case digits are invalid.
  public init?(traceparent: String) {
    let fields = traceparent.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.count >= 4, fields.count == 4 || fields[0] != "00", fields[3].utf8.count == 2 else { return nil }
    guard Self.isHexadecimal(fields[3]), let flags = UInt8(fields[3], radix: 16) else { return nil }
    self.init(
      version: String(fields[0]), traceID: String(fields[1]), parentID: String(fields[2]), traceFlags: flags)
  }

  private init?(version: String, traceID: String, parentID: String, traceFlags: UInt8) {
    guard version.utf8.count == 2, Self.isHexadecimal(version[...]), version != "ff" else { return nil }
    guard traceID.utf8.count == 32, Self.isIdentifier(traceID[...]) else { return nil }
    guard parentID.utf8.count == 16, Self.isIdentifier(parentID[...]) else { return nil }
    self.version = version
    self.traceID = traceID
    self.parentID = parentID
    self.traceFlags = traceFlags
  }

  private init(traceID: String, parentID: String, traceFlags: UInt8) {
    version = "00"
    self.traceID = traceID
    self.parentID = parentID
    self.traceFlags = traceFlags
  }

  /// A new trace with random identifiers.
  ///
  /// - Parameter sampled: Whether the trace is recorded. Default true.
  public static func generated(sampled: Bool = true) -> W3CTraceContext {
    W3CTraceContext(
      traceID: hexadecimal(.random(in: 1...UInt64.max)) + hexadecimal(.random(in: 1...UInt64.max)),
      parentID: hexadecimal(.random(in: 1...UInt64.max)), traceFlags: sampled ? 1 : 0)
  }

  /// The same trace with a new random ``parentID``: the context of a request that this step makes. Flags other than the
  /// sampled one are not passed on (§3.2.2.5).
  public func child() -> W3CTraceContext {
    W3CTraceContext(
      traceID: traceID, parentID: Self.hexadecimal(.random(in: 1...UInt64.max)), traceFlags: traceFlags & 1)
  }

  /// The header's value, such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
  public var traceparent: String {
    let digits = String(traceFlags, radix: 16)
    return "\(version)-\(traceID)-\(parentID)-\(digits.utf8.count == 1 ? "0" : "")\(digits)"
  }

  private static func isHexadecimal(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { ASCII.isHexDigit($0) && ASCII.lowercased($0) == $0 }
  }

  private static func isIdentifier(_ text: Substring) -> Bool {
    isHexadecimal(text) && text.utf8.contains { $0 != UInt8(ascii: "0") }
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

extension W3CTraceContext: CustomStringConvertible {
  /// ``traceparent``.
  public var description: String { traceparent }
}
