internal import CLinnetOpenSSL

/// Message digests and HMAC: Digest authentication (MD5, SHA-256, SHA-512/256), the WebSocket accept key (SHA-1), pins, signatures
/// and the checksums of downloads.
///
/// An instance digests a stream piece by piece; ``hash(_:with:)`` and ``hmac(key:_:with:)`` do it in one call.
@safe
package struct Digest: ~Copyable {
  package enum Algorithm: Sendable, Hashable, CaseIterable {
    case md5
    case sha1
    case sha256
    case sha384
    case sha512
    /// SHA-512 with another start and cut to 256 bits (FIPS 180-4 §5.3.6.2).
    case sha512_256

    /// The length of the result in bytes.
    package var byteCount: Int {
      switch self {
      case .md5: 16
      case .sha1: 20
      case .sha256, .sha512_256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }

    fileprivate var method: OpaquePointer? {
      // SAFETY: these return constants of the library.
      switch self {
      case .md5: unsafe EVP_md5()
      case .sha1: unsafe EVP_sha1()
      case .sha256: unsafe EVP_sha256()
      case .sha384: unsafe EVP_sha384()
      case .sha512: unsafe EVP_sha512()
      case .sha512_256: unsafe EVP_sha512_256()
      }
    }
  }

  private let context: OpaquePointer
  private let algorithm: Algorithm

  /// Starts a digest.
  ///
  /// - Throws: `cryptographyUnavailable` when the library's policy forbids the algorithm (MD5 in FIPS mode).
  package init(_ algorithm: Algorithm) throws(TLSError) {
    OpenSSLError.clearQueue()
    guard let context = unsafe EVP_MD_CTX_new() else { throw TLSError(.cryptographyUnavailable) }
    // SAFETY: `context` is ours; it is freed here on failure and by `deinit` otherwise.
    guard unsafe EVP_DigestInit_ex(context, algorithm.method, nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      throw TLSError(.cryptographyUnavailable, detail: OpenSSLError.lastReason())
    }
    unsafe self.context = context
    self.algorithm = algorithm
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    // SAFETY: the bytes are read during the call only.
    unsafe bytes.withUnsafeBytes { _ = unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
  }

  /// The digest of all bytes that were added.
  package consuming func finalize() -> [UInt8] {
    // SAFETY: the room is as large as any digest, and OpenSSL reports how much it wrote.
    unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { room, initialized in
      var length: UInt32 = 0
      _ = unsafe EVP_DigestFinal_ex(context, room.baseAddress, &length)
      initialized = min(Int(length), algorithm.byteCount)
    }
  }

  /// The digest of `bytes`.
  package static func hash(_ bytes: Span<UInt8>, with algorithm: Algorithm) throws(TLSError) -> [UInt8] {
    var digest = try Digest(algorithm)
    digest.update(bytes)
    return digest.finalize()
  }

  /// The keyed digest of RFC 2104.
  package static func hmac(
    key: Span<UInt8>, _ message: Span<UInt8>, with algorithm: Algorithm
  ) throws(TLSError) -> [UInt8] {
    OpenSSLError.clearQueue()
    // An empty key is legal, but a null pointer would mean "the key of the last call".
    let keyBytes = key.isEmpty ? [0] : unsafe key.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    let keyCount = Int32(clamping: key.count)
    // SAFETY: the room is as large as any digest; key and message are read during the call only.
    let result = unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { room, initialized in
      var length: UInt32 = 0
      unsafe message.withUnsafeBufferPointer { message in
        unsafe keyBytes.withUnsafeBytes { key in
          let done = unsafe HMAC(
            algorithm.method, key.baseAddress, keyCount, message.baseAddress, message.count, room.baseAddress, &length)
          if unsafe done == nil { length = 0 }
        }
      }
      initialized = Int(length)
    }
    if result.count != algorithm.byteCount {
      throw TLSError(.cryptographyUnavailable, detail: OpenSSLError.lastReason())
    }
    return result
  }
}
