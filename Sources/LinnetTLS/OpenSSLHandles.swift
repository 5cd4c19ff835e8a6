internal import CLinnetOpenSSL

/// Owners of single references to OpenSSL's objects, so that every path, also one that throws, frees them once.

/// Owns one reference to an `X509`.
@safe
struct X509Handle: ~Copyable {
  // SAFETY (all handles): `raw` is a live object of the named type until `deinit`, which gives up the one reference.
  let raw: OpaquePointer

  init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe X509_free(raw) }
}

/// Owns one reference to an `EVP_PKEY`.
@safe
struct KeyHandle: ~Copyable {
  let raw: OpaquePointer

  init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe EVP_PKEY_free(raw) }
}

/// Owns a `STACK_OF(X509)` with a reference to each element.
@safe
struct X509Stack: ~Copyable {
  let raw: OpaquePointer

  init() throws(TLSError) {
    guard let stack = unsafe linnet_x509_stack_new() else { throw TLSError(.cryptographyUnavailable) }
    unsafe raw = stack
  }

  init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  var count: Int { Int(unsafe linnet_x509_stack_count(raw)) }

  /// The index of the first certificate that fits; the stack keeps it.
  @unsafe
  func firstIndex(where fits: (OpaquePointer) -> Bool) -> Int32? {
    (0..<Int32(clamping: count)).first { index in
      unsafe linnet_x509_stack_at(raw, index).map { unsafe fits($0) } ?? false
    }
  }

  /// Takes a certificate out.
  mutating func remove(at index: Int32) -> X509Handle? {
    unsafe linnet_x509_stack_delete(raw, index).map { unsafe X509Handle(owning: $0) }
  }

  /// Takes over the reference.
  mutating func append(_ certificate: consuming X509Handle) {
    // SAFETY: the stack gets a reference of its own; the handle gives up its one at the end of the call.
    unsafe X509_up_ref(certificate.raw)
    if unsafe linnet_x509_stack_push(raw, certificate.raw) <= 0 { unsafe X509_free(certificate.raw) }
  }

  /// Takes the first certificate out.
  mutating func popFirst() -> X509Handle? {
    guard let first = unsafe linnet_x509_stack_shift(raw) else { return nil }
    return unsafe X509Handle(owning: first)
  }

  /// Calls `body` with each certificate, which the stack keeps.
  func forEach(_ body: (OpaquePointer) throws(TLSError) -> Void) throws(TLSError) {
    for index in 0..<Int32(clamping: count) {
      guard let certificate = unsafe linnet_x509_stack_at(raw, index) else { continue }
      try unsafe body(certificate)
    }
  }

  deinit { unsafe linnet_x509_stack_free(raw) }
}

/// Owns a memory BIO.
@safe
struct MemoryBIO: ~Copyable {
  let raw: OpaquePointer

  init() throws(TLSError) {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw TLSError(.cryptographyUnavailable) }
    unsafe raw = bio
  }

  /// A BIO from which `bytes` can be read.
  init(reading bytes: [UInt8]) throws(TLSError) {
    try self.init()
    // SAFETY: the BIO copies the bytes during the call.
    unsafe bytes.withUnsafeBytes { _ = unsafe BIO_write(raw, $0.baseAddress, Int32(clamping: $0.count)) }
  }

  var contents: [UInt8] {
    var data: UnsafeMutablePointer<CChar>?
    let count = unsafe linnet_bio_memory(raw, &data)
    // SAFETY: `count` bytes at `data` belong to the BIO, which lives.
    return unsafe [UInt8](UnsafeRawBufferPointer(start: data, count: max(0, count)))
  }

  deinit { unsafe BIO_free(raw) }
}

/// Runs one of OpenSSL's `i2d_…` functions, which allocate their output, and copies what they made.
@unsafe
func encodedDER(_ encode: (inout UnsafeMutablePointer<UInt8>?) -> Int32) -> [UInt8]? {
  var output: UnsafeMutablePointer<UInt8>?
  let count = unsafe encode(&output)
  // SAFETY: OpenSSL allocated `count` bytes; they are copied, then freed once.
  defer { unsafe linnet_free(output) }
  guard count > 0, let start = unsafe output else { return nil }
  return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
}

/// Runs one of OpenSSL's `d2i_…` functions, which allocate an object, on all of `bytes`.
@unsafe
func decodedDER(
  _ bytes: [UInt8], _ decode: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
) -> OpaquePointer? {
  unsafe bytes.withUnsafeBufferPointer { buffer in
    var cursor = buffer.baseAddress
    // SAFETY: OpenSSL reads at most `buffer.count` bytes from `cursor`.
    return unsafe decode(&cursor, buffer.count)
  }
}
