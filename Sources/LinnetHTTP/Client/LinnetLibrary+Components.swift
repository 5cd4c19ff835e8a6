internal import LinnetCompression
internal import LinnetHTTP2
internal import LinnetTLS

extension LinnetLibrary {
  /// A library that this one is built on.
  public struct ComponentVersion: Sendable, Hashable {
    /// The name as the library's authors write it.
    public let name: String
    /// The version of what is loaded into this process, which may be newer than what was compiled against.
    public let version: String
  }

  /// The system libraries below this one, for bug reports and `--version`: OpenSSL, zlib and nghttp2.
  public static var componentVersions: [ComponentVersion] {
    [
      ComponentVersion(name: "OpenSSL", version: TLSLibrary.version),
      ComponentVersion(name: "zlib", version: CompressionLibrary.version),
      ComponentVersion(name: "nghttp2", version: HTTP2Library.version),
    ]
  }
}
