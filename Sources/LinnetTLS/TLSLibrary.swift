internal import CLinnetOpenSSL

/// The library below this module.
package enum TLSLibrary {
  /// The version of the OpenSSL that runs, such as `3.0.13`; not the one that was compiled against.
  package static var version: String {
    // SAFETY: the function returns a constant text of the library.
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION_STRING) else { return "" }
    return unsafe String(cString: text)
  }

  /// Whether a text is an IP address to the library.
  static func isAddress(_ text: String) -> Bool {
    // SAFETY: the object is freed at once.
    guard let parsed = unsafe a2i_IPADDRESS(text) else {
      OpenSSLError.clearQueue()
      return false
    }
    unsafe ASN1_OCTET_STRING_free(parsed)
    return true
  }
}
