internal import CLinnetOpenSSL

/// The library below this module.
package enum TLSLibrary {
  /// The version of the OpenSSL that runs, such as `3.0.13`; not the one that was compiled against.
  package static var version: String {
    // SAFETY: the function returns a constant text of the library.
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION_STRING) else { return "" }
    return unsafe String(cString: text)
  }
}
