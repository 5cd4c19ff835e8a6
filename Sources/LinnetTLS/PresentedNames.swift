internal import CLinnetOpenSSL

/// The names that a certificate presents, for messages and tests only: the verdict is OpenSSL's, which never looks at
/// the common name here (RFC 9525 §2).
enum PresentedNames {
  struct Names: Sendable, Hashable {
    var dns: [String] = []
    /// Addresses in text form.
    var ip: [String] = []
  }

  /// A hostile certificate may have thousands of names; a message shows a handful.
  private static var maximumNames: Int32 { 100 }

  /// The DNS names and addresses of the subject alternative names, in order.
  @unsafe
  static func names(of certificate: OpaquePointer) -> Names {
    var names = Names()
    // SAFETY: the list is ours until it is freed below; each element's bytes live as long as the list.
    guard let list = unsafe linnet_general_names(certificate) else {
      OpenSSLError.clearQueue()
      return names
    }
    defer { unsafe linnet_general_names_free(list) }
    for index in 0..<min(maximumNames, unsafe linnet_general_names_count(list)) {
      var data: UnsafePointer<UInt8>?
      var length: Int32 = 0
      let kind = unsafe linnet_general_name_bytes(list, index, &data, &length)
      let bytes = unsafe [UInt8](UnsafeBufferPointer(start: data, count: Int(max(0, length))))
      switch kind {
      case 1: names.dns.append(printable(bytes))
      case 2: if let text = addressText(bytes) { names.ip.append(text) }
      default: continue
      }
    }
    return names
  }

  /// Control bytes (also a NUL that tries to hide the rest of a name) and non-ASCII bytes are shown as `?`.
  private static func printable(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  /// Dotted quad, or the groups of IPv6 with the longest run of zeros shortened (RFC 5952 §4).
  static func addressText(_ bytes: [UInt8]) -> String? {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    guard bytes.count == 16 else { return nil }
    let groups = (0..<8).map { UInt16(bytes[$0 * 2]) << 8 | UInt16(bytes[$0 * 2 + 1]) }
    var best = 0..<0
    var start = 0
    while start < 8 {
      var end = start
      while end < 8, groups[end] == 0 { end += 1 }
      if end - start > max(1, best.count) { best = start..<end }
      start = max(end, start + 1)
    }
    func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    if best.isEmpty { return text(groups[...]) }
    return text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
  }
}
