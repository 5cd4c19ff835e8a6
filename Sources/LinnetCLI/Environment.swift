internal import Glibc

/// The variables of the environment, byte for byte.
enum Environment {
  /// Nil for one that is not set, or empty.
  static func value(_ name: String) -> [UInt8]? {
    guard let text = getenv(name) else { return nil }
    let bytes = Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    return bytes.isEmpty ? nil : bytes
  }

  /// Whether a variable names a proxy.
  static var namesProxy: Bool {
    ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].contains { value($0) != nil }
  }
}
