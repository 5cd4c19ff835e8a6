internal import CLinnetNGHTTP2

/// The library below this module.
package enum HTTP2Library {
  /// The version of the nghttp2 that runs, such as `1.52.0`; not the one that was compiled against.
  package static var version: String {
    // SAFETY: for any version up to its own, and 0, the function returns a constant of the library.
    guard let info = unsafe nghttp2_version(0), let text = unsafe info.pointee.version_str else { return "" }
    return unsafe String(cString: text)
  }
}
