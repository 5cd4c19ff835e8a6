internal import CLinnetZlib

/// The library below this module.
package enum CompressionLibrary {
  /// The version of the zlib that runs, such as `1.3`; not the one that was compiled against.
  package static var version: String {
    // SAFETY: the function returns a constant text of the library.
    guard let text = unsafe zlibVersion() else { return "" }
    return unsafe String(cString: text)
  }
}
